// SPDX-License-Identifier: Apache-2.0
// Number formats of a workbook.
#include "catch.h"
#include "report/workbook/cell_format.h"

using trcost::shown_number;

namespace {

void check_format(double value, const char* words, double cell, const char* format) {
  CAPTURE(value, words);
  const auto shown = shown_number(value, words);
  REQUIRE(shown);
  CHECK(shown->value == Approx(cell));
  CHECK(shown->format == format);
}

}  // namespace

TEST_CASE("a number of a page keeps its value and unit in a cell", "[workbook]") {
  check_format(84873, "$84.9k", 84873, "\"$\"#,##0");
  check_format(51123, "~$51.1k", 51123, "\"~$\"#,##0");
  check_format(-957926, "-$958k", -957926, "\"$\"#,##0");
  check_format(3.99, "$3.99", 3.99, "\"$\"#,##0.00");
  check_format(312e12, "312", 312, "#,##0");
  check_format(3.35e12, "3.35", 3.35, "#,##0.00");
  check_format(2376000, "27.5 d", 27.5, "#,##0.0\" d\"");
  check_format(3.49e6, "3.49 GWh", 3.49, "#,##0.00\" GWh\"");
  check_format(36902.4, "36,902", 36902.4, "#,##0");
  check_format(0.426, "42.6%", 0.426, "0.0%");
  check_format(0.66, "+66%", 0.66, "+0%;-0%");
  check_format(-0.05, "-5%", -0.05, "0%");
  check_format(1.32e22, "1.32e+22", 1.32e22, "0.00E+00");
  check_format(2e12, "2.00T", 2e12, "#,##0");
  check_format(0, "$0.00", 0, "\"$\"#,##0.00");
}

TEST_CASE("words with no number or several have no number format", "[workbook]") {
  CHECK_FALSE(shown_number(59e9, "59/81 GB"));
  CHECK_FALSE(shown_number(0, "none"));
}
