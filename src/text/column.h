// SPDX-License-Identifier: Apache-2.0
// The columns of an answer for machines: one table per type, which every writer reads.
//
//   const Columns<Serving>& serving_columns() {
//     using S = Serving;
//     static const Columns<Serving> table = {
//         versions<S>(),
//         string("accelerator", member<&S::accelerator>, "catalog name", Rank::key),
//         accelerators("gpus", member<&S::layout, &ServingLayout::gpus>, "of one replica"),
//         usd("cost", [](const S& s) { return s.hours * s.price; }, "hours x price").lower(),
//         part<memory_use_columns, &S::memory>("memory"),
//         list<assumption_columns>("assumptions", member<&S::assumptions>, "defaults")};
//     return table;
//   }
//
// JSON nests the columns by their paths (write_members). CSV and JSON Lines have the same columns
// under dotted names, a line per row of the list that the answer is about (RowWriter), so both use
// the same names. Values come straight from the getters, without an intermediate tree.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "text/column_table.h"
#include "trcost/version.h"

namespace trcost::text {

template <class T>
class Columns;

/// One figure of a T, a list of rows of it, or an entry that stands for several columns.
template <class T>
struct Column : ColumnInfo {
  Value (*get)(const T&, std::uint32_t arg) = nullptr;  ///< null for a list
  std::uint32_t arg = 0;  ///< passed to the getter, such as the place in the table of a part
  void (*list)(const T&, std::uint32_t arg, RowSink&) = nullptr;
  /// Words for people who compare answers, if those are more than the value.
  std::string (*words)(const T&, std::uint32_t arg) = nullptr;
  /// Adds the columns that this entry stands for.
  void (*expand)(Columns<T>&, const Column& entry) = nullptr;

  [[nodiscard]] Value value(const T& subject) const { return get(subject, arg); }
  /// The number, 0 or 1 for a boolean, or nothing if it is unknown.
  [[nodiscard]] std::optional<double> number(const T& subject) const {
    const Value value = get(subject, arg);
    if (value.kind != Value::Kind::number && value.kind != Value::Kind::boolean)
      return std::nullopt;
    return value.number;
  }
  /// The text, empty if it is unknown. It points into the subject.
  [[nodiscard]] std::string_view text(const T& subject) const { return get(subject, arg).text; }

  // Each of these returns a copy of the column with one more property.
  [[nodiscard]] constexpr Column lower() const { return with(&ColumnInfo::better, Better::lower); }
  [[nodiscard]] constexpr Column higher() const {
    return with(&ColumnInfo::better, Better::higher);
  }
  [[nodiscard]] constexpr Column as(ColumnRole is) const { return with(&ColumnInfo::role, is); }
  [[nodiscard]] constexpr Column from_price() const { return with(&ColumnInfo::priced, true); }
  [[nodiscard]] constexpr Column from_range() const { return with(&ColumnInfo::of_range, true); }
  [[nodiscard]] constexpr Column after_last_row() const {
    return with(&ColumnInfo::after_rows, true);
  }
  [[nodiscard]] constexpr Column shown(Beside place) const {
    return with(&ColumnInfo::beside, place);
  }
  template <class F>
  [[nodiscard]] constexpr Column shown(Beside place, F) const {
    static_assert(std::is_empty_v<F>, "words capture nothing");
    Column out = shown(place);
    out.words = [](const T& subject, std::uint32_t) -> std::string { return F{}(subject); };
    return out;
  }

 private:
  template <class Property>
  constexpr Column with(Property ColumnInfo::*property, Property value) const {
    Column out = *this;
    out.*property = value;
    return out;
  }
};

/// The columns of a T, in the order of its JSON document. Columns of one object stand together.
template <class T>
class Columns final : public ColumnTable {
 public:
  Columns() = default;
  Columns(std::initializer_list<Column<T>> columns) { add(columns); }

  Columns& add(std::span<const Column<T>> columns) {
    columns_.reserve(columns_.size() + columns.size());
    for (const Column<T>& column : columns) {
      if (column.expand != nullptr) {
        column.expand(*this, column);
      } else {
        columns_.push_back(column);
      }
    }
    return *this;
  }
  Columns& add(std::initializer_list<Column<T>> columns) {
    return add(std::span(columns.begin(), columns.size()));
  }
  /// Adds a column whose path is made at run time.
  void add_named(Column<T> column, std::string_view path, std::uint32_t arg) {
    column.path = own(path, {});
    column.arg = arg;
    columns_.push_back(column);
  }
  /// Adds the columns of a part, the entry's path and a dot before their own. In JSON an `optional`
  /// part is null if all of it is unknown. `Path` leads to the part as in `member`.
  template <auto Table, auto... Path>
  void add_part(const Column<T>& entry, bool optional);
  /// Adds the columns of a part that `keep` accepts, under their own paths.
  template <auto Table, auto... Path>
  void pick(std::predicate<const ColumnInfo&> auto keep);
  /// Brings columns of one object together, in the order of their first ones.
  void gather();
  /// Makes the object of this path null if all of it is unknown.
  void make_optional(std::string_view group) { optional_.push_back(group); }

  [[nodiscard]] std::size_t size() const override { return columns_.size(); }
  [[nodiscard]] const ColumnInfo& info(std::size_t column) const override {
    return columns_[column];
  }
  [[nodiscard]] Value value(const void* subject, std::size_t column) const override {
    const Column<T>& of = columns_[column];
    return of.get == nullptr ? Value() : of.get(*static_cast<const T*>(subject), of.arg);
  }
  void rows(const void* subject, std::size_t column, RowSink& sink) const override {
    const Column<T>& of = columns_[column];
    if (of.list != nullptr) of.list(*static_cast<const T*>(subject), of.arg, sink);
  }

  [[nodiscard]] const Column<T>& operator[](std::size_t column) const { return columns_[column]; }
  [[nodiscard]] auto begin() const { return columns_.begin(); }
  [[nodiscard]] auto end() const { return columns_.end(); }

 private:
  /// A column of the table of a part, under its own path.
  template <auto Table, auto... Path>
  static Column<T> column_of_part(std::size_t index);
  std::string_view own(std::string_view prefix, std::string_view path) {
    std::string& text = names_.emplace_back(prefix);
    if (!path.empty()) text += '.';
    text += path;
    return text;
  }

  std::vector<Column<T>> columns_;
  std::deque<std::string> names_;  // paths made at run time, which never move
};

template <class T>
Record record_of(const Columns<T>& table, const T& subject) {
  return {table, &subject};
}

/// Makers of columns. A getter is a `member` or a lambda without captures, and its parameter
/// decides the type of the table.
namespace column {

template <class Callable>
struct Parameter {
  using type = typename Parameter<decltype(&Callable::operator())>::type;
};
template <class C, class R, class T>
struct Parameter<R (C::*)(const T&) const> {
  using type = T;
};
template <class R, class T>
struct Parameter<R (*)(const T&)> {
  using type = T;
};
/// The T that a getter takes.
template <class F>
using SubjectOf = typename Parameter<F>::type;

/// The T that the first step of a path takes.
template <class Step>
struct Start : Parameter<Step> {};
template <class M, class T>
struct Start<M T::*> {
  using type = T;
};

/// Whether a value may be absent: an optional or a pointer.
template <class V>
concept Nullable = requires(const V& value) {
  *value;
  !value;
}
&&!std::convertible_to<V, std::string_view>;

/// Result of a path past an absent value: a number as an optional one, text as a view, another
/// member as a pointer.
template <class Last>
constexpr auto found(Last&& last) {
  using Kind = std::remove_cvref_t<Last>;
  if constexpr (Nullable<Kind>) {
    return Kind(last);
  } else if constexpr (std::is_arithmetic_v<Kind>) {
    return std::optional<Kind>(last);
  } else if constexpr (std::convertible_to<const Kind&, std::string_view>) {
    static_assert(std::is_lvalue_reference_v<Last> || !std::is_same_v<Kind, std::string>,
                  "the text has to outlive the getter");
    return std::string_view(last);
  } else if constexpr (std::is_lvalue_reference_v<Last>) {
    return &last;
  } else {
    return Kind(last);
  }
}

template <auto Step, auto... Rest, class From>
constexpr decltype(auto) follow(const From& from) {
  using Next = std::invoke_result_t<decltype(Step), const From&>;
  if constexpr (sizeof...(Rest) == 0) {
    return std::invoke(Step, from);
  } else if constexpr (Nullable<std::remove_cvref_t<Next>>) {
    Next next = std::invoke(Step, from);
    using Found = decltype(found(follow<Rest...>(*next)));
    return next ? found(follow<Rest...>(*next)) : Found();
  } else {
    using Last = decltype(follow<Rest...>(std::invoke(Step, from)));
    static_assert(std::is_lvalue_reference_v<Next> || !std::is_reference_v<Last>,
                  "the object has to outlive the getter");
    return follow<Rest...>(std::invoke(Step, from));
  }
}

template <auto First, auto... Rest>
struct Member {
  using Subject = typename Start<decltype(First)>::type;
  constexpr decltype(auto) operator()(const Subject& subject) const {
    return follow<First, Rest...>(subject);
  }
};
/// The getter that follows members, member functions and functions from the subject, such as
/// `member<&Estimate::cost, &CostResult::total>`. Unknown past an optional or pointer without
/// value.
template <auto... Path>
inline constexpr Member<Path...> member = {};
/// A step of a path to the element of a list: `member<&Account::tier_bytes, at<0>>`.
template <std::size_t kIndex>
inline constexpr auto at = [](const auto& list) -> const auto& {
  return list[kIndex];
};

/// A number as a double, nothing if it is absent.
template <class Number>
constexpr std::optional<double> to_double(const Number& value) {
  if constexpr (std::is_arithmetic_v<Number>) {
    return static_cast<double>(value);
  } else {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  }
}

/// A column whose getter returns something that a Value is made of.
template <class F>
constexpr Column<SubjectOf<F>> of_kind(ColumnKind kind, std::string_view path, F,
                                       std::string_view help, Rank rank = Rank::rest,
                                       std::string_view title = {}) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  Column<SubjectOf<F>> out;
  static_cast<ColumnInfo&>(out) = {path, kind, {},   NumberKind::number, Better::neither,
                                   help, rank, title};
  out.get = [](const SubjectOf<F>& subject, std::uint32_t) -> Value { return Value(F{}(subject)); };
  return out;
}

/// A number or an optional one, of any arithmetic type.
template <class F>
constexpr Column<SubjectOf<F>> number(std::string_view path, std::string_view unit,
                                      NumberKind display, F, std::string_view help,
                                      Rank rank = Rank::rest, std::string_view title = {}) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  Column<SubjectOf<F>> out;
  static_cast<ColumnInfo&>(out) = {
      path, ColumnKind::number, unit, display, Better::neither, help, rank, title};
  out.get = [](const SubjectOf<F>& subject, std::uint32_t) -> Value {
    return Value(to_double(F{}(subject)));
  };
  return out;
}

/// A number without a unit.
constexpr auto plain(std::string_view path, auto get, std::string_view help,
                     Rank rank = Rank::rest) {
  return number(path, "", NumberKind::number, get, help, rank);
}
/// A whole number without a unit.
constexpr auto integer(std::string_view path, auto get, std::string_view help,
                       Rank rank = Rank::rest) {
  return number(path, "", NumberKind::integer, get, help, rank);
}
/// A fraction between 0 and 1.
constexpr auto share(std::string_view path, auto get, std::string_view help, Rank rank = Rank::rest,
                     std::string_view title = {}) {
  return number(path, "", NumberKind::fraction, get, help, rank, title);
}
constexpr auto seconds(std::string_view path, auto get, std::string_view help,
                       Rank rank = Rank::rest, std::string_view title = {}) {
  return number(path, "s", NumberKind::duration, get, help, rank, title);
}
constexpr auto usd(std::string_view path, auto get, std::string_view help, Rank rank = Rank::rest) {
  return number(path, "USD", NumberKind::money, get, help, rank);
}
constexpr auto usd_per_hour(std::string_view path, auto get, std::string_view help,
                            Rank rank = Rank::rest, std::string_view title = {}) {
  return number(path, "USD/GPU-hour", NumberKind::money, get, help, rank, title);
}
constexpr auto gpu_hours(std::string_view path, auto get, std::string_view help,
                         Rank rank = Rank::rest, std::string_view title = {}) {
  return number(path, "GPU-hours", NumberKind::count, get, help, rank, title);
}
constexpr auto accelerators(std::string_view path, auto get, std::string_view help,
                            Rank rank = Rank::rest, std::string_view title = {}) {
  return number(path, "accelerators", NumberKind::integer, get, help, rank, title);
}
constexpr auto token_count(std::string_view path, auto get, std::string_view help,
                           Rank rank = Rank::rest) {
  return number(path, "tokens", NumberKind::count, get, help, rank);
}
constexpr auto parameters(std::string_view path, auto get, std::string_view help,
                          Rank rank = Rank::rest) {
  return number(path, "parameters", NumberKind::count, get, help, rank);
}
constexpr auto flop(std::string_view path, auto get, std::string_view help,
                    Rank rank = Rank::rest) {
  return number(path, "FLOP", NumberKind::number, get, help, rank);
}
constexpr auto bytes(std::string_view path, auto get, std::string_view help,
                     Rank rank = Rank::rest) {
  return number(path, "bytes", NumberKind::bytes, get, help, rank);
}

/// Text, unknown if it is empty. It has to outlive the row, so it is no temporary.
template <class F>
constexpr Column<SubjectOf<F>> string(std::string_view path, F get, std::string_view help,
                                      Rank rank = Rank::rest, std::string_view title = {}) {
  using Got = std::invoke_result_t<F, const SubjectOf<F>&>;
  static_assert(!std::is_same_v<Got, std::string>, "give a reference or a view: `-> auto&`");
  return of_kind(ColumnKind::text, path, get, help, rank, title);
}

/// Yes or no, from a bool or an optional number that is 0 or not.
template <class F>
constexpr Column<SubjectOf<F>> boolean(std::string_view path, F, std::string_view help,
                                       Rank rank = Rank::rest) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  const auto get = [](const SubjectOf<F>& subject) {
    return Value::boolean(to_double(F{}(subject)));
  };
  return of_kind(ColumnKind::boolean, path, get, help, rank);
}

/// A whole document, replayable or nested, which only JSON has.
template <class F>
constexpr Column<SubjectOf<F>> raw_json(std::string_view path, F, std::string_view help) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  const auto get = [](const SubjectOf<F>& subject) { return Value::json(F{}(subject)); };
  return of_kind(ColumnKind::json, path, get, help);
}

/// A list of rows, each with the columns of `Table`. The getter returns a range or a pointer to it.
template <auto Table, class F>
constexpr Column<SubjectOf<F>> list(std::string_view path, F, std::string_view help) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  Column<SubjectOf<F>> out;
  static_cast<ColumnInfo&>(out) = {path, ColumnKind::list, {}, NumberKind::number, Better::neither,
                                   help};
  out.items = []() -> const ColumnTable& { return Table(); };
  out.list = [](const SubjectOf<F>& subject, std::uint32_t, RowSink& sink) {
    const auto& table = Table();
    const auto& rows = F{}(subject);
    if constexpr (Nullable<std::remove_cvref_t<decltype(rows)>>) {
      if (!rows) return;
      for (const auto& row : *rows) sink.row(record_of(table, row));
    } else {
      for (const auto& row : rows) sink.row(record_of(table, row));
    }
  };
  return out;
}

/// Calls `take` with a part of the subject and a column of its table, if there is a part.
template <auto Table, auto... Path>
void visit_part(const auto& subject, std::uint32_t arg, auto take) {
  const auto& part = follow<Path...>(subject);
  const auto& column = Table()[arg];
  if constexpr (Nullable<std::remove_cvref_t<decltype(part)>>) {
    if (part) take(*part, column);
  } else {
    take(part, column);
  }
}

template <bool kOptional, auto Table, auto First, auto... Rest>
constexpr auto part_entry(std::string_view name) {
  using T = typename Start<decltype(First)>::type;
  Column<T> out;
  out.path = name;
  out.expand = [](Columns<T>& table, const Column<T>& entry) {
    table.template add_part<Table, First, Rest...>(entry, kOptional);
  };
  return out;
}
/// The columns of a part, `name` and a dot before their paths: `part<cost_columns, &Run::cost>`.
template <auto... Path>
constexpr auto part(std::string_view name) {
  return part_entry<false, Path...>(name);
}
/// The columns of a part that is null in JSON if all of it is unknown.
template <auto... Path>
constexpr auto optional_part(std::string_view name) {
  return part_entry<true, Path...>(name);
}

/// The columns of one role of a part, under their own paths.
template <auto Table, auto First, auto... Rest>
constexpr auto pick(ColumnRole role) {
  using T = typename Start<decltype(First)>::type;
  Column<T> out;
  out.role = role;
  out.expand = [](Columns<T>& table, const Column<T>& entry) {
    table.template pick<Table, First, Rest...>(
        [&](const ColumnInfo& column) { return column.role == entry.role; });
  };
  return out;
}

/// The version of the program that answered.
template <class T>
constexpr Column<T> version_of() {
  const auto get = [](const T&) { return trcost_version(); };
  return string("trcost_version", get, "of the program that answered");
}

/// The two columns that every document begins with.
template <class T>
constexpr Column<T> versions() {
  Column<T> out;
  out.expand = [](Columns<T>& table, const Column<T>&) {
    const auto schema = [](const T&) { return kSchemaVersion; };
    table.add({string("schema_version", schema, "of the document; a minor step only adds"),
               version_of<T>()});
  };
  return out;
}

/// The date of the prices that an answer was made with.
constexpr auto price_date(auto get) {
  return string("price_data_date", get, "of the price book").as(ColumnRole::price_date);
}

}  // namespace column

template <class T>
template <auto Table, auto... Path>
Column<T> Columns<T>::column_of_part(std::size_t index) {
  const auto& source = Table()[index];
  Column<T> out;
  static_cast<ColumnInfo&>(out) = source;
  out.arg = static_cast<std::uint32_t>(index);
  if (source.get != nullptr) {
    out.get = [](const T& subject, std::uint32_t arg) {
      Value value;
      column::visit_part<Table, Path...>(
          subject, arg, [&](const auto& part, const auto& of) { value = of.get(part, of.arg); });
      return value;
    };
  } else {
    out.list = [](const T& subject, std::uint32_t arg, RowSink& sink) {
      column::visit_part<Table, Path...>(
          subject, arg, [&](const auto& part, const auto& of) { of.list(part, of.arg, sink); });
    };
  }
  if (source.words != nullptr) {
    out.words = [](const T& subject, std::uint32_t arg) {
      std::string words;
      column::visit_part<Table, Path...>(
          subject, arg, [&](const auto& part, const auto& of) { words = of.words(part, of.arg); });
      return words;
    };
  }
  return out;
}

template <class T>
template <auto Table, auto... Path>
void Columns<T>::add_part(const Column<T>& entry, bool optional) {
  const auto& table = Table();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string_view path = table[i].path;
    Column<T> column = column_of_part<Table, Path...>(i);
    column.path = own(entry.path, path);
    column.after_rows |= entry.after_rows;
    if (column.rank == Rank::key) column.rank = Rank::rest;  // it names the part, not the row
    columns_.push_back(column);
    const std::size_t dot = path.rfind('.');
    if (dot != std::string_view::npos && table.is_optional(path.substr(0, dot))) {
      optional_.push_back(own(entry.path, path.substr(0, dot)));
    }
  }
  if (optional) optional_.push_back(own(entry.path, {}));
}

template <class T>
template <auto Table, auto... Path>
void Columns<T>::pick(std::predicate<const ColumnInfo&> auto keep) {
  for (std::size_t i = 0; i < Table().size(); ++i) {
    if (keep(Table()[i])) columns_.push_back(column_of_part<Table, Path...>(i));
  }
}

template <class T>
void Columns<T>::gather() {
  const auto group = [](const Column<T>& column) {
    return column.path.substr(0, column.path.find('.'));
  };
  std::vector<Column<T>> ordered;
  for (const Column<T>& first : columns_) {
    const auto same = [&](const Column<T>& other) { return group(other) == group(first); };
    if (std::any_of(ordered.begin(), ordered.end(), same)) continue;
    std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(ordered), same);
  }
  columns_ = std::move(ordered);
}

/// Rows of nothing but a text: an array of strings in JSON.
const Columns<std::string>& text_columns();

/// A kind of answer: its table, and the list of it that CSV and JSON Lines have a line for.
template <class T>
struct Subject {
  std::string_view name;  ///< heads pages and files, such as `memory`
  const Columns<T>& (*columns)();
  std::string_view rows;  ///< such as `items`, or `platforms/experiments` for a list within a list
};

}  // namespace trcost::text
