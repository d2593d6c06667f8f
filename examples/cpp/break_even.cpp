// SPDX-License-Identifier: Apache-2.0
// At which hourly price does each platform cost as much as the cheapest? A question that the
// command line answers with `trcost solve`, written out with the library.
#include <trcost/catalog.h>
#include <trcost/error.h>
#include <trcost/estimate.h>

#include <algorithm>
#include <cstdio>

int main() {
  try {
    trcost::Scenario scenario;
    scenario.set_number(trcost::Field::model_params, 8e9);
    scenario.set_number(trcost::Field::data_tokens, 1e12);
    scenario.set_text(trcost::Field::efficiency_stack, "megatron");

    const trcost::Catalog catalog;
    const std::vector<trcost::Estimate> answers = trcost::estimate(scenario, catalog);
    const auto cheapest = std::ranges::min_element(
        answers, {}, [](const trcost::Estimate& each) { return each.cost.total.value_or(1e300); });
    if (cheapest == answers.end() || !cheapest->cost.total) {
      std::puts("no platform has a known price");
      return 1;
    }
    std::printf("cheapest: %s, $%.0f\n", cheapest->accelerator.c_str(), *cheapest->cost.total);
    for (const trcost::Estimate& each : answers) {
      std::printf("%-14s breaks even at $%.2f per GPU-hour\n", each.accelerator.c_str(),
                  *cheapest->cost.total / each.gpu_hours);
    }
  } catch (const trcost::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), error.hint.c_str());
    return 1;
  }
}
