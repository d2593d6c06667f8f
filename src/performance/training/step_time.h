// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::performance {

/// Terms of the time of a step, in the order of the waterfall. Only exposed time counts.
enum class StepTerm : std::uint8_t {
  matmul_peak,  ///< useful time: model FLOPs at dense peak
  kernel,       ///< matmuls below peak
  attention,    ///< attention cores beyond their time at peak
  elementwise,  ///< norms, activations, quantisation, launches
  host,         ///< waiting for the host that issues the kernels
  recompute,    ///< repeated forward work
  vision,       ///< the encoder's work beyond its time at peak
  tensor_parallel,
  context_parallel,
  expert_parallel,
  pipeline_bubble,
  pipeline_transfer,
  data_parallel,
  optimizer,
  offload,    ///< exchange with the host's memory, and the host's update
  imbalance,  ///< stragglers, uneven ranks
  tuning,     ///< losses of software that is not tuned
  padding,    ///< padding tokens
};
inline constexpr int kStepTermCount = 18;
std::string_view step_term_name(StepTerm term);
/// Whether a term is exchange over the network.
bool is_network_term(StepTerm term);

/// Predicted steady-state time of one optimizer step.
struct StepTime {
  double seconds = 0;                          ///< sum of `terms`
  std::array<double, kStepTermCount> terms{};  ///< seconds
  double model_flops = 0;                      ///< per step, whole cluster (model.md 2.2, 2.3)
  double hardware_flops = 0;                   ///< with recomputation
};

}  // namespace trcost::performance
