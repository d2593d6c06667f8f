// SPDX-License-Identifier: Apache-2.0
// Formats that write a subject row by row, a row per item of the list that it is about.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "text/column.h"

namespace trcost::json {

/// One cell of each row: its column. Level 0 is the document, the last level the row.
struct RowCell {
  std::size_t level = 0;
  std::size_t column = 0;
  const ColumnInfo* info = nullptr;
  std::string key = {};  ///< `"path":`, as flat JSON has it
};

/// The way from a document to its rows, and the cells of their lines: what names the rows around,
/// the row's own columns, then the scalars beside, nearest first. A name stands once: the nearest
/// one's. Lists, documents within the document and what is known only after the rows stand in JSON
/// alone.
class RowPlan {
 public:
  /// `rows`: the list, `platforms/experiments` where it is within another. `all` false leaves out
  /// the scalars that name nothing.
  RowPlan(const ColumnTable& document, std::string_view rows, bool all = true);

  [[nodiscard]] const std::vector<RowCell>& cells() const { return cells_; }
  [[nodiscard]] std::size_t depth() const { return lists_.size(); }
  /// The document's column that holds the rows, or the list around them.
  [[nodiscard]] std::size_t list() const { return lists_.front(); }

  /// Calls `take(std::span<const Record>)` with the records from the document to the row.
  template <class Take>
  void each(const Record& document, Take take) const {
    std::vector<Record> way = {document};
    descend(way, take);
  }

 private:
  template <class Take>
  void descend(std::vector<Record>& way, Take& take) const {
    if (way.size() > lists_.size()) {
      take(std::span<const Record>(way));
      return;
    }
    const Record here = way.back();
    each_row(here, lists_[way.size() - 1], [&](const Record& row) {
      way.push_back(row);
      descend(way, take);
      way.pop_back();
    });
  }
  void add_level(const ColumnTable& table, std::size_t level, bool keys);
  void add(RowCell cell);

  std::vector<std::size_t> lists_;  ///< column of the list, per level
  std::vector<RowCell> cells_;
};

/// Functions with which a format writes rows. They keep no state, so that several threads may make
/// rows. `way` holds the records from the document to the row.
struct RowWriter {
  /// Writes what precedes the rows, from the columns known by then.
  void (*open)(std::string& out, const RowPlan& plan, const Record& document);
  void (*row)(std::string& out, const RowPlan& plan, std::span<const Record> way);
  /// Writes a value in a row's form. `what` names it in the Error (data) for a number that is not
  /// finite.
  void (*cell)(std::string& out, const Value& value, std::string_view what);
  /// Splits a line that row() wrote, without its end, into cells in the plan's order. False for
  /// another line. Null if a row is more than a line.
  bool (*split)(std::string_view line, const RowPlan& plan,
                std::vector<std::string_view>& cells) = nullptr;
  /// Writes what follows the rows. `any` is true if there was one.
  void (*close)(std::string& out, const RowPlan& plan, const Record& document, bool any) = nullptr;
  std::string_view between = {};  ///< stands before every row but the first
};

/// Appends a value as a CSV cell, nothing if it is unknown.
void append_csv(std::string& out, const Value& value, std::string_view what);
/// Appends a value in JSON.
void append_json(std::string& out, const Value& value, std::string_view what);
/// Appends a row as one object on one line, under dotted names.
void append_flat_object(std::string& out, const RowPlan& plan, std::span<const Record> way);

/// A whole document of nothing but its rows.
std::string rows_document(const RowWriter& writer, const Record& record, std::string_view rows);

}  // namespace trcost::json
