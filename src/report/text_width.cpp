// SPDX-License-Identifier: Apache-2.0
#include "report/text_width.h"

#include <cstddef>
#include <cstdint>

#include "text/unicode.h"

namespace trcost {
namespace {

constexpr char kEscape = '\x1b';

struct Interval {
  std::uint32_t first;
  std::uint32_t last;
};

// Combining marks and invisible characters (Unicode 15, categories Mn, Me, Cf; the common blocks).
constexpr Interval kZeroWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
                                   {0x0610, 0x061A}, {0x064B, 0x065F}, {0x200B, 0x200F},
                                   {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20F0},
                                   {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
// East Asian Wide and Fullwidth (Unicode 15, EastAsianWidth.txt; the common blocks).
constexpr Interval kDoubleWidth[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
                                     {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
                                     {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                     {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                     {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool in(const Interval (&intervals)[N], std::uint32_t value) {
  for (const Interval& interval : intervals) {
    if (value >= interval.first && value <= interval.last) return true;
  }
  return false;
}

int code_point_width(std::uint32_t value) {
  if (value < 0x300) return 1;
  if (in(kZeroWidth, value)) return 0;
  return in(kDoubleWidth, value) ? 2 : 1;
}

// Length of a colour sequence (ESC [ ... m) at the start, 0 when there is none.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != kEscape || text[1] != '[') return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

// The longest start of `text` that takes at most `width` columns, in bytes.
std::size_t prefix_of_width(std::string_view text, int width) {
  std::size_t at = 0;
  int used = 0;
  while (at < text.size()) {
    if (const std::size_t escape = escape_length(text.substr(at)); escape > 0) {
      at += escape;
      continue;
    }
    const CodePoint point = first_code_point(text.substr(at));
    used += code_point_width(point.value);
    if (used > width) break;
    at += point.bytes;
  }
  return at;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    if (const std::size_t escape = escape_length(text); escape > 0) {
      text.remove_prefix(escape);
      continue;
    }
    const CodePoint point = first_code_point(text);
    width += code_point_width(point.value);
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string cut_to_width(std::string_view text, int width, bool unicode) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view ellipsis = unicode ? "\u2026" : "...";
  const int room = width - display_width(ellipsis);
  if (room <= 0) return std::string(text.substr(0, prefix_of_width(text, width)));
  std::string_view kept = text.substr(0, prefix_of_width(text, room));
  while (kept.ends_with(' ')) kept.remove_suffix(1);
  return std::string(kept) + std::string(ellipsis);
}

std::vector<std::string> wrap_to_width(std::string_view text, int width) {
  if (width < 1) width = 1;
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    std::size_t fits = prefix_of_width(text, width);
    if (fits == 0) fits = first_code_point(text).bytes;
    std::size_t end = text.rfind(' ', fits);
    if (end == std::string_view::npos || end == 0) end = fits;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string pad_right(std::string_view text, int width) {
  std::string out(text);
  const int missing = width - display_width(text);
  if (missing > 0) out.append(static_cast<std::size_t>(missing), ' ');
  return out;
}

std::string pad_left(std::string_view text, int width) {
  const int missing = width - display_width(text);
  return std::string(static_cast<std::size_t>(missing > 0 ? missing : 0), ' ') + std::string(text);
}

std::string paint(std::string_view text, Ink ink, const Style& style) {
  if (!style.color || ink == Ink::plain || text.empty()) return std::string(text);
  std::string_view code;
  switch (ink) {
    case Ink::bold:
      code = "1";
      break;
    case Ink::dim:
      code = "2";
      break;
    case Ink::heading:
      code = "1;36";
      break;
    case Ink::good:
      code = "1;32";
      break;
    case Ink::warn:
      code = "33";
      break;
    case Ink::accent:
      code = "36";
      break;
    case Ink::plain:
      break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace trcost
