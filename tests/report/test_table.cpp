// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.h"
#include "json/json_writer.h"
#include "report/about/documents.h"
#include "report/lines.h"
#include "report/table/markup.h"
#include "report/table/table.h"
#include "report/table/text_width.h"
#include "text/csv.h"
#include "text/unicode.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

Table sample_table() {
  Table table({{"Name", "name", Align::left, Overflow::keep},
               {"Price", "price_usd", Align::right, Overflow::keep},
               {"Fits", "fits", Align::left, Overflow::keep},
               {"Note", "note", Align::left, Overflow::wrap}});
  table.add_row({"a", Cell::number(2.5, NumberKind::money), Cell::boolean(true), "short"});
  table.add_rule();
  table.add_row({"longer-name", Cell::unknown(), Cell::boolean(false),
                 "a note of many words that has to be broken into several lines to fit"});
  return table;
}

std::string as(Format format, const Table& table) {
  return render(table_document(table, "items"), format);
}

}  // namespace

TEST_CASE("text width counts columns, not bytes", "[report]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\u2026") == 1);
  CHECK(display_width("\u6a21\u578b") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("\x1b[1;32mgo\x1b[0m") == 2);
  CHECK(display_width("\xff\xfe") == 2);
  CHECK(cut_to_width("abcdefgh", 5, true) == "abcd\u2026");
  CHECK(cut_to_width("abcdefgh", 5, false) == "ab...");
  CHECK(cut_to_width("\u6a21\u578b\u6a21", 4, true) == "\u6a21\u2026");
  CHECK(printable_line("a\x1b[31mb\nc") == "a\\x1b[31mb c");
}

TEST_CASE("wrapping keeps every word and the width", "[report]") {
  const std::string text = "one two three-and-a-very-long-word four";
  for (int width = 1; width < 45; ++width) {
    std::string joined;
    for (const std::string& line : wrap_to_width(text, width)) {
      CHECK(display_width(line) <= width);
      joined += line;
    }
    std::erase(joined, ' ');
    CHECK(joined == "onetwothree-and-a-very-long-wordfour");
  }
}

TEST_CASE("a text table aligns its columns and keeps to the width", "[report]") {
  const std::string text = text_table(sample_table(), {false, 60, false});
  const auto lines = lines_of(text);
  CHECK(lines[0].starts_with("Name         Price  Fits  Note"));
  CHECK(lines[2] == "a            $2.50  yes   short");
  CHECK(text.find("n/a") != std::string::npos);
  for (const std::string& line : lines) CHECK(display_width(line) <= 60);
  for (const int width : {46, 50, 80, 100}) {
    for (const std::string& line : lines_of(text_table(sample_table(), {false, width, true}))) {
      CHECK(display_width(line) <= width);
    }
  }
}

TEST_CASE("colour never changes the text", "[report]") {
  CHECK(text_table(sample_table(), {false, 80, true}).find('\x1b') == std::string::npos);
  std::string coloured = text_table(sample_table(), {true, 80, true});
  CHECK(coloured.find('\x1b') != std::string::npos);
  while (true) {
    const std::size_t start = coloured.find('\x1b');
    if (start == std::string::npos) break;
    coloured.erase(start, coloured.find('m', start) - start + 1);
  }
  CHECK(coloured == text_table(sample_table(), {false, 80, true}));
}

TEST_CASE("a narrow table drops optional columns and counts them", "[report]") {
  std::vector<TableColumn> columns;
  std::vector<Cell> row;
  for (int i = 0; i < 20; ++i) {
    columns.push_back({"column-" + std::to_string(i), "", Align::right,
                       i == 0 ? Overflow::keep : Overflow::drop});
    row.push_back(Cell::number(i, NumberKind::integer));
  }
  Table table(columns);
  table.add_row(row);
  const std::string text = text_table(table, {false, 80, true});
  for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= 80);
  CHECK(text.find("column-0") != std::string::npos);
  CHECK(text.find("column-19") == std::string::npos);
  CHECK(text.find("more columns") != std::string::npos);
  CHECK(lines_of(as(Format::csv, table))[1] ==
        "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,1.2," + std::string(trcost_version()));
}

TEST_CASE("a table that is too wide becomes records of title and text", "[report]") {
  for (const int width : {24, 30}) {
    const std::string text = text_table(sample_table(), {false, width, true});
    for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= width);
    CHECK(text.find("Name   a\nPrice  $2.50\nFits   yes\nNote   short\n\n") == 0);
    CHECK(text.find("Name   longer-name\n") != std::string::npos);
  }
}

TEST_CASE("CSV and JSON have exact values, and empty or null for unknown ones", "[report]") {
  const auto document = nlohmann::json::parse(as(Format::json, sample_table()));
  CHECK(document["schema_version"] == "1.2");
  CHECK(document["items"].size() == 2);
  CHECK(document["items"][0]["price_usd"] == 2.5);
  CHECK(document["items"][0]["fits"] == true);
  CHECK(document["items"][1]["price_usd"].is_null());
  const auto lines = lines_of(as(Format::csv, sample_table()));
  CHECK(lines[0] == "name,price_usd,fits,note,schema_version,trcost_version");
  CHECK(lines[1].starts_with("a,2.5,true,short,1.2,"));
  CHECK(lines[2].starts_with("longer-name,,false,"));
  for (const std::string& line : lines_of(as(Format::jsonl, sample_table()))) {
    CHECK(nlohmann::json::parse(line).is_object());
  }
  Table broken({{"x", "", Align::right, Overflow::keep}});
  broken.add_row({Cell::number(std::numeric_limits<double>::infinity(), NumberKind::number)});
  CHECK_THROWS_AS(as(Format::csv, broken), Error);
  CHECK_THROWS_AS(as(Format::json, broken), Error);
}

TEST_CASE("markup is escaped", "[report]") {
  Table table({{"x", "", Align::left, Overflow::keep}});
  table.add_row({"<b>&|\n`"});
  CHECK(markdown_table(table).find("\\<b\\>&\\| \\`") != std::string::npos);
  CHECK(as(Format::html, table).find("&lt;b&gt;&amp;|") != std::string::npos);
}

TEST_CASE("CSV text is quoted and cannot become a formula", "[report]") {
  const auto csv = [](std::string_view text) {
    std::string out;
    append_csv_text(out, text);
    return out;
  };
  CHECK(csv("plain") == "plain");
  CHECK(csv("") == "");
  CHECK(csv("a,b") == "\"a,b\"");
  CHECK(csv("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv("two\nlines") == "\"two\nlines\"");
  CHECK(csv("cr\rhere") == "\"cr\rhere\"");
  CHECK(csv("=1+1") == "'=1+1");
  CHECK(csv("+x") == "'+x");
  CHECK(csv("-x") == "'-x");
  CHECK(csv("@x") == "'@x");
  CHECK(csv("  =x") == "'  =x");
  CHECK(csv("\uff1dx") == "'\uff1dx");
  CHECK(csv(" \uff20x") == "' \uff20x");
  CHECK(csv(" x = 1") == " x = 1");
  CHECK(csv("\tx") == "'\tx");
  CHECK(csv("\rx") == "\"'\rx\"");
  CHECK(csv("=HYPERLINK(\"http://x\",\"y\")") == "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
}

TEST_CASE("JSON text survives any bytes", "[report]") {
  const auto round_trip = [](std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return nlohmann::json::parse(out).get<std::string>();
  };
  const std::string every = "quote\" back\\ tab\t nl\n bell\x07 del\x7f \u00e9 \u6a21 \U0001F600";
  CHECK(round_trip(every) == every);
  CHECK(round_trip("\xff") == "\uFFFD");
  CHECK(round_trip("a\xc3") == "a\uFFFD");
  CHECK(round_trip("\xed\xa0\x80z").ends_with("z"));
}

TEST_CASE("a file extension selects its format", "[report]") {
  for (const FormatInfo& info : formats()) {
    CHECK(&format_info(info.format) == &info);
    CHECK(format_from_extension("out/x." + std::string(info.extension())) == info.format);
  }
  CHECK_FALSE(format_from_extension("out.d/plain").has_value());
  CHECK_FALSE(format_from_extension(".csv").has_value());
}

TEST_CASE("cut cells keep rows distinct", "[report][table]") {
  Table table(
      {{.title = "which", .overflow = Overflow::cut}, {.title = "rows", .align = Align::right}});
  table.add_row({"MaxText on TPU v5e, version one", "11"});
  table.add_row({"MaxText on TPU v5e, version two", "12"});
  table.add_row({"another source with a long name", "13"});
  Style style;
  style.width = 20;
  const std::string text = text_table(table, style);
  CHECK(text.find("\none") != std::string::npos);
  CHECK(text.find("\ntwo") != std::string::npos);
  CHECK(text.find("long name") == std::string::npos);  // no other row begins like it
}
