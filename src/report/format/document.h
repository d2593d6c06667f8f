// SPDX-License-Identifier: Apache-2.0
// An answer to be written: its columns for machines and its Page for people.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "text/column.h"
#include "trcost/report.h"

namespace trcost::report {

class Calculation;

struct Document {
  Record record;               ///< the answer with its table; the answer has to outlive this
  std::string_view rows;       ///< path of the list that CSV, JSON Lines and workbooks have rows of
  std::function<Page()> page;  ///< called by formats for people
  /// Page of text, if that shows less than the other formats.
  std::function<Page()> text_page = {};
  std::function<std::string()> below = {};  ///< text after the page, in text only
  std::string file = {};  ///< replaces the record's JSON if the answer is a file of the catalog
  /// Page of a workbook, if its rows are too many to repeat there.
  std::function<Page()> summary = {};
  /// Sheet of live formulas of a workbook.
  std::function<Calculation()> budget = {};
  std::optional<Curve> chart = {};         ///< on a sheet of its own
  std::shared_ptr<const void> owned = {};  ///< subject of `record`, if nothing else owns it
  /// The answer of formats that consist of rows, if those have more rows than the JSON's list.
  std::optional<Record> lines = {};
  bool scalars_in_rows = true;  ///< rows of a workbook repeat the scalars of the document
  std::string scenario = {};    ///< JSON that gives the same answer with --scenario, or empty
  std::string command = {};     ///< command line, for documents that are handed on
};

template <class T>
Document document_of(const Subject<T>& subject, const T& answer, std::function<Page()> page) {
  return {record_of(subject.columns(), answer), subject.rows, std::move(page), {}};
}

/// Writes a document. Throws Error (data) for a number that is not finite, and Error (usage) for a
/// workbook with more rows than a sheet has, or in a build without workbooks.
std::string render(const Document& document, Format format, const Style& style = {});

}  // namespace trcost::report
