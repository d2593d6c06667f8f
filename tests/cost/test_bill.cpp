// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "cost/vector_file.h"
#include "trcost/bill.h"

using namespace trcost;

namespace {

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
  inputs.storage_included = true;
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

TEST_CASE("a reused bill forgets the last one", "[cost][bill]") {
  const PriceQuote price = given_price(1);
  BillInputs inputs;
  inputs.gpu_hours = 10;
  inputs.price = &price;
  inputs.experiments = 2;
  inputs.evaluation = 0.5;
  CostResult cost;
  make_bill(inputs, cost);
  CHECK(cost.total == 35);
  inputs.experiments = inputs.evaluation = 0;
  make_bill(inputs, cost);
  CHECK(cost.total == 10);
  CHECK(cost.items.size() == 1);
}

TEST_CASE("the sum of the items is checked", "[cost][bill]") {
  CostResult cost;
  cost.items.push_back({"compute", 10, "GPU-hour", 2.0, 20.0, true, "", ""});
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
  const double server = depreciation_per_hour(30000 * kServerMultiplier);
  CHECK_THAT(server, WithinRel(row["expected"]["hw"].get<double>(), 1e-9));
  CHECK_THAT(network_cost(server), WithinRel(row["expected"]["interconnect"].get<double>(), 1e-9));
  CHECK_THAT(depreciated_price(100, 1), WithinRel(72.4436, 1e-5));  // 27.6 % a year
}

TEST_CASE("owning: parts, utilisation, break-even", "[cost][ownership]") {
  OwnershipInputs inputs;
  inputs.server_usd_per_gpu = 30000 * kServerMultiplier;
  inputs.system_watts_per_gpu = 1275;
  inputs.usd_per_kwh = 0.0826;
  inputs.utilization = 1;
  const OwnershipCost busy = compute_ownership(inputs);
  CHECK(busy.idle == 0);
  CHECK_THAT(busy.energy.value(), WithinRel(0.0987328125, 1e-9));
  CHECK_THAT(busy.colocation.value(), WithinRel(1.275 * 150 / 730.5, 1e-12));
  CHECK_THAT(busy.total.value(),
             WithinRel(*busy.server + *busy.network + *busy.energy + *busy.colocation, 1e-12));
  const double even = break_even_utilization(busy, 3.0).value();
  inputs.utilization = even;
  CHECK_THAT(compute_ownership(inputs).total.value(), WithinRel(3.0, 1e-12));
  CHECK(break_even_utilization(busy, 2.0).value() > 1);         // renting is cheaper at any load
  CHECK_FALSE(break_even_utilization(busy, 0.05).has_value());  // the energy alone costs more
  inputs.server_usd_per_gpu.reset();
  CHECK_FALSE(compute_ownership(inputs).total.has_value());
}

TEST_CASE("the bill of an owner sums to its total", "[cost][bill][ownership]") {
  OwnershipInputs owner;
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

TEST_CASE("purchase prices in order of preference", "[cost][ownership]") {
  Accelerator chip;
  chip.name = "a100-sxm-80gb";
  System system;
  PriceBook book;
  CHECK_FALSE(server_price(chip, system, book).usd_per_gpu.has_value());
  system.price_usd = 160000;
  system.price_gpus = 8;
  CHECK(server_price(chip, system, book).usd_per_gpu == 20000);
  chip.price_usd = 10000;
  CHECK_THAT(server_price(chip, system, book).usd_per_gpu.value(), WithinRel(16600.0, 1e-12));
  CHECK_THAT(server_price(chip, system, book, 20000.0).usd_per_gpu.value(),
             WithinRel(33200.0, 1e-12));
}

TEST_CASE("energy and carbon", "[cost][energy]") {
  const auto row = test_vector("energy/H100 chip-hour");
  const double watts =
      row["inputs"]["tdp"].get<double>() * 1000 * row["inputs"]["server_mult"].get<double>();
  CHECK_THAT(kwh_per_gpu_hour(watts, mean_draw("NVIDIA"), 1.25),
             WithinRel(row["expected"]["kwh"].get<double>(), 1e-9));
  CHECK(mean_draw("Google") == 0.43);

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
}
