// SPDX-License-Identifier: Apache-2.0
// What of a workload learns: gradients, adapters and trainable parameters, for FLOPs, time and
// memory alike.
#pragma once

#include "workload/workload.h"

namespace trcost {

/// Whether anything of a module learns, its own weights or adapters beside them.
constexpr bool learns(Training training) noexcept {
  return training != Training::frozen;
}

/// Low-rank pairs beside frozen matrices (LoRA, arXiv:2106.09685).
constexpr bool low_rank(Training training) noexcept {
  return training == Training::lora || training == Training::qlora;
}

/// Parameters beside frozen ones: low-rank pairs or bottlenecks, whose width is
/// `Workload::lora_rank`.
constexpr bool has_adapters(Training training) noexcept {
  return low_rank(training) || training == Training::adapter;
}

/// What passes backward through a part of a workload.
struct Passing {
  double backward = 0;   ///< share of its layers that pass gradients of their activations on
  bool weights = false;  ///< its own weights learn, and owe gradients of them too
};

/// A part passes gradients where something in it or upstream of it learns. Inserted cross-attention
/// layers learn in full with a language model that does, and with the connector where the language
/// model is frozen; of one with adapters they are a part, take low-rank ones and no bottlenecks,
/// and are frozen else. The decoder's own layers before the first of them never see the image.
struct Gradients {
  Passing language;  ///< the decoder's own layers, and modules that predict further tokens
  Passing cross;     ///< inserted cross-attention layers
  Passing head;      ///< output matrix and loss
  Passing encoder;
  Passing connector;
};
Gradients gradients_of(const Workload& workload);

/// Parameters of low-rank adapters on every linear layer of the decoder (attention, feed-forward,
/// experts, inserted cross-attention; neither router nor embedding nor head): sum of
/// rank (in + out) over the matrices. Source: LoRA, arXiv 2106.09685, section 4.1.
double lora_parameters(const LanguageModel& language, double rank);
double lora_parameters(const Encoder& encoder, double rank);
/// Of those of the decoder, the ones on routed experts.
double routed_lora_parameters(const LanguageModel& language, double rank);
/// Parameters of bottleneck adapters, two per layer: 2 (2 h r + r + h). Source: Houlsby et al.,
/// arXiv 1902.00751, section 2.1.
double adapter_parameters(double layers, double hidden, double bottleneck);
/// Adapter parameters that one token passes, 0 without adapters.
double active_adapters(const LanguageModel& language, Training training, double rank);
double active_adapters(const Encoder& encoder, Training training, double rank);

/// Parameters that learn under the workload's recipe, by module (lora: the adapters').
struct TrainableCounts {
  double language = 0;
  double encoder = 0;
  double connector = 0;
  double total = 0;
};
TrainableCounts count_trainable(const Workload& workload);

}  // namespace trcost
