// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantity/layers.h"
#include "workload/workload.h"

/// Contrastive training of two towers (CLIP, SigLIP): an image encoder and a text tower without
/// output head, each with a projection into a shared space, and a loss that compares every pair of
/// the batch. As a Workload: one sequence is one pair, `language` the text tower, `connector` both
/// projections (or the pooling head), and the image's tokens never enter the text's sequence.
namespace trcost::workload {

/// Whether a model is a pair of towers: vision beside a language model without output head.
bool is_contrastive(const Model& model);

/// The workload of a pair of towers that learn in full, `batch` pairs compared at a time. Throws
/// Error (usage) for another model.
Workload contrastive_workload(const Model& model, double batch);

/// What published runs use, for questions that leave it open.
struct ContrastiveDefaults {
  double pairs = 400e6;  ///< of one epoch
  double epochs = 32;    ///< 12.8e9 pairs seen in all
  double batch = 32768;  ///< pairs per step
  std::string_view source = "CLIP: Radford et al., arXiv 2103.00020, section 2.5";
};

}  // namespace trcost::workload
