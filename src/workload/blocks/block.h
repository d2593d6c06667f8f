// SPDX-License-Identifier: Apache-2.0
// Blocks of a model, each with its matrices, its core and its vectors. Parameters, FLOPs, adapters,
// memory and the step's kernels are sums over them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "catalog/models/model.h"
#include "quantity/layers.h"
#include "scenario/choices.h"
#include "workload/blocks/core.h"
#include "workload/blocks/inline_list.h"

namespace trcost::workload {

/// The width of a matrix that tensor parallelism splits.
enum class Split : std::uint8_t { none, output, input };

/// The tokens that a matrix works on.
enum class Stream : std::uint8_t {
  text,     ///< every token of the language model
  image,    ///< the image's tokens as the language model's cross-attention reads them
  encoder,  ///< the encoder's tokens of an image
  latent,   ///< the tokens that a connector gives for an image
  keys,     ///< the encoder's tokens and the latents: what a resampler attends to
  one,      ///< one token per image or text: a pooled one
};

/// Identical matrices of one block, in x out.
struct Matrix {
  double in = 0;
  double out = 0;
  double count = 1;   ///< in the block
  double active = 1;  ///< that one token passes; fewer than `count` for routed experts
  Stream of = Stream::text;
  Split split = Split::none;
  std::uint8_t kernel = 0;                ///< equal ones run as one fused product: q|k|v, gate|up
  bool routed = false;                    ///< a routed expert's
  AdapterTargets target = target::other;  ///< adapters that it takes: 0 for routers and gates

  /// Share of its copies that get adapters.
  [[nodiscard]] double adapted(AdapterTargets targets) const {
    const auto bits = [](unsigned set) { return static_cast<double>(std::popcount(set)); };
    return target == 0 ? 0 : bits(target & targets) / bits(target);
  }
  [[nodiscard]] double weights() const { return count * in * out; }
  [[nodiscard]] double active_weights() const { return active * in * out; }
};

/// Routed experts of a block.
struct Experts {
  double count = 0;
  double per_token = 0;
  double ffn = 0;
  double groups_per_token = 0;  ///< 0: not limited
  bool bias = false;
  double width = 0;  ///< of the tokens that come in: hidden, or latent
};

inline constexpr std::size_t kMostMatrices = 16;

struct Block {
  InlineList<Matrix, kMostMatrices> matrices;
  Core core;
  Experts experts;
  double hidden = 0;
  double inner = 0;     ///< width of the feed-forward that every token passes, 0 if none
  double branches = 2;  ///< of the residual stream: a mixer, a feed-forward
  double joined = 0;    ///< streams with a norm each that come together before the first branch
  Mlp mlp = Mlp::gated;
  Norm norm = Norm::rms;
  double vectors = 0;         ///< norms, biases, gates; not the experts'
  double expert_vectors = 0;  ///< biases of one routed expert
};

/// The part of a model that a block belongs to. Each learns and counts separately.
enum class Module : std::uint8_t { decoder, cross, mtp, encoder };

/// Place of equal blocks in a pipeline.
enum class Place : std::uint8_t {
  before,  ///< in front of the first layer, on its stage: an encoder
  first,   ///< leading layers
  spread,  ///< evenly
  last,    ///< after the last layer
};
inline constexpr std::size_t kPlaces = 4;

constexpr std::size_t place_index(Place place) noexcept {
  return static_cast<std::size_t>(place);
}

/// Equal blocks.
struct Run {
  Block block;
  double count = 0;
  Place place = Place::spread;
  Module module = Module::decoder;
};

using Runs = std::vector<Run>;

/// The language model's blocks: leading dense layers, the others by kind, inserted cross-attention
/// layers, multi-token-prediction modules. Embedding, head and final norm are none.
Runs blocks_of(const LanguageModel& language);

/// The language model's layers, inserted ones and further predictions' included.
double layer_count(const LanguageModel& language);

/// Matrices of the feed-forward that lead into its inner width: 2 gated, 1 plain.
inline double input_matrices(Mlp mlp) {
  return mlp == Mlp::gated ? 2 : 1;
}

/// Adapters that they take.
inline AdapterTargets input_targets(Mlp mlp) {
  return mlp == Mlp::gated ? target::gate | target::up : target::up;
}

/// Vectors of one norm over `width`: RMSNorm (arXiv:1910.07467) has a scale, LayerNorm
/// (arXiv:1607.06450) a scale and, unless left out, a shift.
inline double norm_vectors(Norm norm, double width, bool shift = true) {
  return norm == Norm::layer && shift ? 2 * width : width;
}

/// Outputs of the head per token: the vocabulary, one value, or none.
double head_outputs(const LanguageModel& language);
/// The model with one value per token in place of logits, as reward and value models have it
/// (transformers, LlamaForSequenceClassification: score of hidden x 1).
LanguageModel with_scalar_head(LanguageModel language);

/// The output matrix in layers of a pipeline: its weights over those that a token passes in the
/// mean layer.
double head_in_layers(const LanguageModel& language);

/// Parameters of a block without its routed experts.
double own_parameters(const Block& block);
double expert_parameters(const Block& block, double experts);

/// Matrices of a block that adapters are counted on.
enum class Adapted : std::uint8_t {
  all,
  active,  ///< those that a token passes
  own,     ///< all but routed experts
  routed,
};
/// Adapter parameters of rank 1 on a block: sum of in + out over the matrices that take one.
double adapter_widths(const Block& block, Adapted which, AdapterTargets targets = target::all);
/// Sum of in over the same matrices: what adapters read of a token.
double adapter_inputs(const Block& block, AdapterTargets targets);

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

}  // namespace trcost::workload
