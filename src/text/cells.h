// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::text {

/// Appends text as one CSV cell (RFC 4180): quoted when it holds a comma, a quote or a line break;
/// an apostrophe is put before text that a spreadsheet would run as a formula (first character
/// = + - @, tab or CR). What is unprintable but white space is written out, like \x1b.
void append_csv_text(std::string& out, std::string_view text);
/// Appends a number as format_exact writes it; throws Error (data) naming `what` when not finite.
void append_csv_number(std::string& out, double value, std::string_view what);
/// Appends a number; throws Error (data) naming `what` when it is not finite.
void append_json_number(std::string& out, double value, std::string_view what);

}  // namespace trcost::text
