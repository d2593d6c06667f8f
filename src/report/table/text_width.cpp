// SPDX-License-Identifier: Apache-2.0
#include "report/table/text_width.h"

#include <cstddef>

#include "text/unicode.h"

namespace trcost::report {
namespace {

constexpr char kEscape = '\x1b';

// A byte that is not UTF-8 is shown as one character.
int code_width(const CodePoint& point) {
  return point.valid ? code_point_width(point.value) : 1;
}

// Bytes of a colour sequence (ESC [ ... m) at the start, 0 if there is none.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != kEscape || text[1] != '[') return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

// Bytes of the longest start of `text` that takes at most `width` columns.
std::size_t prefix_of_width(std::string_view text, int width) {
  std::size_t at = 0;
  int used = 0;
  while (at < text.size()) {
    if (const std::size_t escape = escape_length(text.substr(at)); escape > 0) {
      at += escape;
      continue;
    }
    const CodePoint point = first_code_point(text.substr(at));
    used += code_width(point);
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
    width += code_width(point);
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
  while (true) {
    std::size_t fits = prefix_of_width(text, width);
    if (fits == text.size()) break;
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

}  // namespace trcost::report
