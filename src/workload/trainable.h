// SPDX-License-Identifier: Apache-2.0
// Trainable parts of a workload: gradients, adapters and trainable parameters, for FLOPs, time and
// memory.
#pragma once

#include "quantity/layers.h"
#include "workload/workload.h"

namespace trcost::workload {

/// True if a module learns, by its own weights or by adapters.
constexpr bool learns(Training training) noexcept {
  return training != Training::frozen;
}

/// True for low-rank pairs besides frozen matrices (LoRA, arXiv:2106.09685).
constexpr bool low_rank(Training training) noexcept {
  return training == Training::lora || training == Training::qlora;
}

/// True for low-rank pairs or bottlenecks besides frozen weights. Their width is
/// `Workload::lora_rank`.
constexpr bool has_adapters(Training training) noexcept {
  return low_rank(training) || training == Training::adapter;
}

/// Backward pass of a part of a workload.
struct Passing {
  double backward = 0;   ///< share of its layers that pass gradients of their activations on
  bool weights = false;  ///< its own weights learn and need gradients
};

/// Backward passes by part. A part passes gradients if something in it or upstream of it learns.
/// Inserted cross-attention layers learn in full with a language model that does, and with the
/// connector if the language model is frozen. In a language model with adapters they take low-rank
/// ones and no bottlenecks. Else they are frozen. The decoder's own layers before the first of them
/// never see the image.
struct Gradients {
  Passing language;  ///< the decoder's own layers, and modules that predict further tokens
  Passing cross;     ///< inserted cross-attention layers
  Passing head;      ///< output matrix and loss
  Passing encoder;
  Passing connector;
};
Gradients gradients_of(const Workload& workload);

/// Parameters of low-rank adapters on the targets among the decoder's linear layers (attention,
/// feed-forward, experts, inserted cross-attention; neither router nor embedding nor head): sum of
/// rank (in + out) over the matrices. Source: LoRA, arXiv 2106.09685, section 4.1.
double lora_parameters(const LanguageModel& language, double rank,
                       AdapterTargets targets = target::all);
double lora_parameters(const Encoder& encoder, double rank, AdapterTargets targets = target::all);
/// Parameters of the decoder's low-rank adapters on routed experts.
double routed_lora_parameters(const LanguageModel& language, double rank, AdapterTargets targets);
/// Parameters of bottleneck adapters, two per layer: 2 (2 h r + r + h). Source: Houlsby et al.,
/// arXiv 1902.00751, section 2.1.
double adapter_parameters(double layers, double hidden, double bottleneck);
/// Adapter parameters that one token passes, 0 without adapters.
double language_adapters(const Workload& workload);
double encoder_adapters(const Workload& workload);

/// Parameters that learn under the workload's recipe, by module (lora: the adapters').
struct TrainableCounts {
  double language = 0;
  double encoder = 0;
  double connector = 0;
  double total = 0;
};
TrainableCounts count_trainable(const Workload& workload);

}  // namespace trcost::workload
