// SPDX-License-Identifier: Apache-2.0
#include "performance/training/step_time.h"

namespace trcost::performance {

std::string_view step_term_name(StepTerm name) {
  static constexpr std::array<std::string_view, kStepTermCount> names = {"matmul_peak",
                                                                         "kernel",
                                                                         "attention",
                                                                         "elementwise",
                                                                         "host",
                                                                         "recompute",
                                                                         "vision",
                                                                         "tensor_parallel",
                                                                         "context_parallel",
                                                                         "expert_parallel",
                                                                         "pipeline_bubble",
                                                                         "pipeline_transfer",
                                                                         "data_parallel",
                                                                         "optimizer",
                                                                         "offload",
                                                                         "imbalance",
                                                                         "tuning",
                                                                         "padding"};
  return names[static_cast<std::size_t>(name)];
}

bool is_network_term(StepTerm name) {
  switch (name) {
    case StepTerm::tensor_parallel:
    case StepTerm::context_parallel:
    case StepTerm::expert_parallel:
    case StepTerm::pipeline_transfer:
    case StepTerm::data_parallel:
      return true;
    default:
      return false;
  }
}

}  // namespace trcost::performance
