// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "catalog/hardware/hardware.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "cost/energy.h"
#include "cost/make_bill.h"
#include "cost/ownership.h"
#include "cost/storage.h"
#include "cost/vector_file.h"
#include "prices/market/price_quote.h"
#include "prices/rows/price_book.h"
#include "prices/rows/price_date.h"
#include "quantity/quantity.h"
#include "quantity/statistics.h"
#include "text/csv.h"
#include "text/files.h"
#include "trcost/bill.h"
#include "trcost/catalog.h"

using namespace trcost;

namespace {

// Default multiples of a chip's power and price for its server.
const Accelerator& assumed() {
  static const Accelerator chip = assumed_accelerator(Catalog());
  return chip;
}

double sum_of_included(const CostResult& cost) {
  double sum = 0;
  for (const LineItem& row : cost.items) {
    if (row.included) sum += row.amount.value();
  }
  return sum;
}

}  // namespace

TEST_CASE("rent: hours times price", "[cost][bill]") {
  const PriceQuote two = given_price(2);
  BillInputs inputs;
  inputs.price = &two;
  CostResult cost;
  SECTION("DeepSeek-V3's 2.788M H800-hours") {
    inputs.gpu_hours = 2.788e6;
    inputs.tokens = 14.8e12;
    make_bill(inputs, cost);
    CHECK(cost.total == test_vector("cost/deepseek-v3 2.788M h @ $2")["expected"].get<double>());
    CHECK_THAT(cost.per_million_tokens.value(), WithinRel(5.576e6 / 14.8e6, 1e-12));
  }
  SECTION("300,000 H100 for six months") {
    inputs.gpu_hours = 300000.0 * 6 * 730.5;
    make_bill(inputs, cost);
    CHECK_THAT(cost.total.value(),
               WithinRel(test_vector("cluster/300K H100 6mo $2")["expected"].get<double>(), 1e-12));
  }
  CHECK(cost.items.front().source == "given by the user (--price)");
}

TEST_CASE("rented energy and storage stand apart from the total", "[cost][bill]") {
  const PriceQuote price = given_price(2.5);
  PriceQuote storage_price;
  storage_price.usd = 0.023;
  const StorageUse storage{1000, 200, 30, 0};
  BillInputs inputs;
  inputs.gpu_hours = 1e5;
  inputs.price = &price;
  inputs.kwh = 119531.25;
  inputs.usd_per_kwh = 0.0826;
  inputs.storage = &storage;
  inputs.storage_price = &storage_price;
  CostResult cost;
  make_bill(inputs, cost);
  CHECK(cost.total == 2.5e5);
  CHECK(cost.items.size() == 5);
  inputs.terms.storage_included = true;
  make_bill(inputs, cost);
  CHECK_THAT(cost.total.value(), WithinRel(2.5e5 + 1230 * 0.023, 1e-12));
  CHECK_THAT(sum_of_included(cost), WithinRel(cost.total.value(), 1e-12));
}

TEST_CASE("a missing price is not 0 dollars", "[cost][bill]") {
  const PriceQuote unknown;
  BillInputs inputs;
  inputs.gpu_hours = 1000;
  inputs.tokens = 1e9;
  inputs.price = &unknown;
  CostResult cost;
  make_bill(inputs, cost);
  CHECK_FALSE(cost.total.has_value());
  CHECK_FALSE(cost.per_million_tokens.has_value());
  CHECK_FALSE(cost.items.front().amount.has_value());
}

TEST_CASE("a reused bill keeps nothing of the last one", "[cost][bill]") {
  const PriceQuote price = given_price(1);
  BillInputs inputs;
  inputs.gpu_hours = 10;
  inputs.price = &price;
  inputs.terms.experiments = 2;
  inputs.terms.evaluation = 0.5;
  CostResult cost;
  make_bill(inputs, cost);
  CHECK(cost.total == 35);
  inputs.terms.experiments = inputs.terms.evaluation = 0;
  make_bill(inputs, cost);
  CHECK(cost.total == 10);
  CHECK(cost.items.size() == 1);
}

TEST_CASE("the sum of the items is checked", "[cost][bill]") {
  CostResult cost;
  cost.items.push_back({Part::compute, "", 10, Unit::gpu_hour, 2.0, 20.0, true, "", ""});
  cost.total = 20;
  CHECK_NOTHROW(check_bill(cost));
  cost.total = 20.001;
  CHECK_THROWS_AS(check_bill(cost), std::logic_error);
  cost.total.reset();
  CHECK_THROWS_AS(check_bill(cost), std::logic_error);
  cost.total = 21;
  cost.items.front().amount = 21;
  CHECK_THROWS_AS(check_bill(cost), std::logic_error);
}

TEST_CASE("an H100 of $30,000 by Epoch AI's method", "[cost][ownership]") {
  const auto row = test_vector("capex/epoch H100 $30k chip x1.64");
  const double server = depreciation_per_hour(30000 * assumed().server_price_multiple);
  CHECK_THAT(server, WithinRel(row["expected"]["hw"].get<double>(), 1e-9));
  CHECK_THAT(network_cost(server), WithinRel(row["expected"]["interconnect"].get<double>(), 1e-9));
  CHECK_THAT(depreciated_price(100, 1), WithinRel(72.4436, 1e-5));  // 27.6 % a year
}

TEST_CASE("an owned hour sums its parts, and breaks even at a utilisation", "[cost][ownership]") {
  OwnershipInputs inputs;
  inputs.mean_draw = assumed().mean_draw;
  inputs.server_usd_per_gpu = 30000 * assumed().server_price_multiple;
  inputs.system_watts_per_gpu = 1275;
  inputs.usd_per_kwh = 0.0826;
  inputs.utilization = 1;
  const OwnershipCost busy = compute_ownership(inputs);
  CHECK(busy.idle == 0);
  CHECK_THAT(busy.energy.value(), WithinRel(0.0987328125, 1e-9));
  CHECK_THAT(busy.of(Part::colocation).value(), WithinRel(1.275 * 150 / 730.5, 1e-12));
  const double parts = *busy.of(Part::servers) + *busy.of(Part::network) + *busy.of(Part::capital) +
                       *busy.of(Part::colocation) + *busy.energy;
  CHECK_THAT(busy.total.value(), WithinRel(parts, 1e-12));
  const double even = break_even_utilization(busy, 3.0).value();
  inputs.utilization = even;
  CHECK_THAT(compute_ownership(inputs).total.value(), WithinRel(3.0, 1e-12));
  CHECK_THAT(implied_utilization(*busy.standing(), *compute_ownership(inputs).idle),
             WithinRel(even, 1e-12));
  CHECK(break_even_utilization(busy, 2.0).value() > 1);         // renting is cheaper at any load
  CHECK_FALSE(break_even_utilization(busy, 0.05).has_value());  // the energy alone costs more
  inputs.server_usd_per_gpu.reset();
  CHECK_FALSE(compute_ownership(inputs).total.has_value());
}

// DGX H100 quotes of 2025-03-04 at $31,904.60 an accelerator, on 2026-10-26: 601 days. The price of
// a new machine is the quote; three years of use leave exp(-0.36) = 0.697676 of it; worked with bc.
TEST_CASE("a purchase price falls from the purchase on, not from its quote", "[cost][ownership]") {
  const PriceDate quote = parse_price_date("2025-03-04", "test");
  const std::string_view today = "2026-10-26";
  CHECK_THAT(price_age(quote, today, 0).before_purchase, WithinRel(601 / 365.25, 1e-12));
  CHECK_THAT(price_age(quote, "2028-03-04", 0).before_purchase, WithinRel(1096 / 365.25, 1e-12));
  OwnershipInputs inputs;
  inputs.mean_draw = assumed().mean_draw;
  inputs.server_usd_per_gpu = 31904.6;
  inputs.age = price_age(quote, today, 0);
  const OwnershipCost fresh = compute_ownership(inputs);
  CHECK_THAT(fresh.of(Part::servers).value(), WithinRel(31904.6 * 0.322362 / 8766, 1e-5));
  CHECK_THAT(cash_per_gpu(inputs).value(), WithinRel(31904.6 / 0.81, 1e-12));
  // Bought three years ago, for the same cash.
  inputs.age = price_age(quote, today, 3);
  CHECK(inputs.age.before_purchase == 0);
  CHECK_THAT(compute_ownership(inputs).of(Part::servers).value(),
             WithinRel(*fresh.of(Part::servers) * 0.697676, 1e-6));
  CHECK_THAT(cash_per_gpu(inputs).value(), WithinRel(31904.6 / 0.81, 1e-12));
  // A price without a date is that of the purchase; one of tomorrow is not raised.
  CHECK(price_age({}, today, 1.5).before_purchase == 0);
  CHECK(price_age(quote, "2025-01-01", 0).before_purchase == 0);
  // A share per year: 20 % are -ln 0.8.
  CHECK_THAT(depreciated_price(100, 2, fall_of_share(0.2)), WithinRel(64.0, 1e-12));
  CHECK(fall_of_share(0) == 0);
}

TEST_CASE("an older quote and more years in use widen the range of a machine's value",
          "[cost][ownership]") {
  CHECK(purchase_sigma({0, 0}, false) == kPurchaseSigma);
  CHECK_THAT(purchase_sigma({2, 0}, false), WithinRel(std::hypot(0.20, 0.28), 1e-12));
  CHECK_THAT(purchase_sigma({0, 4}, false), WithinRel(std::hypot(0.20, 0.60), 1e-12));
  CHECK(purchase_sigma({2, 0}, true) == 0);
  CHECK_THAT(purchase_sigma({0, 4}, true), WithinRel(0.60, 1e-12));
}

// data/calibration/resale.csv: later quotes of the same chips.
TEST_CASE("the fall of prices and its spread are those of dated quotes", "[cost][ownership]") {
  const std::string path = TRCOST_SOURCE_DIR "/data/calibration/resale.csv";
  const std::string text = read_text_file(path);
  const CsvTable table(text, path);
  std::vector<double> falls;
  double squares = 0, new_squares = 0;
  std::vector<double> changes;  // of new machines per year
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double years =
        days_between(table.text(row, "first_date"), table.text(row, "date")) / 365.25;
    const double first = table.required_number(row, "first_usd");
    const double later = table.required_number(row, "usd");
    const double change = std::log(later / first);
    falls.push_back(-change / years);
    squares += std::pow(change / years + kPastFallPerYear, 2);
    const int calendar_years =
        std::stoi(table.text(row, "date")) - std::stoi(table.text(row, "first_date"));
    if (calendar_years <= 2) changes.push_back(change / years);
    // Used cards of 2026 are within the 80% range of their value.
    if (table.text(row, "used") != "yes") continue;
    const double value = depreciated_price(first, years, kPastFallPerYear);
    const double wide = std::exp(kNormalP90 * purchase_sigma({0, years}, false));
    INFO(table.text(row, "chip"));
    CHECK(later > value / wide);
    CHECK(later < value * wide);
  }
  const auto rows = static_cast<double>(falls.size());
  CHECK(falls.size() >= 38);
  CHECK_THAT(median(falls), WithinAbs(kPastFallPerYear, 0.005));
  CHECK_THAT(std::sqrt(squares / rows), WithinAbs(kFallSigmaPerYear, 0.005));
  double mean = 0;
  for (const double each : changes) mean += each / static_cast<double>(changes.size());
  for (const double each : changes) new_squares += std::pow(each - mean, 2);
  CHECK_THAT(std::sqrt(new_squares / static_cast<double>(changes.size() - 1)),
             WithinAbs(kQuoteAgeSigma, 0.005));
  CHECK(std::abs(mean) < kQuoteAgeSigma / 3);
}

TEST_CASE("a quoted node is divided by its accelerators, without a multiple", "[cost][ownership]") {
  const Catalog& catalog = test_catalog();
  const PriceBook book;
  const auto price = [&](const char* chip, const GivenPurchase& given) {
    const Accelerator& accelerator = catalog.accelerator(chip);
    return *server_price(accelerator, catalog.system(accelerator.system), book, given).usd_per_gpu;
  };
  CHECK(price("h100-sxm", {{}, 400000}) == 50000);      // 8 in a DGX
  CHECK(price("gb200-nvl72", {{}, 3600000}) == 50000);  // 72 in a rack
  // A chip without its server costs 1.64 times as much with it.
  CHECK_THAT(price("h100-sxm", {50000, {}}), WithinRel(50000 * 1.64, 1e-12));
}

// $39,388 in server and network at 10 % a year are $0.4493 an hour.
TEST_CASE("the cost of capital is a rate on the book value", "[cost][ownership]") {
  OwnershipInputs inputs;
  inputs.mean_draw = assumed().mean_draw;
  inputs.server_usd_per_gpu = 31904.6;
  inputs.capital_rate = 0.10;
  CHECK_THAT(compute_ownership(inputs).of(Part::capital).value(), WithinRel(0.44934, 1e-4));
  // Jorgenson's user cost: price x (rate + depreciation), 0.14 ln 10 = 32.236 % a year.
  const OwnershipCost hour = compute_ownership(inputs);
  CHECK_THAT(*hour.of(Part::capital) + *hour.of(Part::servers) + *hour.of(Part::network),
             WithinRel(31904.6 / 0.81 * (0.10 + 0.322362) / 8766, 1e-5));
  inputs.capital_rate = 0;
  CHECK(compute_ownership(inputs).of(Part::capital) == 0);
}

TEST_CASE("the bill of an owner sums to its total", "[cost][bill][ownership]") {
  OwnershipInputs owner;
  owner.mean_draw = assumed().mean_draw;
  owner.server_usd_per_gpu = 40000;
  owner.system_watts_per_gpu = 1275;
  owner.usd_per_kwh = 0.0826;
  const OwnershipCost cost_per_hour = compute_ownership(owner);
  const PriceQuote rent = given_price(2.8);
  BillInputs inputs;
  inputs.own = true;
  inputs.ownership = &cost_per_hour;
  inputs.price = &rent;
  inputs.gpu_hours = 12345.6;
  inputs.kwh = 12345.6 * 1.1953125;
  inputs.usd_per_kwh = 0.0826;
  CostResult cost;
  make_bill(inputs, cost);
  CHECK_THAT(cost.total.value(), WithinRel(12345.6 * cost_per_hour.total.value(), 1e-12));
  CHECK(cost.break_even_utilization.has_value());
}

TEST_CASE("the purchase price is the user's, else a machine's, else a chip's",
          "[cost][ownership]") {
  Accelerator chip;
  chip.name = "a100-sxm-80gb";
  chip.server_price_multiple = Catalog().accelerator("a100-sxm-80gb").server_price_multiple;
  System system;
  PriceBook book;
  CHECK_FALSE(server_price(chip, system, book).usd_per_gpu.has_value());
  chip.price_usd = 10000;
  chip.price_source = "a survey";
  chip.price_date = "2025-03-04";
  PurchasePrice price = server_price(chip, system, book);
  CHECK_THAT(price.usd_per_gpu.value(), WithinRel(16600.0, 1e-12));
  CHECK(price.date.text == "2025-03-04");
  CHECK(price.source == "chip $10,000 x 1.66 for the server (Epoch AI) = $16,600; a survey");
  // Epoch AI's multiple of V100 servers.
  Accelerator older = chip;
  older.server_price_multiple = Catalog().accelerator("v100-sxm-32gb").server_price_multiple;
  CHECK_THAT(server_price(older, system, book).usd_per_gpu.value(), WithinRel(16900.0, 1e-12));
  // A quote of the machine comes before a multiple of the chip.
  system.title = "DGX";
  system.price_usd = 160000;
  system.price_gpus = 8;
  system.price_date = "2023-09";
  price = server_price(chip, system, book);
  CHECK(price.usd_per_gpu == 20000);
  CHECK(price.date.text == "2023-09");
  // The book's newest quote of what anybody can buy, without the cluster's network.
  const auto row = [](double usd, const char* day) {
    HardwarePrice out;
    out.item = "HGX";
    out.accelerator = "a100-sxm-80gb";
    out.gpus = 8;
    out.low = out.median = out.high = usd;
    out.date = {day, day, day};
    out.source = "quotes";
    return out;
  };
  book.hardware = {row(148390, "2025-03-04"), row(180000, "2022-01-01"), row(100000, "2025-08-01"),
                   row(250000, "2025-09-01")};
  book.hardware[2].hyperscaler = true;
  book.hardware[3].all_in = true;
  price = server_price(chip, system, book);
  CHECK(price.usd_per_gpu == 148390 / 8.0);
  CHECK(price.date.text == "2025-03-04");
  CHECK(price.source == "HGX: $148,390 / 8 = $18,549 per accelerator; quotes");
  system.price_date = "2025-06";
  CHECK(server_price(chip, system, book).usd_per_gpu == 20000);  // newer than the book's
  // The user's price of the chip comes first.
  CHECK_THAT(server_price(chip, system, book, {20000.0, {}}).usd_per_gpu.value(),
             WithinRel(33200.0, 1e-12));
}

TEST_CASE("an owned hour names the rent of its break-even", "[cost][bill][ownership]") {
  OwnershipCost hour;
  const auto stands = [&](Part part, double usd) {
    hour.standing_parts[static_cast<std::size_t>(part)] = usd;
  };
  stands(Part::servers, 1);
  stands(Part::network, 0.25);
  stands(Part::capital, 0.25);
  stands(Part::colocation, 0.25);
  stands(Part::support, 0);
  hour.energy = 0.1;
  hour.idle = 0.4375;
  hour.total = 2.2875;
  const PriceQuote rent = given_price(1.85);
  BillInputs inputs;
  inputs.own = true;
  inputs.ownership = &hour;
  inputs.price = &rent;
  inputs.gpu_hours = 100;
  inputs.kwh = 120;
  inputs.usd_per_kwh = 0.1 * 100 / 120;
  CostResult cost;
  make_bill(inputs, cost);
  CHECK_THAT(cost.break_even_utilization.value(), WithinRel(1.0, 1e-12));  // 1.75 / (1.85 - 0.1)
  CHECK(cost.rent_per_gpu_hour == 1.85);
  CHECK(cost.rent_source == "given by the user (--price)");
  const auto step = derive_break_even(hour, 1.85, "a quote");
  REQUIRE(step.has_value());
  CHECK(step->numbers == "(1.0000 + 0.2500 + 0.2500 + 0.2500) / (1.85 - 0.1000)");
  CHECK(derive_break_even(hour, 0.05, "a quote")->result.starts_with("none"));
  inputs.own = false;
  make_bill(inputs, cost);
  CHECK_FALSE(cost.rent_per_gpu_hour.has_value());
}

TEST_CASE("energy and carbon", "[cost][energy]") {
  const auto row = test_vector("energy/H100 chip-hour");
  const double watts =
      row["inputs"]["tdp"].get<double>() * 1000 * row["inputs"]["server_mult"].get<double>();
  CHECK_THAT(kwh_per_gpu_hour(watts, assumed().mean_draw, 1.25),
             WithinRel(row["expected"]["kwh"].get<double>(), 1e-9));

  EnergyInputs inputs;
  inputs.gpu_hours = 30.84e6;
  inputs.tokens = 15.6e12;
  inputs.tokens_per_second_per_gpu = 150;
  inputs.system_watts_per_gpu = 700;  // boards only, all of their power, as the model card has it
  inputs.mean_draw = 1;
  inputs.pue = 1;
  inputs.kg_co2_per_kwh = test_vector("carbon/llama3.1-405b factor")["expected"].get<double>();
  const EnergyResult energy = compute_energy(inputs);
  CHECK_THAT(energy.co2_kg.value(), WithinRel(8930e3, 1e-9));
  CHECK_THAT(energy.tokens_per_mwh.value(), WithinRel(15.6e12 / 21588, 1e-9));
  CHECK_THAT(energy.tokens_per_second_per_megawatt.value(), WithinRel(150 / 700e-6, 1e-12));
  inputs.system_watts_per_gpu.reset();
  CHECK_FALSE(compute_energy(inputs).kwh.has_value());
}

TEST_CASE("a system without published power has a multiple of its board's", "[cost][energy]") {
  Accelerator chip = assumed();
  chip.vendor = "AMD";
  chip.title = "MI300X";
  chip.power_watts = 750;
  chip.power_source = "data sheet";
  System system;
  system.title = "8 x MI300X";
  SystemPower power = system_power(chip, system);
  CHECK_THAT(power.watts.value(), WithinRel(1350.0, 1e-12));
  CHECK(power.assumed);
  CHECK(power.source.starts_with("data sheet; "));
  chip.vendor = "Google";  // the maker's name decides nothing
  CHECK_THAT(system_power(chip, system).watts.value(), WithinRel(1350.0, 1e-12));
  chip.server_power_multiple = Catalog().accelerator("tpu-v5e").server_power_multiple;
  CHECK_THAT(system_power(chip, system).watts.value(), WithinRel(1170.0, 1e-12));
  // The rule comes near what DGX H100 publishes: 10.2 kW of eight boards of 700 W.
  CHECK_THAT(700 * assumed().server_power_multiple, WithinRel(10200.0 / 8, 0.02));
  system.power_per_gpu_watts = 1275;
  power = system_power(chip, system);
  CHECK(power.watts == 1275);
  CHECK_FALSE(power.assumed);
  system.power_per_gpu_watts.reset();
  chip.power_watts.reset();
  CHECK_FALSE(system_power(chip, system).watts.has_value());  // unknown is never zero
}

TEST_CASE("energy includes experiments and evaluation", "[cost][energy]") {
  EnergyInputs inputs;
  inputs.mean_draw = assumed().mean_draw;
  inputs.gpu_hours = 1000;
  inputs.tokens = 1e9;
  inputs.tokens_per_second_per_gpu = 100;
  inputs.system_watts_per_gpu = 1000;
  inputs.kg_co2_per_kwh = 0.4;
  const EnergyResult run = compute_energy(inputs);
  inputs.beyond = 2;
  const EnergyResult all = compute_energy(inputs);
  CHECK_THAT(all.kwh.value(), WithinRel(3 * 1000 * 0.75 * 1.25, 1e-12));
  CHECK_THAT(all.co2_kg.value(), WithinRel(3 * *run.co2_kg, 1e-12));
  CHECK_THAT(all.tokens_per_mwh.value(), WithinRel(*run.tokens_per_mwh / 3, 1e-12));
  CHECK(all.tokens_per_second_per_megawatt == run.tokens_per_second_per_megawatt);
  const auto steps = derive_energy(inputs, all);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].numbers == "1000 x (1 + 2) x 1 x 0.75 x 1.25");
  CHECK(steps[2].result == "80000");  // 100 / (1 kW x 1.25) per MW
}

TEST_CASE("checkpoints and storage", "[cost][storage]") {
  const auto row = test_vector("storage/checkpoint llama3-405b 14B/p");
  const double params = row["inputs"]["N"];
  CHECK_THAT(checkpoint_bytes(params, params) / 1e12,
             WithinRel(row["expected"].get<double>(), 1e-9));
  CHECK(weights_bytes(params) == 2 * params);
  CHECK(checkpoint_bytes(7e9, 1e8) == 2 * 7e9 + 12 * 1e8);  // adapters on a frozen model

  StorageInputs inputs;
  inputs.dataset_bytes = 10e12;
  inputs.full_checkpoint_bytes = 1e12;
  inputs.weights_checkpoint_bytes = 1e11;
  inputs.full_kept = 3;
  inputs.weights_kept = 20;
  inputs.wall_seconds = 2 * 730.5 * 3600;
  inputs.egress_bytes = 5e12;
  const StorageUse use = compute_storage(inputs);
  CHECK_THAT(use.dataset_gb_months, WithinRel(20000.0, 1e-12));
  CHECK_THAT(use.full_gb_months, WithinRel(6000.0, 1e-12));
  CHECK_THAT(use.weights_gb_months, WithinRel(10.5 * 200, 1e-12));
  CHECK_THAT(use.egress_gb, WithinRel(5000.0, 1e-12));
  const auto steps = derive_storage(inputs, use);
  REQUIRE(steps.size() == 4);
  CHECK(steps[1].numbers == "3 x 1000 GB x 2");
  CHECK(steps[1].result == "6000 GB-months");
  CHECK(steps[2].numbers == "(20 + 1)/2 x 100 GB x 2");
}
