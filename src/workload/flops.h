// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"
#include "workload/workload.h"

namespace trcost::workload {

/// FLOPs of one forward pass, per token of the language model (2 per multiply-add). Norms,
/// activations, embedding look-ups and patch embeddings are not counted, as everywhere in the
/// literature.
struct ForwardFlops {
  double layers_gemm = 0;      ///< projections, feed-forward, router of all layers, MTP included
  double attention_core = 0;   ///< scores and values, causal half
  double head = 0;             ///< logits, once more per MTP module
  double cross_attention = 0;  ///< inserted layers, both of the next two
  double cross_attention_gemm = 0;  ///< their matrices, keys and values of the image included
  double cross_attention_core = 0;  ///< their scores and values, no causal half
  double encoder = 0;               ///< per image
  double connector = 0;             ///< per image
  double encoder_core = 0;          ///< part of `encoder` that is scores and values
};
/// With `causal` false the attention core counts the full square, as many published figures do.
ForwardFlops forward_flops(const Workload& workload, bool causal = true);
/// Training FLOPs of a workload per token of the language model, by module and pass; three times
/// the forward pass when everything learns. A module owes
///   the forward pass, always (not with cached features);
///   gradients of its activations (dgrad), when something in it or upstream of it learns;
///   gradients of its weights (wgrad), when it learns.
/// The attention core has no weights: both its backward products count as dgrad, so a frozen
/// language model that passes gradients costs 2 x its matrices and 3 x its core. Low-rank and
/// bottleneck adapters cost 6 FLOPs per adapter parameter. Work repeated by recomputation depends
/// on the layout and is not included. Throws Error (usage) when cached features are asked of an
/// encoder that learns.
struct TrainingFlops {
  double language_forward = 0, language_dgrad = 0, language_wgrad = 0;
  double encoder_forward = 0, encoder_dgrad = 0, encoder_wgrad = 0;
  double connector_forward = 0, connector_dgrad = 0, connector_wgrad = 0;
  [[nodiscard]] double language() const {
    return language_forward + language_dgrad + language_wgrad;
  }
  [[nodiscard]] double encoder() const { return encoder_forward + encoder_dgrad + encoder_wgrad; }
  [[nodiscard]] double connector() const {
    return connector_forward + connector_dgrad + connector_wgrad;
  }
  [[nodiscard]] double total() const { return language() + encoder() + connector(); }
};
TrainingFlops training_flops(const Workload& workload, bool causal = true);

}  // namespace trcost::workload
