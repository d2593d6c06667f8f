// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "text/unicode.h"
#include "trcost/error.h"

namespace trcost::text {

namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

constexpr std::string_view kSaveAsUtf8 =
    "save it as UTF-8 (a spreadsheet: \"CSV UTF-8\"), or convert it: "
    "iconv -f WINDOWS-1252 -t UTF-8 FILE";

[[noreturn]] void refuse_encoding(std::string message, const std::string& origin,
                                  std::string_view hint = kSaveAsUtf8) {
  throw Error(ErrorKind::data, std::move(message), std::string(hint), origin);
}

bool is_high(std::uint32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool is_low(std::uint32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

// RFC 2781; `bytes` without the mark.
std::string from_utf16(std::string_view bytes, bool big_endian, const std::string& origin) {
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    if (at + 1 >= bytes.size()) return 0;
    const std::uint32_t first = static_cast<unsigned char>(bytes[at]);
    const std::uint32_t second = static_cast<unsigned char>(bytes[at + 1]);
    return big_endian ? first << 8U | second : second << 8U | first;
  };
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
