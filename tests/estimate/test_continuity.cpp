// SPDX-License-Identifier: Apache-2.0
// A question that changes by 1% has an answer that changes little: defaults have no cliffs.
#include <cmath>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

double cost_of(const Scenario& s) {
  Estimate out;
  Estimator(test_catalog(), {.assumptions = false, .derivations = false, .range = false})
      .run_one(s, "h100-sxm", out);
  return *out.cost.total;
}

// Checks 1% steps of a field at points from `low` to `high`, a factor `stride` apart.
void check_steps(Scenario s, Field field, double low, double high, double stride) {
  constexpr double kStep = 1.01, kMost = 0.05;
  for (double x = low; x < high; x *= stride) {
    const double from = std::round(x), to = std::round(x * kStep);
    s.set_number(field, from);
    const double before = cost_of(s);
    s.set_number(field, to);
    const double after = cost_of(s);
    INFO(field_info(field).path << " " << from << " -> " << to << ": $" << before << " -> $"
                                << after);
    CHECK(std::abs(after / before - 1) < kMost);
  }
}

Scenario text_run(double params) {
  Scenario s;
  s.set_number(Field::model_params, params);
  return s;
}

}  // namespace

TEST_CASE("1% more parameters of a small model cost about 1% more", "[estimate][continuity]") {
  // Below 140M parameters one layer more is up to 6% of the time of a step.
  Scenario s;
  check_steps(s, Field::model_params, 1.4e8, 1.4e9, 1.013);
  s.set_number(Field::data_tokens, 1e9);
  s.set_number(Field::hardware_gpus, 8);
  check_steps(s, Field::model_params, 1.4e8, 1.4e9, 1.013);
}

TEST_CASE("1% more tokens or samples change the cost by less than 5%", "[estimate][continuity]") {
  check_steps(text_run(7e9), Field::data_tokens, 1e8, 1e13, 1.07);
  Scenario vision = text_run(10e9);
  vision.set_text(Field::model_modality, "vl");
  check_steps(vision, Field::data_tokens, 1e8, 1e13, 1.07);
  Scenario adapted;
  adapted.set_text(Field::model_name, "llava-1.5-7b");
  adapted.set_text(Field::train_recipe, "lora");
  adapted.set_number(Field::hardware_gpus, 8);
  check_steps(adapted, Field::data_tokens, 1e8, 1e12, 1.07);
  check_steps(adapted, Field::data_samples, 1e4, 1e10, 1.07);
}

TEST_CASE("1% longer sequences, deadlines or prices change the cost by less than 5%",
          "[estimate][continuity]") {
  Scenario s = text_run(7e9);
  s.set_number(Field::data_tokens, 1e12);
  check_steps(s, Field::hardware_deadline, 7 * 86400.0, 365 * 86400.0, 1.03);
  s.set_number(Field::hardware_gpus, 64);
  check_steps(s, Field::data_seq_length, 512, 131072, 1.03);
  for (double price = 0.5; price < 20; price *= 1.3) {
    s.set_number(Field::cost_price_per_gpu_hour, price);
    const double before = cost_of(s);
    s.set_number(Field::cost_price_per_gpu_hour, 1.01 * price);
    CHECK(cost_of(s) / before == Approx(1.01).epsilon(1e-6));
  }
}
