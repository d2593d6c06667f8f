// SPDX-License-Identifier: Apache-2.0
// Serving: one point, and a curve with its layout searched.
#include <benchmark/benchmark.h>

#include "planner/serving_layout.h"
#include "trcost/catalog.h"
#include "trcost/serving_point.h"

namespace {

using namespace trcost;

struct Served {
  Catalog catalog;
  ServedModel model = served_model(catalog.model("deepseek-v3"));
  const Accelerator& chip = catalog.accelerator("gb200-nvl72");
  ServingChip serving = catalog.serving_chip(chip, catalog.system(chip.system));
  const Engine& engine = catalog.engine("trtllm");
};

const Served& served() {
  static const Served instance;
  return instance;
}

/// One point of a mixture of experts: to stay below 10 microseconds.
void point(benchmark::State& state) {
  const Served& s = served();
  const ServingModel model(s.model, s.serving, s.engine, WeightFormat::nvfp4, 1, {32, 1, 32, 32});
  ServingLoad load{1024, 1024, 64};
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.at(load));
    load.concurrency = *load.concurrency > 4000 ? 1 : *load.concurrency + 1;
  }
}
BENCHMARK(point);

/// Fifty speeds with the layout searched for each: to stay below 50 milliseconds.
void curve(benchmark::State& state) {
  const Served& s = served();
  ServingSearch search;
  search.most_gpus = 72;
  for (auto _ : state) {
    for (int i = 1; i <= 50; ++i) {
      search.tokens_per_second_per_user = 3.0 * i;
      benchmark::DoNotOptimize(
          choose_serving(s.model, s.serving, s.engine, WeightFormat::nvfp4, 1, search));
    }
  }
}
BENCHMARK(curve)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
