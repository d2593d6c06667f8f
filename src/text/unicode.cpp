// SPDX-License-Identifier: Apache-2.0
#include "text/unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace trcost {
namespace {

struct Interval {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode 15: general category Cc; Bidi_Control (PropList.txt); categories Zl and Zp; noncharacters
// below the last two of each plane.
constexpr Interval kUnprintable[] = {{0x0000, 0x001F}, {0x007F, 0x009F}, {0x061C, 0x061C},
                                     {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
                                     {0xFDD0, 0xFDEF}};

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F;
}

void append_escape(std::string& out, const CodePoint& point) {
  if (!point.valid || point.value < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", point.value);
  } else if (point.value < 0x10000) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", point.value);
  } else {
    fmt::format_to(std::back_inserter(out), "\\U{:08x}", point.value);
  }
}

template <class Is>
std::optional<std::size_t> find_first(std::string_view text, const Is& is) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_plain(text[at])) {
      ++at;
      continue;
    }
    const CodePoint point = first_code_point(text.substr(at));
    if (is(point)) return at;
    at += point.bytes;
  }
  return std::nullopt;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const auto low = [&](std::size_t i) { return byte(i) & 0x3FU; };
  const std::uint32_t lead = byte(0);
  const CodePoint bad{lead, 1, false};
  if (lead < 0x80) return {lead, 1};
  if (lead >= 0xC2 && lead <= 0xDF && tail(1)) return {(lead & 0x1FU) << 6U | low(1), 2};
  if (lead >= 0xE0 && lead <= 0xEF && tail(1) && tail(2)) {
    const std::uint32_t value = (lead & 0x0FU) << 12U | low(1) << 6U | low(2);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    return value < 0x800 || surrogate ? bad : CodePoint{value, 3};
  }
  if (lead >= 0xF0 && lead <= 0xF4 && tail(1) && tail(2) && tail(3)) {
    const std::uint32_t value = (lead & 0x07U) << 18U | low(1) << 12U | low(2) << 6U | low(3);
    return value < 0x10000 || value > 0x10FFFF ? bad : CodePoint{value, 4};
  }
  return bad;
}

bool is_unprintable(std::uint32_t code_point) {
  if ((code_point & 0xFFFEU) == 0xFFFEU) return true;  // the last two of each plane
  return std::ranges::any_of(kUnprintable, [&](const Interval& interval) {
    return code_point >= interval.first && code_point <= interval.last;
  });
}

std::optional<std::size_t> first_bad_byte(std::string_view text) {
  return find_first(text, [](const CodePoint& point) { return !point.valid; });
}

std::optional<std::size_t> first_unprintable(std::string_view text) {
  return find_first(
      text, [](const CodePoint& point) { return !point.valid || is_unprintable(point.value); });
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const bool keep = kept.find(text.front()) != std::string_view::npos;
    if (keep || (point.valid && !is_unprintable(point.value))) {
      out += text.substr(0, point.bytes);
    } else {
      append_escape(out, point);
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string printable_line(std::string_view text) {
  std::string out = printable(text, "\n\r\t");
  std::ranges::replace_if(
      out, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return out;
}

std::string line_and_column(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  const auto line = std::ranges::count(before, '\n') + 1;
  std::string_view rest = before.substr(before.rfind('\n') + 1);
  std::size_t column = 1;
  for (; !rest.empty(); ++column) rest.remove_prefix(first_code_point(rest).bytes);
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace trcost
