// SPDX-License-Identifier: Apache-2.0
// Work of a training step, independent of hardware.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "catalog/models/model.h"
#include "quantity/layers.h"
#include "scenario/choices.h"
#include "workload/blocks/block.h"

namespace trcost::workload {

/// A further model on the accelerators, held in the same way as the workload's.
struct HeldModel {
  ParameterCounts params;
  bool learns = false;
};

/// Work of a training step, independent of hardware. Sequences are packed to
/// `seq_length` tokens of the language model, text and vision together.
struct Workload {
  LanguageModel language;
  std::optional<Encoder> encoder;
  std::optional<Connector> connector;

  Training language_training = Training::full;
  Training encoder_training = Training::full;
  Training connector_training = Training::full;
  double lora_rank = 16;                      ///< of lora, qlora; bottleneck width of adapter
  AdapterTargets lora_targets = target::all;  ///< of lora, qlora
  bool train_embeddings = false;  ///< with lora, qlora, adapter: embedding and head learn too
  bool cached_features = false;   ///< encoder output computed once, offline

  double seq_length = 4096;  ///< tokens per sequence
  /// Mean length of the document of a token, which attention sees: sum L^2 / sum L of packed
  /// documents. Equals seq_length if one document fills the sequence.
  double attention_length = 4096;
  double images_per_sequence = 0;  ///< mean
  double encoder_tokens_per_image = 0;
  /// Encoder tokens that attend to each other (a tile, a frame). 0 for the encoder's own
  /// tokens_per_image, or all tokens of the image if that is 0 too.
  double encoder_attention_tokens = 0;
  double vision_tokens_per_image = 0;  ///< in the language model, or keys of its cross-attention
  double padding_efficiency = 1;       ///< useful share of the tokens that are computed
  double imbalance = 1;                ///< mean over ranks of slowest rank's work / mean work
  Attention attention = Attention::flash;
  std::optional<Loss> loss;  ///< empty for the default of the software stack
  Optimizer optimizer = Optimizer::adamw;
  BaseFormat base = BaseFormat::nf4;     ///< of qlora
  std::optional<double> gradient_width;  ///< bytes, empty for the stack's and the optimizer's
  std::optional<double> moment_width;    ///< bytes, empty for the optimizer's
  double gather_width = 2;               ///< bytes of a sharded weight on the way
  Offload offload;
  bool fused_encoder = false;  ///< the encoder's attention is fused with any software
  /// Contrastive training of two towers: pairs that the loss compares, 0 for generative training.
  /// `language` is then the text tower (no output head), `connector` holds the two projections.
  double contrastive_batch = 0;

  /// Other models that stay on the accelerators.
  std::vector<HeldModel> others;
  /// A frozen language model whose input side learns still runs backward (4N).
  [[nodiscard]] bool vision() const { return encoder.has_value(); }
};

/// The blocks of a workload: the language model's layers, and the encoder's unless their output is
/// cached.
Runs blocks_of(const Workload& workload);

/// Image tokens of inserted cross-attention layers.
struct CrossTokens {
  /// Image tokens per token of the sequence, which keys and values are made of.
  double share = 0;
  double keys = 0;  ///< image tokens that a token attends to: a packed text sees its own document's
};
CrossTokens cross_tokens(const Workload& workload);

/// Tokens that attend to each other within an image of the workload.
double attention_span(const Workload& workload);
/// Tokens that the workload's connector gives for an image: one if contrastive training pools it.
double connector_tokens(const Workload& workload);

// Contrastive training of two towers (CLIP, SigLIP): an image encoder and a text tower without
// output head, each with a projection into a shared space, and a loss that compares every pair of
// the batch. As a Workload, one sequence is one pair, `language` the text tower, `connector` both
// projections (or the pooling head), and the image's tokens never enter the text's sequence.

/// True for a pair of towers: vision besides a language model without output head.
bool is_contrastive(const Model& model);

/// The workload of a pair of towers that learn in full, `batch` pairs compared at a time. Throws
/// Error (usage) for another model.
Workload contrastive_workload(const Model& model, double batch);

/// Defaults of contrastive training, from published runs.
struct ContrastiveDefaults {
  double pairs = 400e6;  ///< of one epoch
  double epochs = 32;    ///< 12.8e9 pairs seen in all
  double batch = 32768;  ///< pairs per step
  std::string_view source = "CLIP: Radford et al., arXiv 2103.00020, section 2.5";
};

}  // namespace trcost::workload
