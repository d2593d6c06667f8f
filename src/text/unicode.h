// SPDX-License-Identifier: Apache-2.0
// UTF-8 and unprintable characters, for all text that comes in (arguments, files, names of files)
// or goes to a terminal.
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

/// Columns of a code point on a terminal: 2 if it is East Asian wide, an emoji or full width, 0 if
/// it is a mark on the one before or unprintable, else 1.
int code_point_width(std::uint32_t code_point);

/// True for a code point that a terminal acts on (C0, DEL, C1), that reorders or breaks lines
/// unseen (Unicode's Bidi_Control, U+2028, U+2029), or that no text may hold (noncharacters, which
/// XML forbids).
bool is_unprintable(std::uint32_t code_point);

/// Position of the first byte that is not UTF-8.
std::optional<std::size_t> first_bad_byte(std::string_view text);
/// Position of the first byte that is not UTF-8 or begins something unprintable.
std::optional<std::size_t> first_unprintable(std::string_view text);

/// The text with unprintable characters and bytes that are not UTF-8 written out: \x1b, \u202e.
/// Characters in `kept` stay.
std::string printable(std::string_view text, std::string_view kept = {});
/// printable() on one line: line ends and tabs become spaces.
std::string printable_line(std::string_view text);

/// `line 3, column 7`, counted in code points from 1.
std::string line_and_column(std::string_view text, std::size_t position);

/// Text of a file as UTF-8, without a byte order mark, and converted from UTF-16 if such a mark
/// says so. Throws Error (data) with line and column for anything else.
std::string decode_text(std::string bytes, const std::string& origin);

}  // namespace trcost::text
