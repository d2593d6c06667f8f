// SPDX-License-Identifier: Apache-2.0
// A table of columns without the type of its subject: what writers, schemas and help read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "trcost/numbers.h"

namespace trcost::text {

/// One value on its way from a getter to a writer. Text points into what it was taken from.
struct Value {
  enum class Kind : std::uint8_t {
    unknown,  ///< null in JSON, empty in CSV, `n/a` for people; never 0
    number,
    boolean,
    text,
    size,  ///< width and height: `[672, 448]` in JSON, `672x448` in CSV
    json,  ///< text that is JSON already; stands in JSON only
  };
  Kind kind = Kind::unknown;
  double number = 0;  ///< boolean: 0 or 1; size: the width
  double other = 0;   ///< size: the height
  std::string_view text = {};

  Value() = default;
  Value(double value) : kind(Kind::number), number(value) {}  // NOLINT(google-explicit-constructor)
  Value(std::optional<double> value) {                        // NOLINT(google-explicit-constructor)
    if (value) *this = Value(*value);
  }
  /// Empty text is unknown.
  Value(std::string_view value)  // NOLINT(google-explicit-constructor)
      : kind(value.empty() ? Kind::unknown : Kind::text), text(value) {}
  static Value boolean(std::optional<double> value) {
    Value out(value);
    if (value) out.kind = Kind::boolean;
    return out;
  }
  static Value size(double width, double height) {
    Value out(width);
    out.kind = Kind::size;
    out.other = height;
    return out;
  }
  static Value json(std::string_view document) {
    Value out(document);
    out.kind = Kind::json;
    return out;
  }
  [[nodiscard]] bool known() const { return kind != Kind::unknown; }
};

/// `mixed`: text in one row, a number in another.
enum class ColumnKind : std::uint8_t { number, text, boolean, size, json, list, mixed };
/// The direction in which a result is better, for frontiers and for marking the best.
enum class Better : std::uint8_t { neither, lower, higher };
/// The importance of a column. A table that shows a part of the columns chooses by rank.
enum class Rank : std::uint8_t {
  key,    ///< names the row
  first,  ///< the answer: what a narrow table shows
  main,   ///< most of what there is to say
  rest,   ///< everything else
};

/// The figures of an answer that code asks for by what they are.
enum class ColumnRole : std::uint8_t {
  none,
  platform,      ///< the accelerator that the answer is of
  system,        ///< that it lives in
  gpus,          ///< of the cluster
  precision,     ///< of the matmuls
  params,        ///< of the whole model
  model_flops,   ///< of the whole training
  mfu,           ///< of the peak of that precision
  gpu_hours,     ///< paid for
  wall_clock,    ///< from start to end
  energy,        ///< electricity of it all
  carbon,        ///< CO2 of that electricity
  total,         ///< dollars of it all
  price,         ///< of an accelerator's hour
  rent,          ///< dollars of the cluster alone
  price_origin,  ///< where the price of an hour is from: several
  price_date,    ///< of the price book
};

/// Where people read a column of answers that stand beside each other.
struct Beside {
  /// `at`: the order, 0 where the column is not there.
  struct Place {
    std::uint8_t at = 0;
    std::string_view label = {};  ///< the column's heading where empty
  };
  Place line = {};   ///< where an answer is a column of figures: each ten is a group of lines
  Place brief = {};  ///< where it is a line of them: from ten on, what a narrow page can do without
  /// main: with details; a text also where answers differ in it. rest: where an answer has it.
  Rank rank = Rank::first;
  std::string_view unknown = {};  ///< stands for a text that is unknown

  static constexpr std::uint8_t kGroup = 10;
  [[nodiscard]] constexpr std::size_t group() const { return line.at / kGroup; }
  [[nodiscard]] constexpr bool may_go() const { return brief.at >= kGroup; }
};

class ColumnTable;

/// Meaning of a column, for help, schemas, tables and the row writers.
struct ColumnInfo {
  std::string_view path;  ///< `performance.mfu`: where it stands in the JSON document
  ColumnKind kind = ColumnKind::number;
  std::string_view unit;  ///< of the number, base units; empty for plain numbers and text
  NumberKind display = NumberKind::number;  ///< how people read the number
  Better better = Better::neither;
  std::string_view help;  ///< one line
  Rank rank = Rank::rest;
  std::string_view title = {};  ///< heads a table for people; the path's last part where empty
  /// Known only when the last row has passed, so that no row can have it beside.
  bool after_rows = false;
  bool priced = false;    ///< follows from the price of an hour: imputed where that is
  bool of_range = false;  ///< known only where a range is asked for
  ColumnRole role = ColumnRole::none;
  Beside beside = {};
  bool flat = false;                        ///< of a list: JSON has its rows as JSON Lines has them
  const ColumnTable& (*items)() = nullptr;  ///< of a list: the columns of its rows
  const ColumnTable* own_items = nullptr;   ///< the same, where they were made at run time

  /// The title, or the last part of the path.
  [[nodiscard]] std::string_view heading() const;
};

class Record;
/// Takes the rows of a list, one after another; a row is valid during the call.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void row(const Record& row) = 0;
};

/// A table of columns without its type.
class ColumnTable {
 public:
  virtual ~ColumnTable() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual const ColumnInfo& info(std::size_t column) const = 0;
  [[nodiscard]] virtual Value value(const void* subject, std::size_t column) const = 0;
  virtual void rows(const void* subject, std::size_t column, RowSink& sink) const = 0;
  /// The columns of the rows of a list.
  [[nodiscard]] virtual const ColumnTable& items(std::size_t column) const {
    const ColumnInfo& list = info(column);
    return list.own_items != nullptr ? *list.own_items : list.items();
  }

  /// The column of this path, or size().
  [[nodiscard]] std::size_t find(std::string_view path) const;
  /// The first column of this role, or size().
  [[nodiscard]] std::size_t find(ColumnRole role) const;
  /// Whether the object of this path is null where all that stands in it is unknown.
  [[nodiscard]] bool is_optional(std::string_view group) const;

 protected:
  std::vector<std::string_view> optional_;
};

/// A subject beside its table, without its type; as small as a pointer or two, valid as long as the
/// subject.
class Record {
 public:
  Record(const ColumnTable& table, const void* subject) : table_(&table), subject_(subject) {}
  [[nodiscard]] const ColumnTable& table() const { return *table_; }
  [[nodiscard]] Value value(std::size_t column) const { return table_->value(subject_, column); }
  void rows(std::size_t column, RowSink& sink) const { table_->rows(subject_, column, sink); }

 private:
  const ColumnTable* table_;
  const void* subject_;
};

/// Calls `take(const Record&)` for every row.
template <class Take>
class RowTaker final : public RowSink {
 public:
  explicit RowTaker(Take take) : take_(std::move(take)) {}
  void row(const Record& row) override { take_(row); }

 private:
  Take take_;
};

/// Visits every row of the list `column`.
template <class Take>
void each_row(const Record& record, std::size_t column, Take take) {
  RowTaker taker(std::move(take));
  record.rows(column, taker);
}

}  // namespace trcost::text
