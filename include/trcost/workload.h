// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "trcost/model.h"

namespace trcost {

/// What happens to a module's parameters in a training step (model.md 2.3).
enum class Training : std::uint8_t {
  frozen,  ///< forward only, unless something upstream learns
  full,    ///< all parameters learn
  lora,    ///< low-rank adapters on every linear layer learn, the base is frozen
  qlora,   ///< as lora, base stored in 4 bits
  adapter, ///< bottleneck adapters after attention and feed-forward learn
};

enum class Attention : std::uint8_t { flash, standard };

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
  bool train_embeddings = true;   ///< with lora: whether embedding and head learn too
  bool cached_features = false;   ///< encoder output computed once, offline

  double seq_length = 4096;            ///< tokens per sequence
  /// Tokens that attention sees per token's own document: sum L^2 / sum L of packed documents;
  /// equals seq_length where one document fills the sequence.
  double attention_length = 4096;
  double images_per_sequence = 0;      ///< mean
  double encoder_tokens_per_image = 0;
  double vision_tokens_per_image = 0;  ///< in the language model, or keys of its cross-attention
  double padding_efficiency = 1;       ///< useful share of the tokens that are computed
  double imbalance = 1;                ///< mean over ranks of slowest rank's work / mean work
  Attention attention = Attention::flash;

  /// A frozen language model whose input side learns still runs backward (4N, model.md 2.3).
  [[nodiscard]] bool vision() const { return encoder.has_value(); }
};

/// Parameters of a model by module; exact.
struct ParameterCounts {
  double embedding = 0;       ///< input embedding and learned positions
  double head = 0;            ///< output matrix, 0 when tied
  double layers = 0;          ///< all decoder layers, final norm, cross-attention layers, MTP excluded
  double language = 0;        ///< embedding + layers + head
  double encoder = 0;
  double connector = 0;
  double total = 0;           ///< language + encoder + connector
  double active = 0;          ///< with only the routed experts that a token uses
  double expert = 0;          ///< routed expert parameters, all of them
  double mtp = 0;             ///< multi-token-prediction modules, outside of total
};
ParameterCounts count_parameters(const LanguageModel& language);
ParameterCounts count_parameters(const Model& model);
double encoder_parameters(const Encoder& encoder);
/// `language_hidden` is the width that comes out.
double connector_parameters(const Connector& connector, const Encoder& encoder,
                            double language_hidden);
/// Parameters that learn under the workload's recipe, by module (lora: the adapters').
struct TrainableCounts {
  double language = 0;
  double encoder = 0;
  double connector = 0;
  double total = 0;
};
TrainableCounts count_trainable(const Workload& workload);

/// The shape that follows from a parameter count alone (model.md 1.6): head dim 128, hidden/layers
/// near 128, SwiGLU, grouped queries, tied embeddings below 3e9. Total within 0.3 % of `params`
/// from 1e9 on. `vocab` rows in the embedding. Throws Error (usage) where no shape exists.
LanguageModel shape_from_parameters(double params, double vocab);

/// FLOPs of one pass, per token of the language model (2 per multiply-add).
struct ForwardFlops {
  double layers_gemm = 0;    ///< projections, feed-forward, router of all layers
  double attention_core = 0; ///< scores and values, causal half
  double head = 0;
  double cross_attention = 0;
  double encoder = 0;        ///< per image
  double connector = 0;      ///< per image
};
ForwardFlops forward_flops(const Workload& workload, bool causal = true);

/// Training FLOPs of a workload per token of the language model, by module and pass
/// (model.md 2.2, 2.3). `hardware_*` are not included: recomputation depends on the layout.
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

/// L(N, D) = E + A/N^alpha + B/D^beta. Default: the refit of Hoffmann et al. by Epoch
/// (epoch-research/analyzing-chinchilla, data_analysis.ipynb).
struct ScalingLaw {
  double A = 482.00572;
  double B = 2085.4342;
  double E = 1.81686;
  double alpha = 0.34781;
  double beta = 0.36585;
};
struct ComputeOptimal {
  double params = 0;
  double tokens = 0;
};
/// The pair that minimises loss for `flop` = 6 N D (model.md 2.5).
ComputeOptimal compute_optimal(double flop, const ScalingLaw& law = {});
/// Tokens at which a model of `params` is compute-optimal.
double optimal_tokens(double params, const ScalingLaw& law = {});
/// Nats per token, for relative decisions only.
double scaling_loss(double params, double tokens, const ScalingLaw& law = {});
/// Tokens that bring `params` to `loss`; throws Error (no_answer) below the floor E + A/N^alpha.
double tokens_for_loss(double params, double loss, const ScalingLaw& law = {});
/// Value of repeating `unique` tokens for `epochs`, in fresh tokens (Muennighoff et al. 2305.16264,
/// R_D* = 15.387756).
double effective_tokens(double unique, double epochs);

}  // namespace trcost
