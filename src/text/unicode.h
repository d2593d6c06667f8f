// SPDX-License-Identifier: Apache-2.0
// UTF-8, and what of Unicode is not for show. All text that comes in (arguments, files, names of
// files) is decided on here, and so is what goes to a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::text {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
  bool valid = true;  ///< else `value` is a byte that is not UTF-8
};

/// The code point at the start of a text that is not empty (RFC 3629: no overlong forms, no
/// surrogates, at most U+10FFFF).
CodePoint first_code_point(std::string_view text);
/// Appends the UTF-8 of a code point.
void append_utf8(std::string& out, std::uint32_t code_point);

/// Columns that a code point takes on a terminal: 2 where it is East Asian wide, an emoji or full
/// width, 0 where it is a mark on the one before, or not for show, else 1.
int code_point_width(std::uint32_t code_point);

/// Whether a code point is not for show: a terminal acts on it (C0, DEL, C1), it reorders or breaks
/// lines unseen (Unicode's Bidi_Control, U+2028, U+2029), or no text may hold it (noncharacters,
/// which XML forbids).
bool is_unprintable(std::uint32_t code_point);

/// Position of the first byte that is not UTF-8.
std::optional<std::size_t> first_bad_byte(std::string_view text);
/// Position of the first byte that is not UTF-8 or begins something unprintable.
std::optional<std::size_t> first_unprintable(std::string_view text);

/// The text with everything that is unprintable, or no UTF-8, written out: \x1b, \u202e. What is in
/// `kept` stays.
std::string printable(std::string_view text, std::string_view kept = {});
/// The same on one line: line ends and tabs are spaces.
std::string printable_line(std::string_view text);

/// `line 3, column 7`, counted in code points from 1.
std::string line_and_column(std::string_view text, std::size_t position);

/// Text of a file as UTF-8: without a byte order mark, and from UTF-16 where such a mark says so.
/// Throws Error (data) that names line and column of what is neither.
std::string decode_text(std::string bytes, const std::string& origin);

}  // namespace trcost::text
