// SPDX-License-Identifier: Apache-2.0
// Two saved results: rows of the bill are found by what they are, not by how they are worded.
#include <string>

#include "catch.h"
#include "study/diff/diff.h"
#include "trcost/bill.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

// A saved result with these rows in its bill.
std::string saved(const std::string& items, double total = 10) {
  return R"({"schema_version": "1.1", "scenario": {}, "estimates": [{"accelerator": "h100-sxm",
    "cost": {"total": )" +
         std::to_string(total) + R"(, "items": [)" + items + "]}}]}";
}

std::string item(const std::string& identity, double amount) {
  return "{" + identity + R"(, "quantity": 5, "unit": "GPU-hour", "unit_price": 2, "amount": )" +
         std::to_string(amount) + "}";
}

DiffResult between(const std::string& a, const std::string& b) {
  return diff_results(a, "a", b, "b");
}

}  // namespace

TEST_CASE("rows of two bills are the same part of the same stage, whatever they are called",
          "[diff]") {
  const DiffResult result =
      between(saved(item(R"("item": "compute", "part": "compute")", 10)),
              saved(item(R"("item": "rented accelerators", "part": "compute")", 12)));
  REQUIRE(result.platforms.size() == 1);
  const std::vector<DiffRow>& rows = result.platforms.front().items;
  REQUIRE(rows.size() == 1);  // quantity and price are the same
  CHECK(rows.front().path == "compute");
  CHECK(*rows.front().change() == Approx(0.2));
}

TEST_CASE("a stage's row is not that of another one, nor of the whole", "[diff]") {
  const std::string plain = item(R"("item": "compute", "part": "compute")", 10);
  const std::string tuned =
      item(R"("item": "tune: compute", "part": "compute", "stage": "tune")", 10);
  const DiffResult result = between(saved(plain), saved(tuned));
  const std::vector<DiffRow>& rows = result.platforms.front().items;
  REQUIRE(rows.size() == 6);  // three figures that went, three that came
  CHECK(rows[0].path == "compute");
  CHECK(!rows[0].after.known);
  CHECK(rows[3].path == "tune: compute");
  CHECK(!rows[3].before.known);
}

TEST_CASE("a result that says parts by their names alone is compared with one that has keys",
          "[diff]") {
  const DiffResult result = between(
      saved(item(R"("item": "tune: servers, depreciation")", 10)),
      saved(item(R"("item": "tune: servers, depreciation", "part": "servers", "stage": "tune")",
                 10)));
  CHECK(result.platforms.front().items.empty());
  CHECK(result.same());
}

TEST_CASE("every part is found again by the name of its row", "[diff][bill]") {
  for (std::size_t i = 0; i < kPartWords.size(); ++i) {
    LineItem row;
    row.part = static_cast<Part>(i);
    for (const char* round : {"", "tune", "stage: 2"}) {
      for (const bool included : {true, false}) {
        row.round = round;
        row.included = included;
        INFO(item_name(row));
        CHECK(parse_item_name(item_name(row)) == ItemKey{std::string(kPartWords[i].key), round});
      }
    }
  }
  CHECK(parse_item_name("tickets") == ItemKey{"tickets", ""});
}

TEST_CASE("two rows of one name are compared in their order", "[diff]") {
  const std::string one = item(R"("item": "tickets")", 1), two = item(R"("item": "tickets")", 2);
  const DiffResult result = between(saved(one + "," + two), saved(one + "," + one));
  REQUIRE(result.platforms.front().items.size() == 1);
  CHECK(result.platforms.front().items.front().path == "tickets (2)");
}

TEST_CASE("what is no saved result is refused with what it lacks", "[diff]") {
  const std::string good = saved(item(R"("item": "compute")", 1));
  CHECK_THROWS_WITH(between("[]", good), Catch::Contains("it is no JSON object"));
  CHECK_THROWS_WITH(between(good, R"({"schema_version": "2.0"})"), Catch::Contains("reads 1.0 to"));
  CHECK_THROWS_WITH(between(good, R"({"schema_version": "1.0", "estimates": []})"),
                    Catch::Contains("empty"));
}

TEST_CASE("totals that rise are named, those that fall are not", "[diff]") {
  const std::string row = item(R"("item": "compute")", 1);
  CHECK(totals_above(between(saved(row, 10), saved(row, 10.5)), {0.1, {}}).empty());
  CHECK(totals_above(between(saved(row, 10), saved(row, 12)), {0.1, {}}).size() == 1);
  CHECK(totals_above(between(saved(row, 12), saved(row, 10)), {0.1, {}}).empty());
}

namespace {

// A saved result of two platforms: a median of quotes, and a price without enough quotes.
std::string two_platforms(double quoted, double estimated) {
  return R"({"schema_version": "1.2", "scenario": {}, "estimates": [
    {"accelerator": "h100-sxm", "cost": {"total": )" +
         std::to_string(quoted) + R"(, "price_imputed": false, "provider": "A, B, C"}},
    {"accelerator": "gb200-nvl72", "cost": {"total": )" +
         std::to_string(estimated) + R"(, "price_imputed": true, "provider": ""}}]})";
}

}  // namespace

TEST_CASE("an estimated price ranks behind a dearer quote", "[diff]") {
  const DiffResult result = between(two_platforms(148, 120), two_platforms(222, 120));
  REQUIRE(result.platforms.size() == 2);
  const DiffPlatform& quoted = result.platforms[0];
  const DiffPlatform& estimated = result.platforms[1];
  CHECK(*quoted.before_rank < *estimated.before_rank);
  CHECK(*quoted.after_rank < *estimated.after_rank);
  CHECK(estimated.total.after.is_estimated);
  CHECK_FALSE(quoted.total.after.is_estimated);
}
