// SPDX-License-Identifier: Apache-2.0
#include "trcost/numbers.h"

#include <cmath>

#include "catch.h"
#include "trcost/error.h"
#include "trcost/version.h"

using namespace trcost;

TEST_CASE("numbers for people round before they choose digits and unit", "[quantity]") {
  CHECK(format_number(9.9997e9, NumberKind::count) == "10.0B");
  CHECK(format_number(9.994e9, NumberKind::count) == "9.99B");
  CHECK(format_number(9.9996e8, NumberKind::count) == "1.00B");
  CHECK(format_number(0.09996, NumberKind::number) == "0.100");
  CHECK(format_number(99.96e9, NumberKind::bytes) == "100 GB");
  CHECK(format_number(0.99996, NumberKind::fraction) == "100%");
}

TEST_CASE("numbers of any size stay short enough to be read", "[quantity]") {
  CHECK(format_number(3e13, NumberKind::money) == "$30.0T");
  CHECK(format_number(9.996e11, NumberKind::money) == "$1.00T");
  CHECK(format_number(2e17, NumberKind::money) == "$2.00e+17");
  CHECK(format_number(1.6e17, NumberKind::bytes) == "160 PB");
  CHECK(format_number(3.16e7 * 1e20, NumberKind::duration) == "1.00e+20 y");
  CHECK(format_number(5.57e-8, NumberKind::money) == "$5.57e-08");
  CHECK(format_number(0.000014, NumberKind::money) == "$0.0000140");
  constexpr std::size_t kLongest = 16;
  for (const NumberKind kind :
       {NumberKind::count, NumberKind::integer, NumberKind::bytes, NumberKind::rate,
        NumberKind::duration, NumberKind::money, NumberKind::fraction, NumberKind::number}) {
    for (int exponent = -300; exponent <= 300; ++exponent) {
      const double value = std::pow(10.0, exponent) * 1.2345678;
      CAPTURE(value);
      CHECK(format_number(value, kind).size() <= kLongest);
    }
  }
}

TEST_CASE("a bandwidth is read in bytes and bits per second", "[quantity]") {
  for (const char* text :
       {"50e9", "50GB/s", "50 GB/s", "50GBps", "400Gb/s", "400Gbps", "400 Gbit/s"}) {
    CAPTURE(text);
    CHECK(parse_number(text, NumberKind::rate) == 50e9);
  }
  CHECK_THROWS_AS(parse_number("400Gx/s", NumberKind::rate), Error);
}

TEST_CASE("a count keeps its fraction, as a file does", "[quantity]") {
  CHECK(parse_number("664546199092.1808", NumberKind::count) == 664546199092.1808);
  CHECK(parse_number("16.6T", NumberKind::count) == 16.6e12);
  CHECK(parse_number("2.3B", NumberKind::count) == 2.3e9);
}

TEST_CASE("documents of this schema and of earlier ones are read", "[quantity]") {
  CHECK(reads_schema("1.0"));
  CHECK(reads_schema(kSchemaVersion));
  for (const char* version : {"", "1", "1.", "1.x", "1.99", "2.0", "0.9", "11.0", "1.0.1"}) {
    CAPTURE(version);
    CHECK_FALSE(reads_schema(version));
  }
}
