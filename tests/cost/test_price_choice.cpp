// SPDX-License-Identifier: Apache-2.0
// Which of several rows stands for a provider, and what stands in for a commitment nobody sells.
#include <algorithm>

#include "catch.h"
#include "prices/market/prices.h"
#include "prices/rows/price_book.h"
#include "prices/rows/price_files.h"
#include "prices/rows/price_import.h"
#include "prices/rows/regions.h"
#include "trcost/catalog.h"

using namespace trcost;

namespace {

PriceRow row(std::string provider, double price, std::string_view date,
             std::string_view region = "all") {
  PriceRow out;
  out.provider = std::move(provider);
  out.accelerator = "h100-sxm";
  out.region = region;
  out.low = out.median = out.high = price;
  out.date = parse_price_date(date, "test");
  out.guessed = date.size() < 7;  // as the reader says
  return out;
}

PriceRow other(PriceRow out, std::string accelerator, Commitment commitment) {
  out.accelerator = std::move(accelerator);
  out.commitment = commitment;
  return out;
}

double on_demand(const PriceBook& book) {
  return select_price(book, {"h100-sxm", Commitment::on_demand}).usd.value();
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a provider counts once, however it is spelled", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-10-26";
  book.providers = price_book(Catalog()).providers;
  book.rows = {row("Lambda", 3, "2025-12"), row("B", 2, "2026-02"), row("lambda", 5, "2026-02")};
  CHECK(on_demand(book) == 3.5);  // of 2 and 5
  for (const char* name : {"LAMBDA", "lambdalabs", "Lambda Labs"}) {
    CHECK(select_price(book, {"h100-sxm", Commitment::on_demand, name}).usd == 5);
  }
  CHECK(provider_name(book, "datacrunch") == "Verda");
  CHECK(provider_name(book, "vastai") == "vast.ai");
  CHECK(provider_name(book, "Somebody") == "Somebody");
}

TEST_CASE("a coarse date is not newer than an exact one within it", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {row("RunPod", 2.69, "2026"), row("RunPod", 3.29, "2026-10-20")};
  CHECK(on_demand(book) == 3.29);
  std::reverse(book.rows.begin(), book.rows.end());
  CHECK(on_demand(book) == 3.29);
}

TEST_CASE("the row of the region itself comes before a newer one around it", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {row("GCP", 11.5, "2026-04", "us"), row("GCP", 10.98, "2025-07", "us-east4")};
  const auto of = [&](std::string_view region) {
    return select_price(book, {"h100-sxm", Commitment::on_demand, "GCP", region}).usd;
  };
  CHECK(of("us-east4") == 10.98);
  CHECK(of("us-east1") == 11.5);
  CHECK(of("us") == 11.5);
  CHECK(of("") == 11.5);
}

TEST_CASE("regions are known by what lies in what", "[cost][regions]") {
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
  // The same state, then the country.
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

TEST_CASE("spot prices are those of the newest rows", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {row("A", 2, "2026-10"), row("B", 6, "2026-10"),
               other(row("A", 1.5, "2026-10"), "h100-sxm", Commitment::spot),
               other(row("B", 0.5, "2026-05"), "h100-sxm", Commitment::spot)};
  CHECK(select_price(book, {"h100-sxm", Commitment::spot}).usd == 1.5);
  // Never dearer than on-demand without a word.
  book.rows[2].low = book.rows[2].median = book.rows[2].high = 5;
  const PriceQuote dear = select_price(book, {"h100-sxm", Commitment::spot});
  CHECK(dear.usd == 4.0);
  CHECK(contains(dear.warning, "dearer than on-demand"));
}

TEST_CASE("prices are shown so that they can be multiplied", "[cost][prices]") {
  CHECK(format_price(5.245) == "$5.245");
  CHECK(format_price(1.125) == "$1.125");
  CHECK(format_price(2.5) == "$2.50");
  CHECK(format_price(18) == "$18.00");
  CHECK(format_price(0.0242) == "$0.0242");
  const Catalog catalog;
  const PriceQuote quote = select_price(price_book(catalog), {"b200", Commitment::reserved_3y});
  const PriceQuote market = select_price(price_book(catalog), {"b200", Commitment::on_demand});
  CHECK_THAT(quote.usd.value(), WithinAbs(quote.factor.value() * market.usd.value(), 5.1e-7));
}
