// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "trcost/columns.h"

namespace trcost {

/// Appends text as one CSV cell (RFC 4180): quoted when it holds a comma, a quote or a line break;
/// an apostrophe is put before text that a spreadsheet would run as a formula (first character
/// = + - @, tab or CR). What is unprintable but white space is written out, like \x1b.
void append_csv_text(std::string& out, std::string_view text);
/// Appends a number as format_exact writes it; throws Error (data) naming `what` when not finite.
void append_csv_number(std::string& out, double value, std::string_view what);
/// The columns' paths, separated by commas, without a line end.
void append_csv_header_cells(std::string& out, std::span<const Column* const> columns);
/// The cells of one estimate, without a line end; empty for unknown, `true`/`false`.
void append_csv_cells(std::string& out, const Estimate& estimate,
                      std::span<const Column* const> columns);
/// The same with LF at the end.
void append_csv_header(std::string& out, std::span<const Column* const> columns);
void append_csv_row(std::string& out, const Estimate& estimate,
                    std::span<const Column* const> columns);

/// Appends a number; throws Error (data) naming `what` when it is not finite.
void append_json_number(std::string& out, double value, std::string_view what);
/// `"path":value,...` of one estimate without braces, null for unknown, for rows that begin with
/// other members.
void append_json_members(std::string& out, const Estimate& estimate,
                         std::span<const Column* const> columns);
/// One line of JSON Lines: a flat object with the columns' paths as keys, and LF.
void append_jsonl_row(std::string& out, const Estimate& estimate,
                      std::span<const Column* const> columns);

}  // namespace trcost
