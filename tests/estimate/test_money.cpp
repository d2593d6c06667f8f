// SPDX-License-Identifier: Apache-2.0
// Owning, energy, spot and unknown prices in whole estimates.
#include <algorithm>
#include <cmath>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "cost/energy.h"
#include "cost/make_bill.h"
#include "estimate/answer.h"
#include "estimate/range/range_draws.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

// 7B parameters and 1T tokens at a given speed: layouts do not matter here.
Scenario seven_billion(const char* accelerator, double gpus = 64) {
  Scenario s;
  s.set_number(Field::model_params, 7e9);
  s.set_number(Field::data_tokens, 1e12);
  s.set_text(Field::hardware_accelerator, accelerator);
  s.set_number(Field::hardware_gpus, gpus);
  s.set_number(Field::efficiency_mfu, 0.4);
  return s;
}

double owned_hour(const char* accelerator) {
  Scenario s = seven_billion(accelerator);
  s.set_text(Field::cost_pricing, "own");
  return answer(s).cost.price_per_gpu_hour.value();
}

}  // namespace

TEST_CASE("owning an older chip costs less than owning a newer one", "[estimate][ownership]") {
  const double a100 = owned_hour("a100-sxm-80gb");
  const double h100 = owned_hour("h100-sxm");
  const double h200 = owned_hour("h200");
  const double b200 = owned_hour("b200");
  CHECK(a100 < h100);
  CHECK(h100 < h200);
  CHECK(h200 < b200);
  CHECK(h100 < owned_hour("gb200-nvl72"));
  CHECK(owned_hour("gb200-nvl72") < owned_hour("gb300-nvl72"));
}

TEST_CASE("an H100 bought as a chip of $30,000", "[estimate][ownership]") {
  Scenario s = seven_billion("h100-sxm");
  s.set_text(Field::cost_pricing, "own");
  s.set_number(Field::cost_purchase_price, 30000);
  const Estimate e = answer(s);
  CHECK_THAT(e.cost.items[0].unit_price.value(), WithinAbs(1.81, 0.005));
  CHECK_THAT(e.cost.items[1].unit_price.value(), WithinAbs(0.42, 0.005));
}

// 300,000 H100: x $31,904.60 x what a quote of 2025-03-04 has fallen to / 0.81 of cash, and x 1.275
// kW x PUE 1.25 = 478 MW.
TEST_CASE("owning says the cash and the megawatts that it takes", "[estimate][ownership]") {
  Scenario s = seven_billion("h100-sxm", 300000);
  s.set_text(Field::cost_pricing, "own");
  s.set_number(Field::cost_purchase_price, 30000);
  s.set_number(Field::data_tokens, 1e15);
  const Estimate e = answer(s);
  CHECK_THAT(e.cost.machines.value().usd, WithinRel(300000.0 * 30000 * 1.64 / 0.81, 1e-9));
  CHECK_THAT(e.energy.site_megawatts.value(), WithinRel(478.125, 1e-9));
  // The user's price is what was paid, however long ago; what it is worth fell by 11 % a year.
  s.set_number(Field::cost_hardware_age, 365.25 * 86400);
  const Estimate old = answer(s);
  CHECK(old.cost.machines.value().usd == e.cost.machines.value().usd);
  CHECK_THAT(*old.cost.items[0].unit_price / *e.cost.items[0].unit_price,
             WithinRel(0.886920, 1e-5));
  s.set_text(Field::cost_pricing, "on-demand");
  CHECK_FALSE(answer(s).cost.machines.has_value());
  CHECK(answer(s).energy.site_megawatts == e.energy.site_megawatts);
}

// total x what a driver does to it, by estimates that ask for that: each row's own terms say it.
TEST_CASE("what the terms say a price moves is what it moves", "[estimate][bill][property]") {
  struct Moved {
    Driver driver;
    Field field;
    const char* pricing;
  };
  for (const Moved& each : {Moved{Driver::rent, Field::cost_price_per_gpu_hour, "on-demand"},
                            Moved{Driver::capital, Field::cost_purchase_price, "own"},
                            Moved{Driver::colocation, Field::cost_colocation, "own"},
                            Moved{Driver::electricity, Field::cost_electricity_price, "own"},
                            Moved{Driver::experiments, Field::cost_experiments, "own"},
                            Moved{Driver::evaluation, Field::cost_evaluation, "on-demand"},
                            Moved{Driver::egress, Field::cost_egress, "on-demand"}}) {
    Scenario s = seven_billion("h100-sxm");
    s.set_text(Field::cost_pricing, each.pricing);
    s.set_number(Field::cost_experiments, 0.7);
    s.set_number(Field::cost_evaluation, 0.3);
    // A default overhead covers evaluations first, a given one stands beside them.
    s.set_number(Field::efficiency_production_overhead, 0.9);
    s.set_number(Field::cost_egress, 1e15);
    if (each.field != Field::cost_experiments && each.field != Field::cost_evaluation &&
        each.field != Field::cost_egress) {
      s.set_number(each.field, 3);
    }
    const CostResult before = answer(s).cost;
    s.set_number(each.field, 1.25 * *s.number(each.field));
    const CostResult after = answer(s).cost;
    const Dollars dollars = included_dollars(before);
    INFO(field_info(each.field).path);
    CHECK_THAT(dollars.total(), WithinRel(*before.total, 1e-12));
    CHECK_THAT(*after.total / *before.total,
               WithinRel(1 + 0.25 * dollars.elasticities()[each.driver], 1e-9));
    DriverLogs at;
    at.add(Exponents().with(each.driver, 1), std::log(1.25));
    CHECK_THAT(changed_total(dollars, at), WithinRel(*after.total, 1e-9));
    for (const LineItem& item : before.items) {
      if (!item.included) continue;
      double sum = 0;
      for (const Term& term : item.terms) sum += term.usd;
      CHECK_THAT(sum, WithinRel(*item.amount, 1e-12));
    }
  }
}

TEST_CASE("with owning a price is the rent to compare with", "[estimate][ownership]") {
  Scenario s = seven_billion("h100-sxm");
  s.set_text(Field::cost_pricing, "own");
  const Estimate plain = answer(s);
  s.set_number(Field::cost_price_per_gpu_hour, 2);
  const Estimate e = answer(s);
  CHECK(e.cost.total == plain.cost.total);
  CHECK(e.cost.rent_per_gpu_hour == 2);
  const double fixed = *e.cost.items[0].unit_price + *e.cost.items[1].unit_price +
                       *e.cost.items[2].unit_price + *e.cost.items[3].unit_price;
  const double energy = *e.energy.kwh * 0.0826 / e.gpu_hours;
  CHECK_THAT(e.cost.break_even_utilization.value(), WithinRel(fixed / (2 - energy), 1e-9));
  // A sweep, which prepares prices once, says the same.
  EstimateOptions quiet;
  quiet.assumptions = false;
  Estimator estimator(test_catalog(), quiet);
  CHECK(estimator.run(s).front().cost.total == plain.cost.total);
}

TEST_CASE("energy where only the board's power is published", "[estimate][energy]") {
  const Scenario s = seven_billion("mi300x");
  const Estimate e = answer(s);
  CHECK_THAT(e.energy.kwh.value() / e.gpu_hours, WithinRel(0.75 * 1.8 * 0.75 * 1.25, 1e-12));
  CHECK(e.complete);
  const Assumption* power = find_assumption(e, "cost.watts_per_gpu");
  REQUIRE(power != nullptr);
  CHECK(power->value == "1350");
  CHECK(power->source.find("Epoch AI") != std::string::npos);
  Scenario given = s;
  given.set_number(Field::cost_watts_per_gpu, 1350);
  CHECK(answer(given).energy.kwh == e.energy.kwh);
  CHECK(find_assumption(answer(given), "cost.watts_per_gpu") == nullptr);
  CHECK(find_assumption(answer(seven_billion("h100-sxm")), "cost.watts_per_gpu") == nullptr);
}

TEST_CASE("energy stays unknown where no power is published", "[estimate][energy]") {
  for (const char* name : {"tpu-v5p", "tpu-v6e"}) {
    const Estimate e = answer(seven_billion(name, 256));
    CHECK_FALSE(e.energy.kwh.has_value());
    CHECK_FALSE(e.complete);
  }
}

TEST_CASE("each power has a source, and what has one gives energy", "[estimate][energy]") {
  for (const std::string& name : test_catalog().names(CatalogKind::accelerators)) {
    const Accelerator& chip = test_catalog().accelerator(name);
    const System& system = test_catalog().system(chip.system);
    INFO(name);
    CHECK(chip.power_watts.has_value() == !chip.power_source.empty());
    CHECK(system.power_per_gpu_watts.has_value() == !system.power_source.empty());
    const bool published = chip.power_watts || system.power_per_gpu_watts;
    const SystemPower power = system_power(chip, system);
    CHECK(power.watts.has_value() == published);
    if (published) {
      // A GH200 may be set to 1,000 W with its CPU; those of Alps draw 685 with all around them.
      CHECK(*power.watts > (name.starts_with("gh200") ? 0.6 : 1.0) * chip.power_watts.value_or(0));
      CHECK(*power.watts < 3 * std::max(chip.power_watts.value_or(0), 100.0));
    }
  }
}

TEST_CASE("experiments bring their energy, and an owner pays it once", "[estimate][energy]") {
  Scenario s = seven_billion("h100-sxm");
  s.set_text(Field::cost_pricing, "own");
  const Estimate one = answer(s);
  s.set_number(Field::cost_experiments, 2);
  const Estimate three = answer(s);
  CHECK_THAT(three.energy.kwh.value(), WithinRel(3 * *one.energy.kwh, 1e-12));
  CHECK_THAT(three.energy.co2_kg.value(), WithinRel(3 * *one.energy.co2_kg, 1e-12));
  CHECK_THAT(three.cost.total.value(), WithinRel(3 * *one.cost.total, 1e-9));
  CHECK(three.gpu_hours == one.gpu_hours);
}

TEST_CASE("spot names its preemption rate as a field that gives the same again",
          "[estimate][spot]") {
  Scenario s = seven_billion("h100-sxm", 1);
  s.set_text(Field::cost_pricing, "spot");
  const Estimate e = answer(s);
  const Assumption* note = find_assumption(e, "efficiency.preemption_hours");
  REQUIRE(note != nullptr);
  CHECK(std::stod(note->value) == 24);
  CHECK(find_assumption(e, "efficiency.failure_gpu_hours") == nullptr);
  s.set_number(Field::efficiency_preemption_hours, 24);
  CHECK(answer(s).gpu_hours == e.gpu_hours);
  s.set_number(Field::efficiency_preemption_hours, 2);
  CHECK(answer(s).performance.goodput < e.performance.goodput);
}

TEST_CASE("spot that costs more than on-demand is said", "[estimate][spot]") {
  Scenario s = seven_billion("h100-sxm", 4096);
  s.set_number(Field::model_params, 8e9);
  s.set_number(Field::data_tokens, 15e12);
  s.set_text(Field::cost_pricing, "spot");
  const Estimate spot = answer(s);
  CHECK(has_warning(spot, "spot costs more than on-demand"));
  s.set_text(Field::cost_pricing, "on-demand");
  const Estimate steady = answer(s);
  REQUIRE(*spot.cost.total > *steady.cost.total);
  s.set_text(Field::cost_pricing, "spot");
  s.set_number(Field::hardware_gpus, 64);
  CHECK_FALSE(has_warning(answer(s), "spot costs more"));
}

TEST_CASE("an input that is not used is said", "[estimate][bill]") {
  Scenario s = seven_billion("h100-sxm");
  s.set_number(Field::cost_purchase_price, 30000);
  CHECK(has_warning(answer(s), "--purchase-price is not used"));
  s.set_text(Field::cost_pricing, "own");
  CHECK_FALSE(has_warning(answer(s), "is not used"));
  Scenario priced = seven_billion("h100-sxm");
  priced.set_text(Field::cost_provider, "Lambda");
  CHECK_FALSE(has_warning(answer(priced), "--provider"));
  priced.set_number(Field::cost_price_per_gpu_hour, 2);
  CHECK(has_warning(answer(priced), "--provider does not choose the price"));
}

TEST_CASE("a bill with a price that is not known is not complete", "[estimate][bill]") {
  const Estimate known = answer(seven_billion("h100-sxm"));
  CHECK(known.complete);
  Scenario s = seven_billion("h100-sxm");
  s.set_text(Field::cost_region, "ca");  // no electricity price is known there
  s.set_number(Field::cost_price_per_gpu_hour, 2);
  const Estimate e = answer(s);
  REQUIRE(std::ranges::any_of(e.cost.items, [](const LineItem& item) { return !item.amount; }));
  CHECK(e.cost.total.has_value());
  CHECK_FALSE(e.complete);
}

TEST_CASE("an interval longer than the run is the run", "[estimate][failures]") {
  Scenario s = seven_billion("h100-sxm");
  s.set_number(Field::data_tokens, 1e10);
  s.set_number(Field::cost_checkpoint_interval, 1000 * 86400.0);
  const Estimate e = answer(s);
  CHECK(e.performance.goodput > 0.98);
  s.set_number(Field::cost_spares, 1);
  CHECK_THROWS_AS(answer(s), Error);
}

// The default overhead of a run from scratch is 0.75, so 1 / 0.75 - 1 = 1/3 of the steps' time
// holds evaluations. Half of the steps' time is 1.5 x 0.75 - 1 = 12.5% of the run's hours beyond
// it.
TEST_CASE("a default overhead covers evaluations before they are charged", "[estimate][bill]") {
  const auto total = [](double evaluation, double overhead) {
    Scenario s = seven_billion("h100-sxm");
    if (evaluation > 0) s.set_number(Field::cost_evaluation, evaluation);
    if (overhead > 0) s.set_number(Field::efficiency_production_overhead, overhead);
    return *answer(s).cost.total;
  };
  CHECK(total(0.05, 0) == total(0, 0));
  CHECK_THAT(total(0.5, 0) / total(0, 0), WithinRel(1.125, 1e-9));
  CHECK_THAT(total(0.05, 0.75) / total(0, 0.75), WithinRel(1.05, 1e-9));
}

// Low 2, high 6, mode 3: a quarter lies below the mode, so the median is 6 - sqrt(4 x 3 / 2).
TEST_CASE("the headline of a triangular price is its median", "[estimate][range]") {
  Scenario s = seven_billion("h100-sxm");
  s.set_distribution(field_info(Field::cost_price_per_gpu_hour),
                     {Distribution::Kind::triangular, 2, 6, 3}, {});
  CHECK_THAT(*answer(s).cost.price_per_gpu_hour, WithinRel(6 - std::sqrt(6.), 1e-12));
}

// Quotes of $2.35, $4.10 and $2.80: total = GPU-hours x quote, whatever the price book says.
TEST_CASE("three quotes on three chips rank by the quotes", "[estimate][cost]") {
  Scenario s = seven_billion("h100-sxm,b200,mi300x");
  s.set(field_info(Field::cost_price_per_gpu_hour), "h100:2.35, b200:4.10,MI300X:2.8", "--price");
  CHECK_FALSE(s.has(Field::cost_price_per_gpu_hour));
  const std::vector<Estimate> answers = estimate(s, test_catalog());
  const double quotes[] = {2.35, 4.10, 2.80};
  REQUIRE(answers.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(answers[i].cost.price_per_gpu_hour == quotes[i]);
    CHECK_THAT(*answers[i].cost.total, WithinRel(answers[i].gpu_hours * quotes[i], 1e-12));
    CHECK_FALSE(answers[i].cost.doubts.imputed);
  }
  // 7e9 x 1e12 x 6 FLOP and more at 40 % of 989.4, 2250 and 1307.4 TFLOP/s: at equal MFU the hours
  // are as the peaks, so that B200 is the cheapest by 4.10 / 2250 < 2.80 / 1307.4 < 2.35 / 989.4.
  CHECK(*answers[1].cost.total < *answers[2].cost.total);
  CHECK(*answers[2].cost.total < *answers[0].cost.total);
}

TEST_CASE("a price of another accelerator leaves the price book's", "[estimate][cost]") {
  Scenario s = seven_billion("h100-sxm");
  const double listed = *answer(s).cost.price_per_gpu_hour;
  s.set(field_info(Field::cost_price_per_gpu_hour), "b200:4.10", "--price");
  CHECK(answer(s).cost.price_per_gpu_hour == listed);
  for (const char* text :
       {"h100:", ":2", "h100:2,", "h100:0", "h100:-1", "h100:2,H100:3", "a:b:c"}) {
    CHECK_THROWS_AS(s.set(field_info(Field::cost_price_per_gpu_hour), text, "--price"), Error);
  }
}

// Three years of a DGX H100 at $400,000 and 80% use, over 21,038.4 hours: 50,000 / 0.81 x (1 -
// 10^-0.42) = 38,258.7 of value lost, 0.1 x 38,258.7 / (0.14 ln 10) = 11,868.2 of capital.
TEST_CASE("owned machines are whole, and their mean hour is of three years",
          "[estimate][ownership]") {
  Scenario s = seven_billion("h100-sxm");
  s.set_text(Field::cost_pricing, "own");
  s.set_number(Field::cost_node_price, 400000);
  s.set_number(Field::cost_utilization, 0.8);
  s.set_number(Field::hardware_gpus, 60);
  const Estimate e = answer(s);
  CHECK(e.cost.machines.value().gpus == 64);
  CHECK_THAT(e.cost.machines.value().usd, WithinRel(64 * 50000 / 0.81, 1e-12));
  REQUIRE(e.cost.items[3].part == Part::colocation);
  REQUIRE(e.cost.items[5].part == Part::energy);
  const double space = e.cost.items[3].unit_price.value() / 0.8;
  const double energy = e.cost.items[5].amount.value() / e.gpu_hours;
  CHECK_THAT(e.cost.machines->mean_per_gpu_hour.value(),
             WithinRel((38258.7 + 11868.2) / 21038.4 + space + energy, 1e-4));
}

// A DGX H100 quoted at $400,000: 50,000 an accelerator. Per hour: 50,000 x 0.14 ln 10 / 8,766 =
// 1.838706; network x 0.19 / 0.81 = 0.431301; capital 50,000 / 0.81 x 0.1 / 8,766 = 0.704180;
// worked with bc.
TEST_CASE("an hour of a quoted node, by hand", "[estimate][ownership]") {
  Scenario s = seven_billion("h100-sxm");
  s.set_text(Field::cost_pricing, "own");
  s.set_number(Field::cost_node_price, 400000);
  const Estimate e = answer(s);
  CHECK_THAT(e.cost.items[0].unit_price.value(), WithinRel(1.838706, 1e-5));
  CHECK_THAT(e.cost.items[1].unit_price.value(), WithinRel(0.431301, 1e-5));
  CHECK_THAT(e.cost.items[2].unit_price.value(), WithinRel(0.704180, 1e-5));
  CHECK_THAT(e.cost.machines.value().usd, WithinRel(64 * 50000 / 0.81, 1e-12));
  CHECK_FALSE(e.cost.doubts.stale);
  s.clear(Field::cost_node_price);
  const Estimate listed = answer(s);
  CHECK(listed.cost.doubts.stale);  // the book's quote is of 2025-03
  CHECK(listed.range.total_usd->p90 / *listed.cost.total > e.range.total_usd->p90 / *e.cost.total);
}

// A lognormal through P50 and P90: at 95 % it is (P90 / P50) ^ (1.644854 / 1.281552).
TEST_CASE("a budget at 90% is P90, and the median at a half", "[estimate][range]") {
  const Estimate e = answer(seven_billion("h100-sxm"));
  const Quantiles& range = *e.range.total_usd;
  CHECK(total_at(e, 0.5) == e.cost.total);
  CHECK_THAT(*total_at(e, 0.9), WithinRel(*e.cost.total * range.p90 / range.p50, 1e-12));
  CHECK_THAT(*total_at(e, 0.1), WithinRel(*e.cost.total * range.p10 / range.p50, 1e-12));
  CHECK_THAT(*total_at(e, 0.95),
             WithinRel(*e.cost.total * std::pow(range.p90 / range.p50, 1.644854 / 1.281552), 1e-6));
}

// LLaMA-2 7B at 4,096 tokens: a layer has 4 x 4096^2 + 3 x 4096 x 11008 = 202,375,168 weights, 32
// of them and the head of 4096 x 32000 are 6,607,077,376, x 6 FLOPs. Causal attention adds 6 x 32 x
// 4096 x 4096: 42,863,689,728 FLOPs per token. 100B tokens at an MFU of 0.4 of 989.4 TFLOP/s,
// without losses: 42,863,689,728 x 1e11 / (0.4 x 989.4e12 x 3600) = 3,008.54 h. The price is
// lognormal from 1.90 (P10) to 3.20 (P90): median sqrt(1.9 x 3.2) = 2.46577, sigma ln(3.2 / 1.9) /
// (2 x 1.281552) = 0.203385. The tokens have a sigma of 0.1 (model.md 10), together sqrt(0.203385^2
// + 0.1^2) = 0.226637. Median 3,008.54 x 2.46577 = 7,418.34, P90 7,418.34 x exp(1.281552 x
// 0.226637) = 9,918.5.
TEST_CASE("a budget that holds in nine of ten cases, by hand", "[estimate][range]") {
  Scenario s;
  s.set_text(Field::model_name, "llama-2-7b");
  s.set_number(Field::data_tokens, 1e11);
  s.set_number(Field::data_seq_length, 4096);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 64);
  s.set_number(Field::efficiency_mfu, 0.4);
  s.set_number(Field::efficiency_goodput, 1);
  s.set_number(Field::efficiency_production_overhead, 1);
  s.set(field_info(Field::cost_price_per_gpu_hour), "1.9..3.2", "--price");
  const Estimate e = answer(s);
  CHECK_THAT(e.gpu_hours, WithinRel(3008.54, 1e-5));
  CHECK_THAT(*total_at(e, 0.5), WithinRel(7418.34, 1e-5));
  CHECK_THAT(*total_at(e, 0.9), WithinRel(9918.5, 1e-4));
}

// Llama 2 13B on 41,000 samples of airoboros over three epochs took 64 GPU-hours of A100
// (jondurbin/airoboros issue 14), whose length nobody stated.
TEST_CASE("samples of unknown length have a wide range, and stating it narrows it",
          "[estimate][range]") {
  Scenario s;
  s.set_text(Field::train_method, "sft");
  s.set_text(Field::model_name, "llama-2-13b");
  s.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
  s.set_number(Field::hardware_gpus, 4);
  s.set_number(Field::data_samples, 41000);
  s.set_number(Field::data_epochs, 3);
  const Quantiles unknown = answer(s).range.gpu_hours;
  CHECK(unknown.p10 < 64);
  CHECK(unknown.p90 > 64);
  s.set_number(Field::data_text_tokens_per_sample, 790);
  const Quantiles stated = answer(s).range.gpu_hours;
  CHECK(stated.p90 / stated.p10 < unknown.p90 / unknown.p10 / 1.2);
}
