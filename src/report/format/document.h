// SPDX-License-Identifier: Apache-2.0
// An answer on its way out: its columns for machines, its Page for people.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "report/workbook/calculation.h"
#include "text/column.h"
#include "trcost/report.h"

namespace trcost::report {

/// Two columns of the rows as points.
struct Scatter {
  const ColumnInfo* x = nullptr;
  const ColumnInfo* y = nullptr;
};

struct Document {
  Record record;               ///< the subject beside its table; the subject has to outlive this
  std::string_view rows;       ///< the list of it that CSV, JSON Lines and workbooks have rows of
  std::function<Page()> page;  ///< made when a format for people asks for it
  /// The page of text, where that shows less than what is handed on.
  std::function<Page()> text_page = {};
  std::function<std::string()> below = {};  ///< what text says after the page
  std::string file = {};  ///< JSON that stands for the record where the answer is a file
  /// The page of a workbook, where its rows are too many to stand there twice.
  std::function<Page()> summary = {};
  /// The sheet of a workbook that computes, where the answer has one.
  std::function<Calculation()> budget = {};
  std::optional<Scatter> scatter = {};     ///< beside the rows of a workbook
  std::shared_ptr<const void> keeps = {};  ///< what `record` looks at, where nobody else has it
  bool scalars_beside = true;  ///< the rows of a workbook have the document's scalars beside
  std::string scenario = {};   ///< JSON that gives the same answer with --scenario; may be empty
  std::string command = {};    ///< as it was typed, for files that are handed on
};

template <class T>
Document document_of(const Subject<T>& subject, const T& answer, std::function<Page()> page) {
  return {record_of(subject.columns(), answer), subject.rows, std::move(page), {}};
}

/// Throws Error (data) for a number that is not finite; Error (usage) for a workbook with more rows
/// than a sheet holds.
std::string render(const Document& document, Format format, const Style& style = {});

}  // namespace trcost::report
