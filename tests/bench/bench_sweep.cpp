// SPDX-License-Identifier: Apache-2.0
// Rows of a sweep per second on one core, and the same rows only formatted.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "catalog_fixture.h"
#include "report/about/sweep.h"
#include "study/sweep/plan.h"
#include "study/sweep/worker.h"

namespace {

using namespace trcost;

constexpr const char* kSelected =
    "performance.mfu,memory.total_bytes,memory.fits,wall_clock_seconds,gpu_hours,cost.total";

// A layout per row: cluster size, tensor parallelism and batch change from row to row.
SweepRequest fixed(const std::string& select) {
  SweepRequest out;
  out.base.set_number(Field::model_params, 8e9);
  out.base.set_number(Field::data_tokens, 1e12);
  out.base.set_text(Field::hardware_accelerator, "h100-sxm");
  for (const Field degree : {Field::layout_pp, Field::layout_vp, Field::layout_cp, Field::layout_ep,
                             Field::train_micro_batch}) {
    out.base.set_number(degree, 1);
  }
  out.base.set_text(Field::layout_sharding, "optimizer");
  out.base.set_text(Field::layout_recompute, "none");
  out.vary = {"cost.price_per_gpu_hour=1..3:0.001", "train.global_batch=1024..4096:1024",
              "layout.tp=1..8:x2", "hardware.gpus=32..1024:x2"};
  out.select = select;
  return out;
}

// The layout of every row is searched.
SweepRequest planned(const std::string& select) {
  SweepRequest out;
  out.base.set_text(Field::hardware_accelerator, "h100-sxm,b200");
  out.vary = {"data.tokens=1e11..1e12:1e9", "model.params=1e9,8e9,70e9",
              "hardware.gpus=64,256,1024"};
  out.select = select;
  return out;
}

void rows(benchmark::State& state, const SweepRequest& request, bool compute) {
  const SweepPlan plan(request, test_catalog());
  const SweepRenderer render = sweep_renderer(plan, Format::csv);
  SweepWorker worker(plan, test_catalog());
  std::string out;
  std::uint64_t index = 0;
  std::int64_t bytes = 0;
  worker.go_to(0);
  SweepRow row = worker.compute();
  for (auto _ : state) {
    if (compute) {
      worker.go_to(index);
      row = worker.compute();
      if (++index == plan.size()) index = 0;
    }
    out.clear();
    render(row, out);
    benchmark::DoNotOptimize(out.data());
    bytes += static_cast<std::int64_t>(out.size());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  state.SetBytesProcessed(bytes);
}

BENCHMARK_CAPTURE(rows, fixed_selected, fixed(kSelected), true);
BENCHMARK_CAPTURE(rows, fixed_selected_only_formatted, fixed(kSelected), false);
BENCHMARK_CAPTURE(rows, fixed_full_row, fixed(""), true);
BENCHMARK_CAPTURE(rows, fixed_full_row_only_formatted, fixed(""), false);
BENCHMARK_CAPTURE(rows, planned_selected, planned(kSelected), true);
BENCHMARK_CAPTURE(rows, planned_full_row, planned(""), true);

}  // namespace

BENCHMARK_MAIN();
