// SPDX-License-Identifier: Apache-2.0
// Evaluating a layout allocates nothing. The counting operators are this program's own.
#include <atomic>
#include <cstdlib>
#include <new>

#include "catalog/hardware/efficiency.h"
#include "catch.h"
#include "performance/serving/serving_model.h"
#include "performance/training/step_model.h"
#include "trcost/catalog.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

TEST_CASE("evaluating a layout allocates nothing") {
  using namespace trcost;
  const Catalog catalog;
  const Accelerator& chip = catalog.accelerator("h100-sxm");
  Workload workload;
  workload.language.layers = 126;
  workload.language.hidden = 16384;
  workload.language.heads = 128;
  workload.language.kv_heads = 8;
  workload.language.head_dim = 128;
  workload.language.ffn = 53248;
  workload.language.vocab = 128256;
  const StepModel model(workload, {&chip, &catalog.system(chip.system), &catalog.efficiency(chip),
                                   &catalog.stack("megatron"), Precision::bf16});
  Layout layout;
  layout.tp = 8;
  layout.pp = 16;
  layout.dp = 128;
  layout.global_batch = 2048;
  const long before = allocations.load();
  double seconds = 0;
  for (int vp = 1; vp <= 8; ++vp) {
    layout.vp = vp;
    seconds += model.step(layout).seconds + model.memory(layout).total;
  }
  CHECK(allocations.load() == before);
  CHECK(seconds > 0);
}

TEST_CASE("a served point and the time of a decode step allocate nothing") {
  using namespace trcost;
  const Catalog catalog;
  const Accelerator& chip = catalog.accelerator("gb200-nvl72");
  const ServedModel model = served_model(catalog.model("deepseek-v3.2"));
  const ServingModel replica(model, catalog.serving_chip(chip, catalog.system(chip.system)),
                             catalog.engine("trtllm"), WeightFormat::nvfp4, 1, {32, 1, 32, 32});
  const long before = allocations.load();
  double seconds = 0;
  for (int concurrency = 1; concurrency < 4096; concurrency *= 2) {
    ServingLoad load{1024, 1024, static_cast<double>(concurrency)};
    seconds += replica.at(load).tpot_seconds;
    load.apart = true;
    seconds += replica.at(load).tpot_seconds + replica.decode(concurrency, 8192).total();
  }
  CHECK(allocations.load() == before);
  CHECK(seconds > 0);
}
