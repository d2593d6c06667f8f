// SPDX-License-Identifier: Apache-2.0
#include "text/csv.h"

#include "catch.h"
#include "trcost/error.h"

using namespace trcost;

TEST_CASE("cells are read as RFC 4180 has them") {
  const CsvTable table("a,b,c\r\n1,\"x, \"\"y\"\"\",\r\n\n\"two\nlines\",pre\"fix\"ed,3", "t.csv");
  REQUIRE(table.rows() == 2);
  CHECK(table.columns() == std::vector<std::string>{"a", "b", "c"});
  CHECK(table.text(0, "b") == "x, \"y\"");
  CHECK(table.text(0, "c").empty());
  CHECK_FALSE(table.number(0, "c").has_value());
  CHECK(table.text(1, "a") == "two\nlines");
  CHECK(table.text(1, "b") == "prefixed");
  CHECK(table.required_number(1, "c") == 3);
  CHECK(table.line(0) == 2);
  CHECK(table.line(1) == 4);
}

TEST_CASE("malformed tables are refused with file and line") {
  const auto location = [](std::string_view text) {
    try {
      CsvTable(text, "t.csv");
    } catch (const Error& error) {
      return error.location;
    }
    return std::string();
  };
  CHECK(location("a,b\n1,2\n\"3,4\n5,6\n") == "t.csv:3");
  CHECK(location("a\n\"") == "t.csv:2");
  CHECK(location("a,b\n\"1\n\",2\n3\n") == "t.csv:4");
  CHECK(location("a,b\n1,2,3\n") == "t.csv:2");
  CHECK(location("a,b\n") == "t.csv");
  CHECK(location(std::string(10000, ',') + "\n") == "t.csv:1");
  CHECK(location("").empty());
}
