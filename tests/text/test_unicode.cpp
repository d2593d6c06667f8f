// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "catch.h"
#include "json/json_writer.h"
#include "text/unicode.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

std::string refusal(const std::string& bytes) {
  try {
    decode_text(bytes, "file.csv");
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

std::string utf16(std::u16string_view text, bool big_endian) {
  std::string out = big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    out += big_endian ? high : low;
    out += big_endian ? low : high;
  }
  return out;
}

}  // namespace

TEST_CASE("UTF-8 is read as RFC 3629 has it", "[text]") {
  // The ends of each length's range (RFC 3629, section 3).
  const std::vector<std::pair<std::string, std::uint32_t>> good = {{"\x7F", 0x7F},
                                                                   {"\xC2\x80", 0x80},
                                                                   {"\xDF\xBF", 0x7FF},
                                                                   {"\xE0\xA0\x80", 0x800},
                                                                   {"\xED\x9F\xBF", 0xD7FF},
                                                                   {"\xEE\x80\x80", 0xE000},
                                                                   {"\xEF\xBF\xBF", 0xFFFF},
                                                                   {"\xF0\x90\x80\x80", 0x10000},
                                                                   {"\xF4\x8F\xBF\xBF", 0x10FFFF}};
  for (const auto& [bytes, value] : good) {
    const CodePoint point = first_code_point(bytes);
    CHECK(point.valid);
    CHECK(point.value == value);
    CHECK(point.bytes == bytes.size());
    std::string again;
    append_utf8(again, value);
    CHECK(again == bytes);
  }
  // Overlong forms, surrogates, beyond U+10FFFF, lone tails, cut sequences, bytes of no sequence.
  for (const char* bytes : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
                            "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80",
                            "\xC2", "\xE2\x82", "\xF0\x9F\x98", "\xFF"}) {
    CHECK_FALSE(first_code_point(bytes).valid);
    CHECK(first_code_point(bytes).bytes == 1);
    CHECK(first_bad_byte(std::string("ab") + bytes) == 2U);
  }
}

TEST_CASE("what a terminal obeys is written out, and nothing else is", "[text]") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("\xC2\x9B"
                  "2J") == "\\u009b2J");
  CHECK(printable("\u202Egnp.exe") == "\\u202egnp.exe");
  CHECK(printable("\u2066x\u2069 \u200F \u061C \u2028") ==
        "\\u2066x\\u2069 \\u200f \\u061c \\u2028");
  CHECK(printable("\uFFFF \U0001FFFE") == "\\uffff \\U0001fffe");
  CHECK(printable("S\xE3o") == "S\\xe3o");
  CHECK(printable("a\nb\x7F", "\n") == "a\nb\\x7f");
  CHECK(printable_line("a\nb\tc\rd") == "a b c d");
  for (const char* text : {"S\u00E3o Paulo", "\u4E2D\u6587", "\u05E9\u05DC\u05D5\u05DD",
                           "\U0001F600", "e\u0301", "~ !\"#"}) {
    CHECK(printable(text) == text);
    CHECK_FALSE(first_unprintable(text));
  }
}

// Unicode 15: 65 of category Cc, 12 of Bidi_Control, one each of Zl and Zp, 66 noncharacters.
TEST_CASE("of all code points 145 are not for show", "[text]") {
  int count = 0;
  for (std::uint32_t point = 0; point <= 0x10FFFF; ++point) count += is_unprintable(point);
  CHECK(count == 65 + 12 + 2 + 66);
}

TEST_CASE("a terminal gives a character no column, one or two", "[text]") {
  // EastAsianWidth.txt: W and F; ambiguous ones are narrow outside East Asian text.
  for (const std::uint32_t wide :
       {0x1100U, 0x3042U, 0x4E2DU, 0xAC00U, 0xFF21U, 0x1F600U, 0x1FAE0U, 0x20000U}) {
    CHECK(code_point_width(wide) == 2);
  }
  // Letters, symbols and lines of tables.
  for (const std::uint32_t narrow :
       {0x41U, 0xE9U, 0x3B1U, 0x5D0U, 0x905U, 0x2026U, 0x2500U, 0x258FU, 0xFF71U}) {
    CHECK(code_point_width(narrow) == 1);
  }
  // Marks on the letter before: accents, points of Hebrew, Arabic and Devanagari; joiners.
  for (const std::uint32_t mark : {0x301U, 0x5BFU, 0x670U, 0x94DU, 0x20D7U, 0xFE0FU, 0x200DU}) {
    CHECK(code_point_width(mark) == 0);
  }
}

TEST_CASE("no byte string leaves anything unprintable, and all of them end", "[text]") {
  std::uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 24; ++i) {
      state = state * 1664525U + 1013904223U;
      bytes += static_cast<char>(state >> 24U);
    }
    CHECK_FALSE(first_unprintable(printable(bytes)));
    CHECK_FALSE(first_unprintable(printable_line(bytes)));
    CHECK_FALSE(first_unprintable(json_string(bytes)));
  }
}

TEST_CASE("a file's text is UTF-8, or UTF-16 that says so", "[text]") {
  CHECK(decode_text("\xEF\xBB\xBF{}", "f") == "{}");
  CHECK(decode_text("a,\xC3\xA9\r\n", "f") == "a,\xC3\xA9\r\n");
  CHECK(decode_text(utf16(u"{\u00E9 \u4E2D \U0001F600}", false), "f") ==
        "{\u00E9 \u4E2D \U0001F600}");
  CHECK(decode_text(utf16(u"{\u00E9 \u4E2D \U0001F600}", true), "f") ==
        "{\u00E9 \u4E2D \U0001F600}");
  CHECK(refusal("provider\nS\xE3o,1\n") == "line 2, column 2: the byte 0xe3 is not UTF-8 text");
  CHECK(refusal("\u00E9\u00E9\xFF") == "line 1, column 3: the byte 0xff is not UTF-8 text");
  CHECK(refusal(std::string("{}\0x", 4)) == "line 1, column 3: a NUL byte, which no text has");
  CHECK(refusal("\xFF\xFE{") == "UTF-16 text that ends within a character");
  CHECK(refusal(std::string("\xFF\xFE\x00\xD8", 4)) == "line 1, column 1: half a UTF-16 character");
  CHECK(refusal(std::string("\xFF\xFE\0\0{\0\0\0", 8)) == "the file is UTF-32 text");
}

TEST_CASE("JSON texts escape what is unprintable and lose nothing of UTF-8", "[text]") {
  CHECK(json_string("a\"\\\n\t\x1b") == R"("a\"\\\n\t\u001b")");
  CHECK(json_string("\xC2\x9B\u202E") == R"("\u009b\u202e")");
  CHECK(json_string("\U0001FFFF") == R"("\ud83f\udfff")");
  CHECK(json_string("\u00E9\u4E2D\U0001F600") == "\"\u00E9\u4E2D\U0001F600\"");
  CHECK(json_string("x\xCA") == "\"x\uFFFD\"");
}
