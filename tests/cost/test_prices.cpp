// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "catalog/price_files.h"
#include "catch.h"
#include "cost/error_message.h"
#include "trcost/catalog.h"
#include "trcost/prices.h"
#include "trcost/regions.h"

using namespace trcost;

namespace {

PriceRow row(std::string provider, ProviderClass type, double price, std::string date) {
  PriceRow out;
  out.provider = std::move(provider);
  out.provider_class = type;
  out.accelerator = "h100-sxm";
  out.region = "all";
  out.low = out.median = out.high = price;
  out.date = parse_price_date(date, "test");
  return out;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

PriceBook small_book() {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {row("A", ProviderClass::specialist, 2, "2026-05"),
               row("B", ProviderClass::specialist, 3, "2025-H2"),
               row("C", ProviderClass::specialist, 4, "2026-01-31"),
               row("Old", ProviderClass::specialist, 9, "2025-03-02"),
               row("Big", ProviderClass::hyperscaler, 11, "2026-09-19"),
               row("Market", ProviderClass::marketplace, 1, "2026-09-19")};
  return book;
}

constexpr const char* kFile = R"({"schema_version": "1.0", "source": "a page", "date": "2026-05",
  "prices": [{"provider": "A", "provider_class": "specialist", "accelerator": "h100-sxm",
              "region": "all", "commitment": "on-demand", "usd_per_gpu_hour": %s}]})";

std::string file_with(const std::string& price) {
  std::string text = kFile;
  return text.replace(text.find("%s"), 2, price);
}

std::string refusal(const std::string& text) {
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
  const PriceQuote quote = select_price(book, "h100-sxm", Commitment::on_demand);
  CHECK(quote.usd == 3.0);
  CHECK(quote.rows.size() == 3);
  for (const char* part : {"median of 3", "A $2.00 (2026-05)", "B $3.00 (2025-H2)", "C $4.00"}) {
    CHECK(contains(quote.source, part));
  }
  CHECK_FALSE(contains(quote.source, "Old"));
  CHECK(quote.date == "2025-H2 to 2026-05");  // not only the newest
}

TEST_CASE("a provider counts once, with its newest and cheapest row", "[cost][prices]") {
  PriceBook book = small_book();
  book.rows.push_back(row("A", ProviderClass::specialist, 2.5, "2026-06"));
  book.rows.push_back(row("A", ProviderClass::specialist, 2.4, "2026-06"));
  const PriceQuote quote = select_price(book, "h100-sxm", Commitment::on_demand);
  CHECK(quote.rows.size() == 3);
  CHECK(quote.rows.front()->median == 2.4);
}

TEST_CASE("fallbacks come in order and are said", "[cost][prices]") {
  PriceBook book = small_book();
  const auto drop = [&](std::string_view provider) {
    book.rows.erase(std::remove_if(book.rows.begin(), book.rows.end(),
                                   [&](const PriceRow& r) { return r.provider == provider; }),
                    book.rows.end());
  };
  drop("A");
  drop("B");
  PriceQuote quote = select_price(book, "h100-sxm", Commitment::on_demand);
  CHECK(quote.usd == 2.5);  // C and the marketplace
  CHECK(contains(quote.rule, "marketplaces"));
  drop("C");
  drop("Market");
  quote = select_price(book, "h100-sxm", Commitment::on_demand);
  CHECK(quote.usd == 9);
  CHECK(contains(quote.rule, "older"));
  drop("Old");
  CHECK(select_price(book, "h100-sxm", Commitment::on_demand).usd == 11);
  drop("Big");
  quote = select_price(book, "h100-sxm", Commitment::on_demand);
  CHECK_FALSE(quote.usd.has_value());
  CHECK(contains(quote.source, "--price"));
  CHECK_FALSE(select_price(small_book(), "h100-sxm", Commitment::spot).usd.has_value());
}

TEST_CASE("a commitment that only hyperscalers sell is their discount on the market's price",
          "[cost][prices]") {
  PriceBook book = small_book();
  const auto committed = [&](std::string provider, double price, std::string date) {
    PriceRow out = row(std::move(provider), ProviderClass::hyperscaler, price, std::move(date));
    out.commitment = Commitment::reserved_1y;
    return out;
  };
  book.rows.push_back(committed("Big", 5.5, "2026-09-19"));
  PriceQuote quote = select_price(book, "h100-sxm", Commitment::reserved_1y);
  CHECK_THAT(quote.usd.value(), WithinRel(3.0 * 5.5 / 11, 1e-9));  // not 5.5
  CHECK(quote.factor == 0.5);
  CHECK(quote.warning.empty());
  for (const char* part : {"reserved-1y", "50 %", "Big", "on-demand"}) {
    CHECK(contains(quote.rule, part));
  }
  for (const char* part : {"Big $5.50 (2026-09-19)", "Big $11.00", "A $2.00", "B $3.00"}) {
    CHECK(contains(quote.source, part));
  }
  CHECK(contains(derive_price(quote, "h100-sxm").numbers, "factor 0.5"));
  // A second provider with rows of one date counts, one whose rows are of different dates does not.
  book.rows.push_back(row("Huge", ProviderClass::hyperscaler, 10, "2025-12-01"));
  book.rows.push_back(committed("Huge", 8, "2025-12-01"));
  book.rows.push_back(row("Far", ProviderClass::hyperscaler, 10, "2026-01-01"));
  book.rows.push_back(committed("Far", 1, "2025-11-01"));
  CHECK_THAT(select_price(book, "h100-sxm", Commitment::reserved_1y).usd.value(),
             WithinRel(3 * (0.5 + 0.8) / 2, 1e-6));
  // A provider's own price stays what it is.
  CHECK(select_price(book, "h100-sxm", Commitment::reserved_1y, "Big").usd == 5.5);
}

TEST_CASE("a commitment is never dearer than on-demand without a word", "[cost][prices]") {
  PriceBook book = small_book();
  // Nobody sells it: the on-demand price, with a warning; spot capacity that nobody sells has none.
  PriceQuote quote = select_price(book, "h100-sxm", Commitment::reserved_3y);
  CHECK(quote.usd == 3.0);
  CHECK(contains(quote.warning, "on-demand price stands in"));
  CHECK_FALSE(select_price(book, "h100-sxm", Commitment::spot).usd.has_value());
  // Somebody sells it without an on-demand price of its own.
  PriceRow lone = row("Lone", ProviderClass::hyperscaler, 6, "2026-09-19");
  lone.commitment = Commitment::reserved_3y;
  book.rows.push_back(lone);
  quote = select_price(book, "h100-sxm", Commitment::reserved_3y);
  CHECK(quote.usd == 3.0);
  CHECK(contains(quote.warning, "Lone"));
  book.rows.back().low = book.rows.back().median = book.rows.back().high = 2.5;
  quote = select_price(book, "h100-sxm", Commitment::reserved_3y);
  CHECK(quote.usd == 2.5);
  CHECK(quote.warning.empty());
  // A specialist sells it, but dearer: its price, and that is said.
  PriceRow dear = row("A", ProviderClass::specialist, 4, "2026-06");
  dear.commitment = Commitment::reserved_3y;
  book.rows.push_back(dear);
  quote = select_price(book, "h100-sxm", Commitment::reserved_3y);
  CHECK(quote.usd == 4.0);
  CHECK(contains(quote.warning, "dearer than on-demand"));
  CHECK(contains(quote.rule, "dearer than on-demand"));
}

TEST_CASE("commitments of the built-in book cost no more than on-demand", "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = catalog.prices();
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    const PriceQuote on_demand = select_price(book, name, Commitment::on_demand);
    for (const Commitment commitment :
         {Commitment::reserved_1y, Commitment::reserved_3y, Commitment::spot}) {
      const PriceQuote quote = select_price(book, name, commitment);
      if (!on_demand.usd || !quote.usd) continue;
      INFO(name << " " << commitment_name(commitment) << ": " << quote.rule);
      CHECK((*quote.usd <= *on_demand.usd || !quote.warning.empty()));
      CHECK(quote.sigma > 0);
      CHECK_FALSE(quote.date.empty());
    }
    if (on_demand.usd) CHECK(select_price(book, name, Commitment::reserved_1y).usd.has_value());
  }
  // Azure's GB200, vendor survey of 2026-09: 17.306 and 11.898 under commitment, 27.04 without.
  const double market = select_price(book, "gb200-nvl72", Commitment::on_demand).usd.value();
  const auto gb200 = [&](Commitment c) { return select_price(book, "gb200-nvl72", c).usd.value(); };
  CHECK_THAT(gb200(Commitment::reserved_1y), WithinRel(market * 17.306 / 27.04, 1e-6));
  CHECK_THAT(gb200(Commitment::reserved_3y), WithinRel(market * 11.898 / 27.04, 1e-6));
}

TEST_CASE("provider and region narrow the choice", "[cost][prices]") {
  PriceBook book = small_book();
  CHECK(select_price(book, "h100-sxm", Commitment::on_demand, "big").usd == 11);
  CHECK_FALSE(select_price(book, "b200", Commitment::on_demand, "Big").usd.has_value());
  CHECK(
      contains(message_of([&] { select_price(book, "h100-sxm", Commitment::on_demand, "Marke"); }),
               "Market"));
  book.rows[0].region = "us-east-1";
  book.rows[1].region = "us/eu";
  const auto of = [&](const char* region) {
    return select_price(book, "h100-sxm", Commitment::on_demand, {}, region).rows.size();
  };
  CHECK(of("us") == 3);
  CHECK(of("us-east-1") == 3);
  CHECK(of("eu") == 2);
  book.rows.resize(1);  // in us-east-1 only
  const PriceQuote elsewhere = select_price(book, "h100-sxm", Commitment::on_demand, {}, "asia");
  CHECK(elsewhere.usd == 2);
  CHECK(contains(elsewhere.rule, "no price in asia"));
}

TEST_CASE("unverified rows never enter a default", "[cost][prices]") {
  PriceBook book = small_book();
  book.rows[0].verified = false;
  CHECK(select_price(book, "h100-sxm", Commitment::on_demand).rows.size() == 2);
}

TEST_CASE("a price file is read strictly", "[cost][prices]") {
  CHECK(parse_price_file(file_with("2.5"), "x.json", "2026-10-26").rows.front().median == 2.5);
  CHECK(contains(refusal(file_with("-2.5")), "above 0"));
  CHECK(contains(refusal(file_with("0")), "above 0"));
  CHECK(contains(refusal(file_with("1e400")), "x.json"));
  CHECK(contains(refusal(file_with(R"({"low": 3, "median": 2, "high": 4})")), "swapped"));
  CHECK(contains(refusal(file_with(R"({"low": 1, "median": 2})")), "high"));
  std::string future = file_with("2");
  future.replace(future.find("2026-05"), 7, "2026-12");
  CHECK(contains(refusal(future), "after the book's date"));
  std::string twice = file_with("2");
  const std::size_t begin = twice.find("{\"provider\"");
  const std::string entry = twice.substr(begin, twice.find("}]") + 1 - begin);
  twice.insert(begin, entry + ", ");
  CHECK(contains(refusal(twice), "duplicate"));
  std::string nameless = file_with("2");
  nameless.replace(nameless.find("\"source\": \"a page\", "), 20, "");
  CHECK(contains(refusal(nameless), "source"));
  std::string misspelt = file_with("2");
  misspelt.replace(misspelt.find("commitment"), 10, "comitment");
  CHECK_FALSE(refusal(misspelt).empty());
}

TEST_CASE("the built-in book loads and its defaults look like the market", "[cost][prices]") {
  const Catalog catalog;
  CHECK(catalog.price_date() == catalog.prices().date);
  const PriceBook& book = catalog.prices();
  CHECK(book.date.size() == 10);
  const auto price = [&](const char* name) {
    return select_price(book, name, Commitment::on_demand).usd.value();
  };
  CHECK(price("h100-sxm") > 2.3);
  CHECK(price("h100-sxm") < 3.1);
  CHECK(price("a100-sxm-80gb") > 1.1);
  CHECK(price("a100-sxm-80gb") < 1.9);
  CHECK(price("b200") > price("h200"));
  CHECK(price("h200") > price("h100-sxm"));
  CHECK(price("gb200-nvl72") > 4.5);
  CHECK(price("gb300-nvl72") > price("gb200-nvl72"));
  CHECK(select_price(book, "h100-sxm", Commitment::spot).usd.value() < price("h100-sxm"));
  for (const PriceRow& entry : book.rows) CHECK_FALSE(entry.source.empty());
}

TEST_CASE("storage, egress and PUE of the built-in book", "[cost][prices]") {
  const Catalog catalog;
  const PriceBook& book = catalog.prices();
  CHECK(select_storage_price(book).usd == 0.023);  // of 0.0208, 0.023 and 0.0242
  CHECK_THAT(select_egress_price(book).usd.value(), WithinRel(0.105, 1e-12));
  CHECK(select_pue(book, "").value == 1.25);
  CHECK(select_pue(book, "gcp").value == 1.1);
}

TEST_CASE("regions", "[cost][regions]") {
  const Catalog catalog;
  const Regions& regions = catalog.regions();
  const Region& us = find_region(regions, kDefaultRegion);
  CHECK(electricity_price(regions, us)->value == 0.0826);
  CHECK(grid_intensity(regions, us)->value == 0.3695);
  const Region& iowa = find_region(regions, "us-central1");
  CHECK(grid_intensity(regions, iowa)->value == 0.43);
  CHECK(electricity_price(regions, iowa)->value == 0.068);  // EIA, industry of Iowa, 2024
  const Region& tokyo = find_region(regions, "asia-northeast1");
  CHECK(electricity_price(regions, tokyo) ==
        electricity_price(regions, find_region(regions, "jp")));
  CHECK(contains(message_of([&] { find_region(regions, "us-centrl1"); }), "us-central1"));
  // Eurostat, 20 to 70 GWh a year, without taxes.
  CHECK(electricity_price(regions, find_region(regions, "de"))->value == 0.1552);
  const Region& world = find_region(regions, "world");
  CHECK(electricity_price(regions, world) == nullptr);
  CHECK(contains(message_of([&] { require_electricity_price(regions, world); }),
                 "--electricity-price"));
}
