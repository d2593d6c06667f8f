// SPDX-License-Identifier: Apache-2.0
// What a format's file gives: how it writes a whole document, and where it can the rows of one as
// they come.
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
  /// Empty where a document is made of all its rows together.
  const RowWriter* rows = nullptr;
  /// Of those, the most rows that one has, and what they stand in.
  std::uint64_t most_rows = 0;
  std::string_view within = {};
};

/// Rows of a table that anybody reads.
inline constexpr std::uint64_t kMostTableRows = 100'000;

#define TRCOST_FORMAT(id, ...) extern const FormatWriter id##_format;
#include "trcost/formats.def"
#undef TRCOST_FORMAT

const FormatWriter& format_writer(Format format);

/// A document of nothing but its rows.
template <const RowWriter& kRows>
std::string rows_of(const Document& document, const Style&) {
  return rows_document(kRows, document.record, document.rows);
}

}  // namespace trcost::report
