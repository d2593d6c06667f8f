// SPDX-License-Identifier: Apache-2.0
// How fast estimates become rows: sweeps write millions.
#include <benchmark/benchmark.h>

#include "report/row_text.h"
#include "report/sample_estimate.h"
#include "trcost/report.h"

using namespace trcost;

namespace {

constexpr std::size_t kBuffer = 1U << 20U;

void append_rows(benchmark::State& state, const RowText& row) {
  const Estimate estimate = sample::one();
  std::string out;
  out.reserve(kBuffer * 2);
  for (auto _ : state) {
    row.append(out, estimate);
    if (out.size() > kBuffer) out.clear();
    benchmark::DoNotOptimize(out.data());
  }
}

void csv_full_row(benchmark::State& state) {
  append_rows(state, {all_columns(), Format::csv});
}
BENCHMARK(csv_full_row);

void csv_ten_columns(benchmark::State& state) {
  std::vector<const EstimateColumn*> chosen;
  for (const char* path : {"accelerator", "gpus", "precision", "tokens.total", "performance.mfu",
                           "performance.step_seconds", "gpu_hours", "wall_clock_seconds",
                           "cost.price_per_gpu_hour", "cost.total"}) {
    chosen.push_back(&require_column(path));
  }
  append_rows(state, {chosen, Format::csv});
}
BENCHMARK(csv_ten_columns);

void jsonl_full_row(benchmark::State& state) {
  append_rows(state, {all_columns(), Format::jsonl});
}
BENCHMARK(jsonl_full_row);

void five_platforms(benchmark::State& state, Format format) {
  const std::vector<Estimate> estimates = sample::five();
  Report report;
  report.estimates = estimates;
  for (auto _ : state) benchmark::DoNotOptimize(render(report, format, {}));
}
BENCHMARK_CAPTURE(five_platforms, table, Format::table);
BENCHMARK_CAPTURE(five_platforms, json, Format::json);
BENCHMARK_CAPTURE(five_platforms, html, Format::html);

}  // namespace

BENCHMARK_MAIN();
