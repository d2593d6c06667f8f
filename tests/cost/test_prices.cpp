// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "catch.h"
#include "cost/error_message.h"
#include "prices/market/prices.h"
#include "prices/rows/price_book.h"
#include "prices/rows/price_files.h"
#include "prices/rows/regions.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

using namespace trcost;

namespace {

PriceRow row_prices(std::string provider, ProviderClass type, double price, std::string date) {
  PriceRow out;
  out.provider = std::move(provider);
  out.provider_class = type;
  out.accelerator = "h100-sxm";
  out.region = "all";
  out.low = out.median = out.high = price;
  out.date = parse_price_date(date, "test");
  out.guessed = date.size() < 7 || date.find('H') != std::string::npos;  // as the reader says
  return out;
}

bool contains_prices(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

PriceBook small_book() {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {row_prices("A", ProviderClass::specialist, 2, "2026-05"),
               row_prices("B", ProviderClass::specialist, 3, "2025-H2"),
               row_prices("C", ProviderClass::specialist, 4, "2026-01-31"),
               row_prices("Old", ProviderClass::specialist, 9, "2025-03-02"),
               row_prices("Big", ProviderClass::hyperscaler, 11, "2026-09-19"),
               row_prices("Market", ProviderClass::marketplace, 1, "2026-09-19")};
  return book;
}

constexpr const char* kFile = R"({"schema_version": "1.0", "source": "a page", "date": "2026-05",
  "prices": [{"provider": "A", "provider_class": "specialist", "accelerator": "h100-sxm",
              "region": "all", "commitment": "on-demand", "usd_per_gpu_hour": %s}]})";

std::string file_with(const std::string& price) {
  std::string text = kFile;
  return text.replace(text.find("%s"), 2, price);
}

std::string refusal_prices(const std::string& text) {
  return message_of([&] { parse_price_file(text, "x.json", "2026-10-26"); });
}

}  // namespace

TEST_CASE("dates as precise as their source", "[cost][prices]") {
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

TEST_CASE("the default is the median of specialists of the last 12 months", "[cost][prices]") {
  const PriceBook book = small_book();
  const PriceQuote quote = select_price(book, {"h100-sxm", Commitment::on_demand});
  CHECK(quote.usd == 3.0);
  CHECK(quote.rows.size() == 2);  // a price of some day of half a year may be too old
  for (const char* part : {"2 specialists in the 12 months", "A $2.00 (2026-05)", "C $4.00"}) {
    CHECK(contains_prices(quote.source, part));
  }
  for (const char* part : {"Old", "B $3.00"}) CHECK_FALSE(contains_prices(quote.source, part));
  CHECK(quote.date == "2026-01-31 to 2026-05");  // not only the newest
  CHECK(quote.provider == "A, C");
  CHECK(quote.price_class == PriceClass::specialist);
  CHECK_FALSE(quote.imputed);
  CHECK(contains_prices(quote.warning, "more than 90 days"));  // 2026-05-01 on 2026-10-26
}

TEST_CASE("a provider counts once, with its newest and cheapest row", "[cost][prices]") {
  PriceBook book = small_book();
  book.rows.push_back(row_prices("A", ProviderClass::specialist, 2.5, "2026-06"));
  book.rows.push_back(row_prices("A", ProviderClass::specialist, 2.4, "2026-06"));
  const PriceQuote quote = select_price(book, {"h100-sxm", Commitment::on_demand});
  CHECK(quote.rows.size() == 2);
  CHECK(quote.rows.front()->median == 2.4);
}

TEST_CASE("what a class lacks is said, not taken from another in silence", "[cost][prices]") {
  PriceBook book = small_book();
  const auto drop = [&](std::string_view provider) {
    std::erase_if(book.rows, [&](const PriceRow& r) { return r.provider == provider; });
  };
  drop("A");
  drop("C");
  PriceQuote quote = select_price(book, {"h100-sxm", Commitment::on_demand});
  CHECK(quote.usd == 6.0);  // B's and Old's: never Market's 1, which is of another class
  CHECK(contains_prices(quote.rule, "older than a year or of a guessed date"));
  CHECK_FALSE(quote.warning.empty());
  drop("B");
  drop("Old");
  // No other chip tells what the classes differ by: no price rather than that of another class.
  quote = select_price(book, {"h100-sxm", Commitment::on_demand});
  CHECK_FALSE(quote.usd.has_value());
  CHECK(contains_prices(quote.source, "--price"));
  PriceQuery query{"h100-sxm"};
  query.price_class = PriceClass::hyperscaler;
  CHECK(select_price(book, query).usd == 11);
  query.price_class = PriceClass::marketplace;
  CHECK(select_price(book, query).usd == 1);
  CHECK_FALSE(select_price(small_book(), {"h100-sxm", Commitment::spot}).usd.has_value());
}

TEST_CASE("a term is what the class takes off its own prices", "[cost][prices]") {
  PriceBook book = small_book();
  const auto term = [&](std::string provider, ProviderClass type, double price, std::string date) {
    PriceRow out = row_prices(std::move(provider), type, price, std::move(date));
    out.commitment = Commitment::reserved_1y;
    return out;
  };
  // A hyperscaler's half is no discount of specialists.
  book.rows.push_back(term("Big", ProviderClass::hyperscaler, 5.5, "2026-09-19"));
  CHECK(select_price(book, {"h100-sxm", Commitment::reserved_1y}).usd.has_value() == false);
  PriceQuery big{"h100-sxm", Commitment::reserved_1y};
  big.price_class = PriceClass::hyperscaler;
  CHECK(select_price(book, big).usd == 5.5);
  // What somebody of the class asks for the term decides, however few they are.
  book.rows.push_back(term("A", ProviderClass::specialist, 1.6, "2026-05"));
  const PriceQuote asked = select_price(book, {"h100-sxm", Commitment::reserved_1y});
  CHECK(asked.usd == 1.6);
  CHECK_FALSE(asked.imputed);
  CHECK(asked.sigma > 0.25);  // of one seller alone
  // Where nobody does, what its sellers take off: A asks 80 % of its own 2.
  for (const auto& [name, price] : {std::pair("E", 2.5), std::pair("F", 3.5)}) {
    book.rows.push_back(row_prices(name, ProviderClass::specialist, price, "2026-05"));
    book.rows.back().accelerator = "h200";
  }
  PriceQuote quote = select_price(book, {"h200", Commitment::reserved_1y});
  CHECK_THAT(quote.usd.value(), WithinRel(3.0 * 0.8, 1e-9));
  CHECK(quote.factor == 0.8);
  CHECK(quote.imputed);
  for (const char* part : {"reserved-1y", "80 %", "A 80 %"})
    CHECK(contains_prices(quote.rule, part));
  CHECK(contains_prices(derive_price(quote, "h200").numbers, " x 0.8;"));
  // What a seller publishes as its discount counts as its prices do.
  book.discounts.push_back({"D", ProviderClass::specialist, Commitment::reserved_1y, 0.6,
                            parse_price_date("2026-09", "test"), "a page"});
  CHECK_THAT(select_price(book, {"h200", Commitment::reserved_1y}).usd.value(),
             WithinRel(3.0 * 0.7, 1e-9));
  // Rows of two days do not compare, since prices move.
  book.rows.push_back(term("C", ProviderClass::specialist, 0.4, "2026-03"));
  CHECK_THAT(select_price(book, {"h200", Commitment::reserved_1y}).usd.value(),
             WithinRel(3.0 * 0.7, 1e-9));
  CHECK(select_price(book, {"h100-sxm", Commitment::reserved_1y}).usd == 1.0);  // of 0.4 and 1.6
  // A provider's own price stays what it is.
  CHECK(select_price(book, {"h100-sxm", Commitment::reserved_1y, "Big"}).usd == 5.5);
}

TEST_CASE("provider and region narrow the choice", "[cost][prices]") {
  PriceBook book = small_book();
  CHECK(select_price(book, {"h100-sxm", Commitment::on_demand, "big"}).usd == 11);
  CHECK_FALSE(select_price(book, {"b200", Commitment::on_demand, "Big"}).usd.has_value());
  CHECK(contains_prices(message_of([&] {
                          select_price(book, {"h100-sxm", Commitment::on_demand, "Marke"});
                        }),
                        "Market"));
  book.rows[0].region = "us-east-1";
  book.rows[1].region = "us/eu";
  const auto of = [&](const char* region) {
    return select_price(book, {"h100-sxm", Commitment::on_demand, {}, region}).rows.size();
  };
  CHECK(of("us") == 2);
  CHECK(of("us-east-1") == 2);
  CHECK(of("eu") == 1);  // C alone has a date; B is of 2025-H2
  book.rows.resize(1);   // in us-east-1 only
  const PriceQuote elsewhere = select_price(book, {"h100-sxm", Commitment::on_demand, {}, "asia"});
  CHECK(elsewhere.usd == 2);
  CHECK(contains_prices(elsewhere.rule, "no price in asia"));
}

TEST_CASE("unverified rows never enter a default", "[cost][prices]") {
  PriceBook book = small_book();
  book.rows[0].verified = false;
  CHECK(select_price(book, {"h100-sxm", Commitment::on_demand}).rows.size() == 1);
}

TEST_CASE("a price file is read strictly", "[cost][prices]") {
  CHECK(parse_price_file(file_with("2.5"), "x.json", "2026-10-26").rows.front().median == 2.5);
  CHECK(contains_prices(refusal_prices(file_with("-2.5")), "above 0"));
  CHECK(contains_prices(refusal_prices(file_with("0")), "above 0"));
  CHECK(contains_prices(refusal_prices(file_with("1e400")), "x.json"));
  CHECK(contains_prices(refusal_prices(file_with(R"({"low": 3, "median": 2, "high": 4})")),
                        "swapped"));
  CHECK(contains_prices(refusal_prices(file_with(R"({"low": 1, "median": 2})")), "high"));
  std::string future = file_with("2");
  future.replace(future.find("2026-05"), 7, "2026-12");
  CHECK(contains_prices(refusal_prices(future), "after the book's date"));
  std::string twice = file_with("2");
  const std::size_t begin = twice.find("{\"provider\"");
  const std::string entry = twice.substr(begin, twice.find("}]") + 1 - begin);
  twice.insert(begin, entry + ", ");
  CHECK(contains_prices(refusal_prices(twice), "duplicate"));
  std::string nameless = file_with("2");
  nameless.replace(nameless.find("\"source\": \"a page\", "), 20, "");
  CHECK(contains_prices(refusal_prices(nameless), "source"));
  std::string misspelt = file_with("2");
  misspelt.replace(misspelt.find("commitment"), 10, "comitment");
  CHECK_FALSE(refusal_prices(misspelt).empty());
}

TEST_CASE("the built-in book loads and its defaults look like the market", "[cost][prices]") {
  const Catalog catalog;
  CHECK(price_date(catalog) == price_book(catalog).date);
  const PriceBook& book = price_book(catalog);
  CHECK(book.date.size() == 10);
  const auto price = [&](const char* name) {
    return select_price(book, {name, Commitment::on_demand}).usd.value();
  };
  // Medians of the specialists' own pages, autumn of 2026: H100 of 3.20, 3.90, 3.99, 3.99, 4.50 and
  // 6.155; B200 of 6.00, 6.69, 6.79, 8.50 and 8.60; A100 of 1.60, 1.79, 2.30, 2.70 and 2.79.
  CHECK(price("h100-sxm") == 3.99);
  CHECK(price("b200") == 6.79);
  CHECK(price("a100-sxm-80gb") == 2.30);
  CHECK(price("h200") > 4.6);
  CHECK(price("h200") < 5.2);
  CHECK(price("b300") > 7.3);
  CHECK(price("b300") < 8.0);
  CHECK(price("gb300-nvl72") > 8.0);
  CHECK(price("gb300-nvl72") < 9.5);
  CHECK(select_price(book, {"h100-sxm", Commitment::spot}).usd.value() < price("h100-sxm"));
  for (const PriceRow& entry : book.rows) CHECK_FALSE(entry.source.empty());
}

TEST_CASE("storage, egress and PUE of the built-in book", "[cost][prices]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  CHECK(select_storage_price(book).usd == 0.023);  // of 0.0208, 0.023 and 0.0242
  CHECK_THAT(select_egress_price(book).usd.value(), WithinRel(0.105, 1e-12));
  CHECK(select_pue(book, "")->value == default_number(Field::cost_pue));
  CHECK(select_pue(book, "gcp")->value == 1.1);
}

TEST_CASE("regions", "[cost][regions]") {
  const Catalog catalog;
  const Regions& regions = known_regions(catalog);
  const Region& us = find_region(regions, kDefaultRegion);
  CHECK(electricity_price(regions, us)->value == 0.0826);
  CHECK(grid_intensity(regions, us)->value == 0.3695);
  const Region& iowa = find_region(regions, "us-central1");
  CHECK(grid_intensity(regions, iowa)->value == 0.43);
  CHECK(electricity_price(regions, iowa)->value == 0.068);  // EIA, industry of Iowa, 2024
  const Region& tokyo = find_region(regions, "asia-northeast1");
  CHECK(electricity_price(regions, tokyo) ==
        electricity_price(regions, find_region(regions, "jp")));
  CHECK(contains_prices(message_of([&] { find_region(regions, "us-centrl1"); }), "us-central1"));
  // Eurostat, 20 to 70 GWh a year, without taxes.
  CHECK(electricity_price(regions, find_region(regions, "de"))->value == 0.1552);
  const Region& world = find_region(regions, "world");
  CHECK(electricity_price(regions, world) == nullptr);
  CHECK(contains_prices(message_of([&] { require_electricity_price(regions, world); }),
                        "--electricity-price"));
}
