// SPDX-License-Identifier: Apache-2.0
// Trainings that the planner's tests share.
#pragma once

#include <string>
#include <vector>

#include "catalog_fixture.h"
#include "performance/training/step_model.h"
#include "planner/plan.h"
#include "workload/reference_vectors.h"

namespace planning {

inline trcost::Platform platform(const std::string& accelerator, const std::string& stack,
                                 trcost::Precision precision = trcost::Precision::bf16) {
  const trcost::Accelerator& chip = test_catalog().accelerator(accelerator);
  return {&chip, &test_catalog().system(chip.system), &test_catalog().efficiency(chip),
          &test_catalog().stack(stack), precision};
}

struct TrainingCase {
  std::string model, accelerator, stack;
  double gpus, seq_length, batch;
};

inline trcost::StepModel step_model(const TrainingCase& s) {
  return {reference::text_workload(reference::language(s.model), s.seq_length),
          platform(s.accelerator, s.stack)};
}

inline trcost::PlanRequest request(const TrainingCase& s) {
  trcost::PlanRequest r;
  r.gpus = s.gpus;
  r.batch_hint = s.batch;
  r.memory_margin = 0;
  return r;
}

/// Dense and sparse, small and large, even and awkward GPU counts, short and long sequences.
inline const std::vector<TrainingCase>& scenarios() {
  static const std::vector<TrainingCase> all = {
      {"llama3-8b", "h100-sxm", "typical", 8, 8192, 128},
      {"llama3-8b", "h100-sxm", "megatron", 64, 4096, 1024},
      {"llama3-8b", "h100-sxm", "typical", 1000, 4096, 1024},
      {"llama3-8b", "gb200-nvl72", "megatron", 72, 131072, 64},
      {"llama2-70b", "a100-sxm-80gb", "megatron", 64, 4096, 1024},
      {"llama2-70b", "h100-sxm", "fsdp", 256, 4096, 1024},
      {"llama2-7b", "rtx-4090", "hf-trainer", 8, 2048, 128},
      {"llama3-405b", "h100-sxm", "megatron", 16384, 8192, 2048},
      {"llama3-405b", "h100-sxm", "typical", 1024, 8192, 1024},
      {"mixtral-8x7b", "h100-sxm", "megatron", 64, 4096, 512},
      {"deepseek-v3", "gb200-nvl72", "megatron", 256, 4096, 2048},
  };
  return all;
}

}  // namespace planning
