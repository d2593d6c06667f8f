// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catalog/models/model.h"
#include "quantity/layers.h"
#include "scenario/choices.h"

namespace trcost::workload {

/// Parameters of a model by module; exact.
struct ParameterCounts {
  double embedding = 0;  ///< input embedding and learned positions
  double head = 0;       ///< output matrix, 0 when tied
  /// All decoder layers, final norm, cross-attention layers, MTP excluded.
  double layers = 0;
  double language = 0;  ///< embedding + layers + head
  double encoder = 0;
  double connector = 0;
  double total = 0;       ///< language + encoder + connector
  double active = 0;      ///< with only the routed experts that a token uses
  double expert = 0;      ///< routed expert parameters, all of them
  double mtp = 0;         ///< multi-token-prediction modules, outside of total
  double mtp_expert = 0;  ///< the routed experts among them
};
ParameterCounts count_parameters(const LanguageModel& language);
ParameterCounts count_parameters(const Model& model);
double encoder_parameters(const Encoder& encoder);
/// `language_hidden` is the width that comes out.
double connector_parameters(const Connector& connector, const Encoder& encoder,
                            double language_hidden);

/// A model beside the one that a workload is of, held in the same way.
struct HeldModel {
  ParameterCounts params;
  bool learns = false;
};

/// How tensor parallelism splits a matrix: not at all, its output width, or its input width.
enum class Split : std::uint8_t { none, output, input };

/// Everything that a training step computes, free of hardware. Sequences are packed to
/// `seq_length` tokens of the language model, text and vision together.
struct Workload {
  LanguageModel language;
  std::optional<Encoder> encoder;
  std::optional<Connector> connector;

  Training language_training = Training::full;
  Training encoder_training = Training::full;
  Training connector_training = Training::full;
  double lora_rank = 16;          ///< of lora, qlora; bottleneck width of adapter
  bool train_embeddings = false;  ///< with lora, qlora, adapter: embedding and head learn too
  bool cached_features = false;   ///< encoder output computed once, offline

  double seq_length = 4096;  ///< tokens per sequence
  /// Tokens that attention sees per token's own document: sum L^2 / sum L of packed documents;
  /// equals seq_length where one document fills the sequence.
  double attention_length = 4096;
  double images_per_sequence = 0;  ///< mean
  double encoder_tokens_per_image = 0;
  /// Encoder tokens that attend to each other (a tile, a frame); 0: the encoder's own
  /// tokens_per_image, and all tokens of the image where that is 0 too.
  double encoder_attention_tokens = 0;
  double vision_tokens_per_image = 0;  ///< in the language model, or keys of its cross-attention
  double padding_efficiency = 1;       ///< useful share of the tokens that are computed
  double imbalance = 1;                ///< mean over ranks of slowest rank's work / mean work
  Attention attention = Attention::flash;
  std::optional<Loss> loss;  ///< none: as the software stack does it
  Optimizer optimizer = Optimizer::adamw;
  Offload offload;
  bool fused_encoder = false;  ///< the encoder's attention is fused whatever the software's habit
  /// Contrastive training of two towers: pairs that the loss compares, 0 for generative training.
  /// `language` is then the text tower (no output head), `connector` holds the two projections.
  double contrastive_batch = 0;

  /// Other models that stay on the accelerators.
  std::vector<HeldModel> others;
  /// A frozen language model whose input side learns still runs backward (4N).
  [[nodiscard]] bool vision() const { return encoder.has_value(); }
};

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
/// Parameters that learn under the workload's recipe, by module (lora: the adapters').
struct TrainableCounts {
  double language = 0;
  double encoder = 0;
  double connector = 0;
  double total = 0;
};
TrainableCounts count_trainable(const Workload& workload);

/// The shape that follows from a parameter count alone: head dim 128, hidden/layers near 128,
/// SwiGLU, grouped queries, tied embeddings below 3e9. `params` from 1e3 to 1e16, total within
/// 0.3 % of it from 1e9 on. Where the embedding alone would exceed `params` (below 3.5e7 at a
/// vocabulary of 128,256) the result has a smaller vocabulary and head dim; compare `vocab` to see
/// it. Throws Error (usage) outside the range.
LanguageModel shape_from_parameters(double params, double vocab);

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
/// One forward pass over one image of `tokens` encoder tokens in groups of `attention_tokens` that
/// attend to each other (0: all): T L 2 (4 h^2 + k h f) + 4 L T S h.
double encoder_forward_flops(const Encoder& encoder, double tokens, double attention_tokens = 0);
/// One forward pass of the connector over one image.
double connector_forward_flops(const Connector& connector, const Encoder& encoder,
                               double language_hidden, double encoder_tokens, double vision_tokens);
/// Values that its backward pass needs, of one image.
double connector_kept_values(const Connector& connector, const Encoder& encoder,
                             double language_hidden, double encoder_tokens, double vision_tokens);

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
