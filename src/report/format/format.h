// SPDX-License-Identifier: Apache-2.0
// The functions of a format: one that writes a whole document, and row functions if it can stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/row_writer.h"
#include "quantity/layers.h"
#include "report/format/document.h"

namespace trcost::report {

struct FormatWriter {
  std::string (*document)(const Document& document, const Style& style);
  const RowWriter* rows = nullptr;  ///< null if a document needs all of its rows together
  std::uint64_t most_rows = 0;      ///< limit of a format that does not stream
  std::string_view container = {};  ///< what `most_rows` is a limit of: `table`
};

/// Rows that a table for people may have.
inline constexpr std::uint64_t kMostTableRows = 100'000;

#define TRCOST_FORMAT(id, ...) extern const FormatWriter id##_format;
#include "trcost/formats.def"
#undef TRCOST_FORMAT

const FormatWriter& format_writer(Format format);

/// Writes a document that consists of its rows alone.
template <const RowWriter& kRows>
std::string rows_of(const Document& document, const Style&) {
  return rows_document(kRows, document.lines.value_or(document.record), document.rows);
}

}  // namespace trcost::report
