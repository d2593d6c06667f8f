// SPDX-License-Identifier: Apache-2.0
// CSV and JSON Lines: one line per row of the list that a subject is about.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/column.h"

namespace trcost {

/// One cell of each line: whose column it is. Level 0 is the document, the last one the row.
struct RowCell {
  std::size_t level = 0;
  std::size_t column = 0;
  const ColumnInfo* info = nullptr;
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
  void add(const RowCell& cell);

  std::vector<std::size_t> lists_;  ///< column of the list, per level
  std::vector<RowCell> cells_;
};

/// Appends a value as a CSV cell; nothing where it is unknown.
void append_csv(std::string& out, const Value& value, std::string_view what);
/// Appends a value in JSON.
void append_json(std::string& out, const Value& value, std::string_view what);

/// The header and LF.
void append_csv_header(std::string& out, const RowPlan& plan);
/// A line; `way` holds the records from the document to the row.
void append_csv_row(std::string& out, const RowPlan& plan, std::span<const Record> way);
void append_jsonl_row(std::string& out, const RowPlan& plan, std::span<const Record> way);

std::string csv_document(const Record& record, std::string_view rows);
std::string jsonl_document(const Record& record, std::string_view rows);

}  // namespace trcost
