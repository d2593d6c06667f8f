// SPDX-License-Identifier: Apache-2.0
// The verdict "fits" against layouts that ran.
#include <string>

#include "catch.h"
#include "planner/plan.h"
#include "study/validate/validate.h"

using namespace trcost;

TEST_CASE("layouts that ran in reality fit", "[memory][measured]") {
  const Catalog catalog;
  int rows = 0, refused = 0;
  for (const ThroughputRow& row : catalog.runs().throughput) {
    // Something is assumed in the others, mostly the micro-batch or what is recomputed.
    if (row.quality != "A") continue;
    // Loops of their own are replayed as the nearest stack, whose memory is not theirs.
    if (row.note.find("own loop") != std::string::npos ||
        row.note.find("Primus-Turbo") != std::string::npos) {
      continue;
    }
    // Offloading to the host is not in the memory model, nor are the whole-program schedules of
    // Gaudi's lazy graphs.
    if (row.source.find("Trillium") != std::string::npos) continue;
    if (row.note.find("offload") != std::string::npos || row.accelerator.starts_with("gaudi")) {
      continue;
    }
    // Replayed with single-precision optimizer state.
    if (row.note.find("bf16 optimizer state") != std::string::npos) continue;
    // A compiled mixture that keeps matrix products: published as 142 GiB, far below the formula.
    if (row.source.starts_with("PithTrain")) continue;
    // Layers of a billion parameters and more, which the formula holds gathered whole: four of
    // these 32 rows by 11 to 17 % too large.
    if (row.source.starts_with("MaxText on TPU")) continue;
    // Fused losses that never hold the logits, and a micro-batch that is assumed.
    if (row.source.starts_with("whyNLP") || row.source.starts_with("nanochat pull") ||
        row.source.starts_with("Open-Llama")) {
      continue;
    }
    // Liger's as well, and a loss without 32-bit logits: fp32_upcast is false in its
    // configurations (NVIDIA-NeMo/Automodel, examples/llm_benchmark).
    if (row.note.find("Liger") != std::string::npos ||
        row.source.starts_with("NVIDIA NeMo AutoModel")) {
      continue;
    }
    const Workload w = row_workload(catalog, row);
    const StepModel model(w, row_platform(catalog, row));
    const Plan chosen = plan(model, row_request(row, w));
    ++rows;
    if (chosen.memory.fits) continue;
    ++refused;
    INFO(row.id << " " << row.stack << " " << row.model << " on " << row.accelerator << ": "
                << chosen.memory.total / chosen.memory.capacity);
    // Never by much, if their software recomputes: the tightest published layouts fill their cards.
    Layout least = chosen.layout;
    least.recompute = row.recompute.value_or(Recompute::full);
    CHECK(model.memory(least).total < 1.1 * chosen.memory.capacity);
  }
  INFO(rows << " rows, " << refused << " refused");
  CHECK(rows > 900);
  CHECK(refused < 0.03 * rows);
}

// The micro-batches of llm-foundry's table are the largest that their authors could run, so twice
// as many sequences mostly must not fit: the formula is not lax either.
TEST_CASE("twice the largest micro-batch does not fit", "[memory][measured]") {
  const Catalog catalog;
  int rows = 0, accepted = 0;
  for (const ThroughputRow& row : catalog.runs().throughput) {
    if (row.source.find("llm-foundry") == std::string::npos || row.gpus > 64) continue;
    if (!row.micro_batch || !row.recompute || !row.sharding) continue;
    const Workload w = row_workload(catalog, row);
    const StepModel model(w, row_platform(catalog, row));
    Layout layout;
    layout.dp = static_cast<int>(row.gpus);
    layout.micro_batch = 2 * *row.micro_batch;
    layout.global_batch = layout.micro_batch * row.gpus;
    layout.sharding = *row.sharding;
    layout.recompute = *row.recompute;
    ++rows;
    if (model.memory(layout).fits) ++accepted;
  }
  CHECK(rows > 100);
  CHECK(accepted < 0.35 * rows);
}
