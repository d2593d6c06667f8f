// SPDX-License-Identifier: Apache-2.0
#include "text/unicode.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "trcost/error.h"

namespace trcost::text {
namespace {

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
    if (text[at] >= 0x20 && text[at] < 0x7F) {
      ++at;
      continue;
    }
    const CodePoint point = first_code_point(text.substr(at));
    if (is(point)) return at;
    at += point.bytes;
  }
  return std::nullopt;
}

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

constexpr std::string_view kSaveAsUtf8 =
    "save it as UTF-8 (a spreadsheet: \"CSV UTF-8\"), or convert it: "
    "iconv -f WINDOWS-1252 -t UTF-8 FILE";

[[noreturn]] void refuse_encoding(std::string message, const std::string& origin,
                                  std::string_view hint = kSaveAsUtf8) {
  throw Error(ErrorKind::data, std::move(message), std::string(hint), origin);
}

// RFC 2781; `bytes` without the mark.
std::string from_utf16(std::string_view bytes, bool big_endian, const std::string& origin) {
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    if (at + 1 >= bytes.size()) return 0;
    const std::uint32_t first = static_cast<unsigned char>(bytes[at]);
    const std::uint32_t second = static_cast<unsigned char>(bytes[at + 1]);
    return big_endian ? first << 8U | second : second << 8U | first;
  };
  const auto is_high = [](std::uint32_t u) { return u >= 0xD800 && u <= 0xDBFF; };
  const auto is_low = [](std::uint32_t u) { return u >= 0xDC00 && u <= 0xDFFF; };
  if (bytes.size() % 2 != 0) refuse_encoding("UTF-16 text that ends within a character", origin);
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    std::uint32_t value = unit(at);
    if (is_high(value) && is_low(unit(at + 2))) {
      value = 0x10000 + ((value - 0xD800) << 10U) + (unit(at + 2) - 0xDC00);
      at += 2;
    } else if (is_high(value) || is_low(value)) {
      refuse_encoding(fmt::format("{}: half a UTF-16 character", line_and_column(out, out.size())),
                      origin);
    }
    append_utf8(out, value);
  }
  return out;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  utf8proc_int32_t value = 0;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (bytes < 0) return {lead, 1, false};
  return {static_cast<std::uint32_t>(value), static_cast<std::size_t>(bytes)};
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t count =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  out.append(bytes.begin(), bytes.begin() + count);
}

int code_point_width(std::uint32_t code_point) {
  return utf8proc_charwidth(static_cast<utf8proc_int32_t>(code_point));
}

bool is_unprintable(std::uint32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      break;
  }
  // Properties that utf8proc lacks: Bidi_Control (PropList.txt of Unicode 15), and noncharacters.
  const auto within = [&](std::uint32_t first, std::uint32_t last) {
    return code_point >= first && code_point <= last;
  };
  return code_point == 0x061C || within(0x200E, 0x200F) || within(0x202A, 0x202E) ||
         within(0x2066, 0x2069) || within(0xFDD0, 0xFDEF) || (code_point & 0xFFFEU) == 0xFFFEU;
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
  constexpr std::string_view kBreaks = "\n\r\t";
  std::string out = printable(text, kBreaks);
  std::ranges::replace_if(
      out, [&](char c) { return kBreaks.find(c) != kBreaks.npos; }, ' ');
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

std::string decode_text(std::string bytes, const std::string& origin) {
  const std::string_view text = bytes;
  if (text.starts_with(kUtf8Mark)) {
    bytes.erase(0, kUtf8Mark.size());
  } else if (text.starts_with(std::string_view("\xFF\xFE\0\0", 4)) ||
             text.starts_with(std::string_view("\0\0\xFE\xFF", 4))) {
    refuse_encoding("the file is UTF-32 text", origin);
  } else if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    bytes = from_utf16(text.substr(2), text.front() == '\xFE', origin);
  }
  if (const auto bad = first_bad_byte(bytes)) {
    refuse_encoding(
        fmt::format("{}: the byte {:#04x} is not UTF-8 text", line_and_column(bytes, *bad),
                    static_cast<unsigned>(static_cast<unsigned char>(bytes[*bad]))),
        origin);
  }
  if (const std::size_t nul = bytes.find('\0'); nul != std::string::npos) {
    refuse_encoding(fmt::format("{}: a NUL byte, which no text has", line_and_column(bytes, nul)),
                    origin, "a text file is expected: is this the right file?");
  }
  return bytes;
}

}  // namespace trcost::text
