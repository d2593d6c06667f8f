// SPDX-License-Identifier: Apache-2.0
// What an answer says, for machines: one table of columns per subject, which every writer reads.
//
// A subject is any type T. Its table is a `Columns<T>`, made once:
//
//   const Columns<Serving>& serving_columns() {
//     static const Columns<Serving> table = [] {
//       Columns<Serving> t;
//       t.add({column::text("accelerator", name_of, "catalog name", Rank::key),
//              column::number("gpus", "accelerators", NumberKind::integer,
//                             [](const Serving& s) { return s.gpus; }, "of one replica")});
//       t.lift<[](const Serving& s) { return &s.memory; }, memory_use_columns>("memory");
//       t.add({column::list<assumption_columns>("assumptions", assumed, "what was open")});
//       return t;
//     }();
//     return table;
//   }
//
// JSON is the columns nested by their paths (write_record); CSV and JSON Lines are the same columns
// under dotted names, a line per row of the list that the subject is about (RowWriter). So the
// names of both agree by construction. Nothing is built in between: values come from the getters.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
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

/// One figure of a T, or a list of rows of it.
template <class T>
struct Column : ColumnInfo {
  Value (*get)(const T&, std::uint32_t arg) = nullptr;  ///< null for a list
  std::uint32_t arg =
      0;  ///< handed to the getter: of a lifted column its place in the part's table
  void (*list)(const T&, std::uint32_t arg, RowSink&) = nullptr;
  /// What people read beside other answers, where that is more than the value.
  std::string (*words)(const T&, std::uint32_t arg) = nullptr;

  [[nodiscard]] Value value(const T& subject) const { return get(subject, arg); }
  /// The number, or nothing where it is unknown; of a boolean 0 or 1.
  [[nodiscard]] std::optional<double> number(const T& subject) const {
    const Value value = get(subject, arg);
    if (value.kind != Value::Kind::number && value.kind != Value::Kind::boolean)
      return std::nullopt;
    return value.number;
  }
  /// The text, empty where it is unknown; points into the subject.
  [[nodiscard]] std::string_view text(const T& subject) const { return get(subject, arg).text; }
};

/// The columns of a T, in the order of its JSON document. Columns of one object stand together.
template <class T>
class Columns final : public ColumnTable {
 public:
  Columns() = default;
  Columns(std::initializer_list<Column<T>> columns) : columns_(columns) {}

  Columns& add(std::span<const Column<T>> columns) {
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    return *this;
  }
  Columns& add(std::initializer_list<Column<T>> columns) {
    return add(std::span(columns.begin(), columns.size()));
  }
  /// The columns of a part, `name` and a dot before their paths. `Part` takes a T and gives a
  /// pointer to the part (null where there is none), or an optional of it. `optional`: null in JSON
  /// where all of it is unknown.
  template <auto Part, auto Table>
  Columns& lift(std::string_view name, bool optional = false);

  /// Those columns of a part that `keep` takes, under their own paths.
  template <auto Part, auto Table, class Keep>
  requires std::predicate<Keep, const ColumnInfo&> Columns& pick(Keep keep);
  /// Those of these roles, role by role.
  template <auto Part, auto Table>
  Columns& pick(std::initializer_list<ColumnRole> roles);
  /// A column whose name is made at run time; `arg` is handed to its getter.
  Columns& add_named(Column<T> column, std::string_view path, std::uint32_t arg) {
    column.path = own(path, {});
    column.arg = arg;
    columns_.push_back(column);
    return *this;
  }
  /// Brings columns of one object together, in the order of their first ones.
  Columns& gather();

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
  /// Gives the object of this path null where all that stands in it is unknown.
  Columns& make_optional(std::string_view group) {
    optional_.push_back(group);
    return *this;
  }
  /// Known only when the last row has passed: all columns whose paths begin so.
  Columns& make_after_rows(std::string_view prefix) {
    for (Column<T>& column : columns_) column.after_rows |= column.path.starts_with(prefix);
    return *this;
  }

 private:
  std::string_view own(std::string_view prefix, std::string_view path) {
    std::string& text = names_.emplace_back(prefix);
    if (!path.empty()) text += '.';
    text += path;
    return text;
  }

  std::vector<Column<T>> columns_;
  std::deque<std::string> names_;  // of lifted columns; never moved
};

template <class T>
Record record_of(const Columns<T>& table, const T& subject) {
  return {table, &subject};
}

template <class T>
template <auto Part, auto Table>
Columns<T>& Columns<T>::lift(std::string_view name, bool optional) {
  const auto& part = Table();
  for (std::size_t i = 0; i < part.size(); ++i) {
    Column<T> column;
    static_cast<ColumnInfo&>(column) = part.info(i);
    column.path = own(name, part[i].path);
    if (column.rank == Rank::key) column.rank = Rank::rest;  // it names the part, not the row
    column.arg = static_cast<std::uint32_t>(i);
    if (part[i].get != nullptr) {
      column.get = [](const T& subject, std::uint32_t arg) -> Value {
        const auto& of = Part(subject);
        if (!of) return {};
        const auto& lifted = Table()[arg];
        return lifted.get(*of, lifted.arg);
      };
      if (part[i].words != nullptr) {
        column.words = [](const T& subject, std::uint32_t arg) {
          const auto& of = Part(subject);
          const auto& lifted = Table()[arg];
          return of ? lifted.words(*of, lifted.arg) : std::string();
        };
      }
    } else {
      column.list = [](const T& subject, std::uint32_t arg, RowSink& sink) {
        const auto& of = Part(subject);
        if (!of) return;
        const auto& lifted = Table()[arg];
        lifted.list(*of, lifted.arg, sink);
      };
    }
    columns_.push_back(column);
    const std::size_t dot = part[i].path.rfind('.');
    if (dot != std::string_view::npos && part.is_optional(part[i].path.substr(0, dot))) {
      optional_.push_back(own(name, part[i].path.substr(0, dot)));
    }
  }
  if (optional) optional_.push_back(own(name, {}));
  return *this;
}

template <class T>
template <auto Part, auto Table, class Keep>
requires std::predicate<Keep, const ColumnInfo&> Columns<T>
&Columns<T>::pick(Keep keep) {
  const auto& part = Table();
  for (std::size_t at = 0; at < part.size(); ++at) {
    if (!keep(part[at])) continue;
    Column<T> column;
    static_cast<ColumnInfo&>(column) = part.info(at);
    column.arg = static_cast<std::uint32_t>(at);
    column.get = [](const T& subject, std::uint32_t arg) -> Value {
      const auto& of = Part(subject);
      if (!of) return {};
      const auto& picked = Table()[arg];
      return picked.get(*of, picked.arg);
    };
    columns_.push_back(column);
  }
  return *this;
}

template <class T>
template <auto Part, auto Table>
Columns<T>& Columns<T>::pick(std::initializer_list<ColumnRole> roles) {
  for (const ColumnRole role : roles) {
    pick<Part, Table>([role](const ColumnInfo& column) { return column.role == role; });
  }
  return *this;
}

template <class T>
Columns<T>& Columns<T>::gather() {
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
  return *this;
}

/// Makers of columns. A getter is a lambda without captures; what it takes says what T is.
namespace column {

template <class F>
struct Taken;
template <class C, class R, class T>
struct Taken<R (C::*)(const T&) const> {
  using type = T;
};
/// The T that a lambda takes.
template <class F>
using SubjectOf = typename Taken<decltype(&F::operator())>::type;

/// A number or an optional one; every arithmetic type will do.
template <class F>
constexpr Column<SubjectOf<F>> number(std::string_view path, std::string_view unit,
                                      NumberKind display, Better better, F, std::string_view help,
                                      Rank rank = Rank::rest, std::string_view title = {}) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  Column<SubjectOf<F>> out;
  static_cast<ColumnInfo&>(out) = {path, ColumnKind::number, unit, display, better, help, rank,
                                   title};
  out.get = [](const SubjectOf<F>& subject, std::uint32_t) -> Value {
    const auto value = F{}(subject);
    if constexpr (std::is_arithmetic_v<decltype(value)>) {
      return Value(static_cast<double>(value));
    } else {
      if (!value) return {};
      return Value(static_cast<double>(*value));
    }
  };
  return out;
}

template <class F>
constexpr Column<SubjectOf<F>> number(std::string_view path, std::string_view unit,
                                      NumberKind display, F get, std::string_view help,
                                      Rank rank = Rank::rest, std::string_view title = {}) {
  return number(path, unit, display, Better::neither, get, help, rank, title);
}

/// A number without a unit.
template <class F>
constexpr Column<SubjectOf<F>> plain(std::string_view path, F get, std::string_view help,
                                     Rank rank = Rank::rest) {
  return number(path, "", NumberKind::number, get, help, rank);
}

/// A fraction between 0 and 1.
template <class F>
constexpr Column<SubjectOf<F>> share(std::string_view path, F get, std::string_view help,
                                     Rank rank = Rank::rest) {
  return number(path, "", NumberKind::fraction, get, help, rank);
}

/// A whole number without a unit.
template <class F>
constexpr Column<SubjectOf<F>> integer(std::string_view path, F get, std::string_view help,
                                       Rank rank = Rank::rest) {
  return number(path, "", NumberKind::integer, get, help, rank);
}

/// A column whose getter gives a Value.
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

/// Text, unknown where it is empty. It has to outlive the row: no temporary.
template <class F>
constexpr Column<SubjectOf<F>> text(std::string_view path, F get, std::string_view help,
                                    Rank rank = Rank::rest, std::string_view title = {}) {
  using Got = decltype(get(std::declval<const SubjectOf<F>&>()));
  static_assert(!std::is_same_v<Got, std::string>, "give a reference or a view: `-> auto&`");
  return of_kind(ColumnKind::text, path, get, help, rank, title);
}

/// Yes or no; the getter gives a bool, or an optional number that is 0 or not.
template <class F>
constexpr Column<SubjectOf<F>> boolean(std::string_view path, F, std::string_view help,
                                       Rank rank = Rank::rest, std::string_view title = {}) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  return of_kind(
      ColumnKind::boolean, path,
      [](const SubjectOf<F>& subject) { return Value::boolean(F{}(subject)); }, help, rank, title);
}

/// A whole document, replayable or nested; stands in JSON only.
template <class F>
constexpr Column<SubjectOf<F>> json(std::string_view path, F, std::string_view help) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  return of_kind(
      ColumnKind::json, path, [](const SubjectOf<F>& subject) { return Value::json(F{}(subject)); },
      help);
}

/// A list of rows, each with the columns of `Table`. The getter gives a range.
template <auto Table, class F>
constexpr Column<SubjectOf<F>> list(std::string_view path, F, std::string_view help) {
  static_assert(std::is_empty_v<F>, "a getter captures nothing");
  Column<SubjectOf<F>> out;
  static_cast<ColumnInfo&>(out) = {path, ColumnKind::list, {}, NumberKind::number, Better::neither,
                                   help};
  out.items = []() -> const ColumnTable& { return Table(); };
  out.list = [](const SubjectOf<F>& subject, std::uint32_t, RowSink& sink) {
    const auto& table = Table();
    for (const auto& each : F{}(subject)) sink.row(record_of(table, each));
  };
  return out;
}

/// The same, as what code asks for.
template <class T>
constexpr Column<T> as(ColumnRole role, Column<T> column) {
  column.role = role;
  return column;
}

/// The program that answered.
template <class T>
constexpr Column<T> version_of() {
  return text(
      "trcost_version", [](const T&) { return trcost_version(); }, "of the program that answered");
}

/// What every document begins with.
template <class T>
constexpr std::array<Column<T>, 2> versions() {
  return {text(
              "schema_version", [](const T&) { return kSchemaVersion; },
              "of the document; a minor step only adds"),
          version_of<T>()};
}

/// The same, where it follows from the price of an hour.
template <class T>
constexpr Column<T> priced(Column<T> column) {
  column.priced = true;
  return column;
}

/// The date of the prices that an answer was made with.
template <class F>
constexpr Column<SubjectOf<F>> price_date(F get) {
  return as(ColumnRole::price_date, text("price_data_date", get, "of the price book"));
}

/// The same, as people read it beside other answers.
template <class T>
constexpr Column<T> shown(Beside beside, Column<T> column) {
  column.beside = beside;
  return column;
}

/// The same, where people read more than the value.
template <class T, class F>
constexpr Column<T> shown(Beside beside, F, Column<T> column) {
  static_assert(std::is_empty_v<F>, "words capture nothing");
  column.beside = beside;
  column.words = [](const T& subject, std::uint32_t) -> std::string { return F{}(subject); };
  return column;
}

/// The same, where the last row is passed before the value is known.
template <class T>
constexpr Column<T> after_rows(Column<T> column) {
  column.after_rows = true;
  return column;
}

}  // namespace column

/// Rows that are nothing but a text: an array of strings in JSON.
const Columns<std::string>& text_columns();

/// A subject: its table, and the list of it that CSV and JSON Lines have a line for.
template <class T>
struct Subject {
  std::string_view name;  ///< `memory`: heads pages and files
  const Columns<T>& (*columns)();
  std::string_view rows;  ///< `items`; a list within a list: `platforms/experiments`
};

}  // namespace trcost::text
