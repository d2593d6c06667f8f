// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "catch.h"
#include "error_message.h"
#include "prices/price_fixture.h"
#include "prices/rows/price_reader.h"

using namespace trcost;

namespace {

constexpr const char* kFile = R"({"schema_version": "1.0", "source": "a page", "date": "2026-05",
  "prices": [{"provider": "A", "provider_class": "specialist", "accelerator": "h100-sxm",
              "region": "all", "commitment": "on-demand", "usd_per_gpu_hour": %s}]})";

std::string file_with(const std::string& price) {
  std::string text = kFile;
  return text.replace(text.find("%s"), 2, price);
}

std::string price_file_error(const std::string& text) {
  return message_of([&] { parse_price_file(text, "x.json", "2026-10-26"); });
}

}  // namespace

TEST_CASE("reads dates of a day, month, half-year or year", "[prices]") {
  CHECK(parse_price_date("2025-H2", "x").last == "2025-12-31");
  CHECK(parse_price_date("2024-02", "x").last == "2024-02-29");
  CHECK(parse_price_date("2026", "x").first == "2026-01-01");
  CHECK(parse_price_date("2026-10-26", "x").first == "2026-10-26");
  CHECK(parse_price_date("", "x").first.empty());
  for (const char* bad :
       {"2025-H3", "2025-13", "2025-02-30", "yesterday", "26-10-2026", "2025-1"}) {
    CHECK_FALSE(message_of([&] { parse_price_date(bad, "x"); }).empty());
  }
}

TEST_CASE("rejects price files with wrong values or keys", "[prices]") {
  CHECK(parse_price_file(file_with("2.5"), "x.json", "2026-10-26").rows.front().median == 2.5);
  CHECK(has_text(price_file_error(file_with("-2.5")), "above 0"));
  CHECK(has_text(price_file_error(file_with("0")), "above 0"));
  CHECK(has_text(price_file_error(file_with("1e400")), "x.json"));
  CHECK(has_text(price_file_error(file_with(R"({"low": 3, "median": 2, "high": 4})")), "swapped"));
  CHECK(has_text(price_file_error(file_with(R"({"low": 1, "median": 2})")), "high"));
  std::string future = file_with("2");
  future.replace(future.find("2026-05"), 7, "2026-12");
  CHECK(has_text(price_file_error(future), "after the book's date"));
  std::string twice = file_with("2");
  const std::size_t begin = twice.find("{\"provider\"");
  const std::string entry = twice.substr(begin, twice.find("}]") + 1 - begin);
  twice.insert(begin, entry + ", ");
  CHECK(has_text(price_file_error(twice), "duplicate"));
  std::string nameless = file_with("2");
  nameless.replace(nameless.find("\"source\": \"a page\", "), 20, "");
  CHECK(has_text(price_file_error(nameless), "source"));
  std::string misspelt = file_with("2");
  misspelt.replace(misspelt.find("commitment"), 10, "comitment");
  CHECK_FALSE(price_file_error(misspelt).empty());
}
