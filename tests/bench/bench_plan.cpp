// SPDX-License-Identifier: Apache-2.0
// The search for a layout, and what it is made of: memory and step time of one layout.
#include <benchmark/benchmark.h>

#include <string>

#include "catalog_fixture.h"
#include "planner/plan.h"
#include "workload/default_model.h"

namespace {

using namespace trcost;

Workload workload(double params, double seq_length) {
  Workload w;
  w.language = shape_from_parameters(params, 128256);
  w.seq_length = w.attention_length = seq_length;
  return w;
}

/// 126 layers of 16,384, as Llama 3.1 405B has them (arXiv:2407.21783, table 3).
Workload llama_405b() {
  Workload w = workload(405e9, 8192);
  w.language.layers = 126;
  w.language.hidden = 16384;
  w.language.heads = 128;
  w.language.kv_heads = 8;
  w.language.ffn = 53248;
  return w;
}

StepModel model_of(const Workload& w, const std::string& accelerator, const std::string& stack) {
  const Accelerator& chip = test_catalog().accelerator(accelerator);
  return {w,
          {&chip, &test_catalog().system(chip.system), &test_catalog().efficiency(chip),
           &test_catalog().stack(stack), Precision::bf16}};
}

void search(benchmark::State& state, const Workload& w, const std::string& accelerator, double gpus,
            double batch) {
  const StepModel model = model_of(w, accelerator, "typical");
  PlanRequest request;
  request.gpus = gpus;
  request.batch_hint = batch;
  double evaluated = 0;
  for (auto _ : state) {
    const Plan found = plan(model, request);
    evaluated = found.evaluated;
    benchmark::DoNotOptimize(found);
  }
  state.counters["layouts"] = evaluated;
}

void plan_405b_16384(benchmark::State& state) {
  search(state, llama_405b(), "h100-sxm", 16384, 2048);
}
void plan_10b_16(benchmark::State& state) {
  search(state, workload(10e9, 4096), "h100-sxm", 16, 1024);
}
void plan_8b_8(benchmark::State& state) {
  search(state, workload(8e9, 4096), "h100-sxm", 8, 1024);
}
void plan_70b_512(benchmark::State& state) {
  search(state, workload(70e9, 4096), "a100-sxm-80gb", 512, 1024);
}
void plan_70b_72_rack(benchmark::State& state) {
  search(state, workload(70e9, 4096), "gb200-nvl72", 576, 1024);
}

void prepare(benchmark::State& state) {
  const Workload w = workload(10e9, 4096);
  for (auto _ : state) {
    const StepModel model = model_of(w, "h100-sxm", "typical");
    benchmark::DoNotOptimize(&model);
  }
}

Layout published() {
  Layout l;
  l.tp = 8;
  l.pp = 16;
  l.vp = 8;
  l.dp = 128;
  l.global_batch = 2048;
  return l;
}

void memory_of_one_layout(benchmark::State& state) {
  const StepModel model = model_of(llama_405b(), "h100-sxm", "megatron");
  const Layout layout = published();
  for (auto _ : state) benchmark::DoNotOptimize(model.memory(layout));
}

void step_of_one_layout(benchmark::State& state) {
  const StepModel model = model_of(llama_405b(), "h100-sxm", "megatron");
  const Layout layout = published();
  for (auto _ : state) benchmark::DoNotOptimize(model.step(layout));
}

BENCHMARK(memory_of_one_layout);
BENCHMARK(step_of_one_layout);
BENCHMARK(prepare);
BENCHMARK(plan_8b_8);
BENCHMARK(plan_10b_16);
BENCHMARK(plan_70b_512);
BENCHMARK(plan_70b_72_rack);
BENCHMARK(plan_405b_16384);

}  // namespace

BENCHMARK_MAIN();
