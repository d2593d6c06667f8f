// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "error_message.h"
#include "prices/market/price_table.h"
#include "prices/price_fixture.h"
#include "prices/rows/regions.h"
#include "trcost/catalog.h"

using namespace trcost;

TEST_CASE("electricity and grid of regions", "[prices][regions]") {
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
  CHECK(has_text(message_of([&] { find_region(regions, "us-centrl1"); }), "us-central1"));
  // Eurostat, 20 to 70 GWh a year, without taxes.
  CHECK(electricity_price(regions, find_region(regions, "de"))->value == 0.1552);
  const Region& world = find_region(regions, "world");
  CHECK(electricity_price(regions, world) == nullptr);
  CHECK(has_text(message_of([&] { require_electricity_price(regions, world); }),
                 "--electricity-price"));
}

TEST_CASE("region fit follows countries, areas and spellings", "[prices][regions]") {
  const Catalog catalog;
  const Regions& regions = known_regions(catalog);
  const auto fit = [&](std::string_view here, std::string_view wanted) {
    return region_fit(here, wanted, &regions);
  };
  CHECK(fit("FIN", "fi") == RegionFit::exact);
  CHECK(fit("FIN-03", "fi") == RegionFit::related);
  CHECK(fit("FIN", "europe-north1") == RegionFit::related);
  CHECK(fit("us/eu", "fi") == RegionFit::related);
  CHECK(fit("us/eu", "eu-north-1") == RegionFit::related);
  CHECK(fit("us/eu", "jp") == RegionFit::none);
  CHECK(fit("West US 3", "us") == RegionFit::related);
  CHECK(fit("West US 3", "westus3") == RegionFit::exact);
  CHECK(fit("eastus", "us-east4") == RegionFit::none);
  CHECK(fit("us-central1", "us-central2") == RegionFit::none);
  CHECK(fit("world (part of the rows)", "fi") == RegionFit::related);
  CHECK(fit("world ex Asia/AU", "au") == RegionFit::related);  // as the world, not as AU
  CHECK(fit("all", "fi") == RegionFit::related);
  // Numbers of the state, then of the country.
  CHECK(electricity_price(regions, find_region(regions, "us-east-1")) ==
        electricity_price(regions, find_region(regions, "us-east4")));
  CHECK(grid_intensity(regions, find_region(regions, "East US")) ==
        grid_intensity(regions, find_region(regions, "us-east4")));
  CHECK(grid_intensity(regions, find_region(regions, "eu-central-1")) ==
        grid_intensity(regions, find_region(regions, "de")));
  CHECK(find_region(regions, "FIN").name == "fi");
  CHECK(fit("us-east-1", "us-east1") == RegionFit::none);  // AWS's is in Virginia
  // Verda's prices are of Finland.
  const auto verda = [&](std::string_view region) {
    return select_price(price_book(catalog),
                        {"a100-sxm-80gb", Commitment::on_demand, "verda", region, &regions});
  };
  CHECK(verda("fi").usd.has_value());
  CHECK(verda("europe-north1").usd.has_value());
  CHECK_FALSE(verda("jp").usd.has_value());
}

TEST_CASE("the row of the region itself comes before a newer one around it", "[prices]") {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {price_row("GCP", "h100-sxm", 11.5, "2026-04"),
               price_row("GCP", "h100-sxm", 10.98, "2025-07")};
  book.rows[0].region = "us";
  book.rows[1].region = "us-east4";
  const auto of = [&](std::string_view region) {
    return select_price(book, {"h100-sxm", Commitment::on_demand, "GCP", region}).usd;
  };
  CHECK(of("us-east4") == 10.98);
  CHECK(of("us-east1") == 11.5);
  CHECK(of("us") == 11.5);
  CHECK(of("") == 11.5);
}

TEST_CASE("a price without a region is one where its seller is, else of the United States",
          "[prices][regions]") {
  const Catalog& catalog = test_catalog();
  const Regions& regions = known_regions(catalog);
  const PriceBook& book = price_book(catalog);
  const auto fit = [&](const char* seller, const char* where, const char* wanted) {
    PriceRow row;
    row.provider = seller;
    row.region = where;
    return seller_fit(book, row, wanted, &regions) != RegionFit::none;
  };
  CHECK(fit("Lambda", "all", "us"));
  CHECK(fit("Lambda", "all", "us-east-1"));
  CHECK(fit("Lambda", "all", "in"));
  CHECK_FALSE(fit("Lambda", "all", "cn"));
  CHECK(fit("Hyperstack", "all", "ca"));
  CHECK_FALSE(fit("Hyperstack", "all", "in"));
  CHECK(fit("nobody knows", "all", "us"));
  CHECK_FALSE(fit("nobody knows", "all", "de"));
  CHECK(fit("nobody knows", "us/world", "us-west-2"));
  CHECK_FALSE(fit("nobody knows", "us/world", "cn"));
  CHECK(fit("nobody knows", "cn-north-1", "cn"));
  CHECK(fit("nobody knows", "cn", "world"));
}

TEST_CASE("no price of the region: the price of any, with a doubt", "[prices][regions]") {
  const Catalog& catalog = test_catalog();
  PriceQuery query{"h100-sxm", Commitment::on_demand};
  query.regions = &known_regions(catalog);
  const PriceQuote anywhere = select_price(price_book(catalog), query);
  query.region = "cn";
  const PriceQuote there = select_price(price_book(catalog), query);
  CHECK(there.usd == anywhere.usd);
  CHECK(there.other_region);
  CHECK(has_text(there.warning, "that of any region is used"));
  query.region = "us";
  CHECK_FALSE(select_price(price_book(catalog), query).other_region);
}
