// SPDX-License-Identifier: Apache-2.0
// Who owes a backward pass: for FLOPs, time and memory alike.
#pragma once

#include "quantity/layers.h"
#include "workload/workload.h"

namespace trcost::workload {

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

}  // namespace trcost::workload
