// SPDX-License-Identifier: Apache-2.0
#include "study/tco/tco.h"

#include <algorithm>

#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

TcoReport tco_of(std::string_view accelerators, double utilization = 0.8) {
  static const Catalog catalog;
  TcoRequest request;
  request.scenario.set_text(Field::hardware_accelerator, accelerators);
  request.scenario.set_number(Field::hardware_gpus, 64);
  request.scenario.set_number(Field::cost_utilization, utilization);
  return compute_tco(request, catalog);
}

const TcoRow& row_of(const TcoReport& report, std::string_view accelerator,
                     std::string_view pricing) {
  return *std::ranges::find_if(report.rows, [&](const TcoRow& row) {
    return row.accelerator == accelerator && row.pricing == pricing;
  });
}

}  // namespace

TEST_CASE("parts of every row sum to its total", "[tco][property]") {
  const TcoReport report = tco_of("a100-sxm-80gb,h100-sxm,b200,gb300-nvl72,mi300x,tpu-v6e");
  CHECK(report.rows.size() == 24);
  for (const TcoRow& row : report.rows) {
    INFO(row.accelerator << " " << row.pricing);
    if (!row.total) {
      CHECK_FALSE(row.problem.empty());
      continue;
    }
    double sum = 0;
    for (const auto& part : row.items) sum += part.usd;
    CHECK(sum == Approx(*row.total).epsilon(1e-12));
    CHECK(row.range->p10 < *row.total);
    CHECK(row.range->p90 > *row.total);
    CHECK(*row.per_gpu_hour == Approx(*row.total / (64 * 3 * 8766 * 0.8)));
  }
}

TEST_CASE("at the break-even utilization owning costs what renting does", "[tco][property]") {
  const double even = row_of(tco_of("h100-sxm"), "h100-sxm", "own").break_even_utilization.value();
  REQUIRE(even < 1);
  const TcoReport there = tco_of("h100-sxm", even);
  CHECK(*row_of(there, "h100-sxm", "own").total ==
        Approx(*row_of(there, "h100-sxm", "on-demand").total));
}

TEST_CASE("a price that the user sets is the price on demand", "[tco]") {
  static const Catalog catalog;
  TcoRequest request;
  request.scenario.set_text(Field::hardware_accelerator, "b200");
  request.scenario.set_number(Field::cost_price_per_gpu_hour, 5);
  request.years = 1;
  const TcoReport report = compute_tco(request, catalog);
  CHECK(*row_of(report, "b200", "on-demand").total == Approx(8 * 8766 * 0.8 * 5));
  CHECK(*row_of(report, "b200", "reserved-1y").price_per_gpu_hour != 5);
}

TEST_CASE("served tokens cost the row's hours", "[tco][serving]") {
  static const Catalog catalog;
  TcoRequest request;
  request.scenario.set_text(Field::hardware_accelerator, "h200");
  request.serve = "llama-3.1-8b";
  request.api_usd_per_million = 0.2;
  const TcoReport report = compute_tco(request, catalog);
  const TcoRow& own = row_of(report, "h200", "own");
  CHECK(*own.per_million_tokens == Approx(*own.per_gpu_hour / 3600 / *own.tokens_per_second * 1e6));
  // Tokens of a day at the break-even pay for a day of the fixed costs and their own energy.
  const double energy = std::ranges::find(own.items, "energy", &cost::LifetimePart::name)->usd;
  const double tokens = *own.tokens_per_second * 8 * 3 * 8766 * 0.8 * 3600;
  const double days = 3 * 365.25;
  const double bought = *own.break_even_tokens_per_day * days;
  CHECK(bought * 0.2 / 1e6 == Approx(*own.total - energy + energy / tokens * bought));
  // On demand the price of a token is the same at any volume.
  const TcoRow& rent = row_of(report, "h200", "on-demand");
  CHECK(rent.break_even_tokens_per_day.has_value() == (*rent.per_million_tokens < 0.2));
}

TEST_CASE("machines are bought whole", "[tco]") {
  static const Catalog catalog;
  const auto own = [](double gpus, double node_usd) {
    TcoRequest request;
    request.scenario.set_text(Field::hardware_accelerator, "b200");
    request.scenario.set_number(Field::hardware_gpus, gpus);
    request.scenario.set_number(Field::cost_node_price, node_usd);
    return compute_tco(request, catalog);
  };
  const auto servers = [](const TcoReport& report) {
    for (const auto& part : row_of(report, "b200", "own").items) {
      if (part.name == "servers") return part.usd;
    }
    return 0.0;
  };
  CHECK(servers(own(64, 500e3)) == Approx(4e6));
  CHECK(servers(own(60, 500e3)) == Approx(4e6));  // 8 machines of 8
  CHECK(servers(own(56, 500e3)) == Approx(3.5e6));
  CHECK(own(64, 500e3).warnings.size() < own(60, 500e3).warnings.size());
}

TEST_CASE("no volume beats an API that is cheaper at full use", "[tco][serving]") {
  const auto volumes = [](double api) {
    static const Catalog catalog;
    TcoRequest request;
    request.scenario.set_text(Field::hardware_accelerator, "h200");
    request.scenario.set_number(Field::hardware_gpus, 64);
    request.serve = "llama-3.1-70b";
    request.api_usd_per_million = api;
    return compute_tco(request, catalog);
  };
  for (const TcoRow& row : volumes(0.001).rows) CHECK_FALSE(row.break_even_tokens_per_day);
  const TcoReport dear = volumes(100);
  CHECK(row_of(dear, "h200", "on-demand").break_even_tokens_per_day == 0.0);
  for (const TcoRow& row : dear.rows) {
    INFO(row.pricing);
    if (!row.total || row.pricing == "on-demand") continue;
    REQUIRE(row.break_even_tokens_per_day);
    CHECK(*row.break_even_tokens_per_day < *row.tokens_per_second * 64 * 86400);
  }
}

TEST_CASE("each chip has its warnings", "[tco]") {
  const TcoReport both = tco_of("h100-sxm,b200");
  const std::size_t alone = tco_of("h100-sxm").warnings.size() + tco_of("b200").warnings.size();
  CHECK(both.warnings.size() == alone);
}

TEST_CASE("rents have the doubts of their prices, and --strict names them", "[tco]") {
  const TcoReport report = tco_of("h100-sxm,tpu-v6e");
  const TcoRow& rent = row_of(report, "tpu-v6e", "on-demand");
  CHECK(rent.doubts.other_class);
  CHECK(rent.evidence() == PriceEvidence::old);  // the only one, of 2025
  REQUIRE_FALSE(rent.warnings.empty());
  for (const std::string& warning : rent.warnings) {
    CHECK(std::ranges::find(report.warnings, warning) != report.warnings.end());
  }
  CHECK(row_of(report, "h100-sxm", "on-demand").evidence() == PriceEvidence::quotes);
  const auto reasons = tco_strict_reasons(report);
  CHECK(std::ranges::any_of(reasons, [](const std::string& reason) {
    return reason.find("tpu-v6e on-demand") != std::string::npos;
  }));
  CHECK(std::ranges::none_of(reasons, [](const std::string& reason) {
    return reason.find("h100-sxm on-demand") != std::string::npos;
  }));
}

TEST_CASE("a region without a price is a doubt of each rent and none of the machines", "[tco]") {
  static const Catalog catalog;
  TcoRequest request;
  request.scenario.set_text(Field::hardware_accelerator, "h100-sxm");
  request.scenario.set_text(Field::cost_region, "cn");
  const TcoReport report = compute_tco(request, catalog);
  for (const TcoRow& row : report.rows) {
    INFO(row.pricing);
    CHECK(row.doubts.other_region == !row.owned());
  }
}

TEST_CASE("quotes after the day are not used", "[tco]") {
  static const Catalog catalog;
  const auto rows_on = [](std::string_view day) {
    TcoRequest request;
    request.scenario.set_text(Field::hardware_accelerator, "gb300-nvl72,h100-sxm,rtx-4090");
    request.scenario.set_text(Field::cost_as_of, day);
    return compute_tco(request, catalog);
  };
  const TcoReport before = rows_on("2025-06-01");
  CHECK_FALSE(row_of(before, "gb300-nvl72", "own").total);  // first quoted in autumn 2025
  for (const TcoRow& row : before.rows) {
    INFO(row.accelerator << " " << row.pricing);
    if (row.total) CHECK(row.date.substr(0, 7) <= "2025-06");
  }
  CHECK(row_of(rows_on("2026-11-01"), "gb300-nvl72", "own").total);
  CHECK_THROWS_AS(rows_on("2030-01-01"), Error);
}

TEST_CASE("owning four machines for two years, by hand", "[tco]") {
  static const Catalog catalog;
  TcoRequest request;
  request.years = 2;
  Scenario& s = request.scenario;
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 32);
  s.set_number(Field::cost_node_price, 200e3);
  s.set_number(Field::cost_depreciation, 0.5);
  s.set_number(Field::cost_capital_rate, 0.1);
  s.set_number(Field::cost_support_rate, 0.02);
  s.set_number(Field::cost_watts_per_gpu, 1000);
  s.set_number(Field::cost_colocation, 100);
  s.set_number(Field::cost_electricity_price, 0.1);
  s.set_number(Field::cost_pue, 1.25);
  s.set_number(Field::cost_utilization, 0.5);
  const TcoReport report = compute_tco(request, catalog);
  const TcoRow& own = row_of(report, "h100-sxm", "own");
  const auto part = [&](std::string_view name) {
    return std::ranges::find(own.items, name, &cost::LifetimePart::name)->usd;
  };
  REQUIRE(own.purchase);
  CHECK(own.purchase->machines == 4);
  CHECK(part("servers") == Approx(800e3));
  const double both = 800e3 / 0.81;  // the network is 19% of the cluster
  CHECK(part("network") == Approx(both * 0.19));
  CHECK(part("resale") == Approx(-both * 0.25));  // two years that halve the value
  // The value falls at ln 2 = 0.6931 a year: its integral over two years is 0.75 / 0.6931 of it.
  CHECK(part("capital") == Approx(0.1 * both * 0.75 / 0.693147));
  CHECK(part("space") == Approx(32 * 100 * 24));  // a kW each, for 24 months
  CHECK(part("support") == Approx(800e3 * 0.02 * 2));
  const double draw = catalog.accelerator("h100-sxm").mean_draw;
  CHECK(part("energy") == Approx(32 * draw * 1.25 * 0.1 * 17532 * 0.5));
}
