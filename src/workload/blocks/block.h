// SPDX-License-Identifier: Apache-2.0
// What a model is made of: blocks, each with its matrices, its core and its vectors. Parameters,
// FLOPs, adapters, memory and the step's kernels are folds over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quantity/layers.h"
#include "workload/blocks/core.h"
#include "workload/blocks/inline_list.h"
#include "workload/blocks/place.h"
#include "workload/workload.h"

namespace trcost::workload {

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
  std::uint8_t kernel = 0;  ///< equal ones run as one fused product: q|k|v, gate|up
  bool routed = false;      ///< a routed expert's
  bool adaptable = true;    ///< takes a low-rank adapter; routers and gates do not

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

/// The part of a model that a block belongs to: they learn and count apart.
enum class Module : std::uint8_t { decoder, cross, mtp, encoder };

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

/// All that a workload computes: its encoder's layers, unless their output is cached, and the
/// language model's.
Runs blocks_of(const Workload& workload);

/// One layer of an encoder. Patch embedding, positions and outer norms are none.
Block encoder_block(const Encoder& encoder);

/// The language model's layers, inserted ones and further predictions' included.
double layer_count(const LanguageModel& language);

/// Matrices of the feed-forward that lead into its inner width: 2 gated, 1 plain.
inline double input_matrices(Mlp mlp) {
  return mlp == Mlp::gated ? 2 : 1;
}

/// Vectors of one norm over `width`: RMSNorm (arXiv:1910.07467) has a scale, LayerNorm
/// (arXiv:1607.06450) a scale and, unless left out, a shift.
inline double norm_vectors(Norm norm, double width, bool shift = true) {
  return norm == Norm::layer && shift ? 2 * width : width;
}

/// Weights of the output matrix over those that a token passes in the mean layer: how many layers
/// it is worth to a pipeline.
double head_in_layers(const LanguageModel& language);

/// Parameters of a block without its routed experts, and of those.
double own_parameters(const Block& block);
double expert_parameters(const Block& block, double experts);

/// Which matrices of a block adapters are counted on.
enum class Adapted : std::uint8_t {
  all,
  active,  ///< those that a token passes
  own,     ///< all but routed experts
  routed,
};
/// Adapter parameters of rank 1 on a block: sum of in + out over the matrices that take one.
double adapter_widths(const Block& block, Adapted which);

/// What inserted cross-attention layers work on besides the text.
struct CrossTokens {
  /// Tokens of the image per token of the sequence: keys and values are made of them.
  double share = 0;
  double keys = 0;  ///< of them, that a token attends to: a packed text sees its own document's
};
CrossTokens cross_tokens(const Workload& workload);

/// Tokens that attend to each other within an image of `tokens`: `attention_tokens`, else the
/// encoder's own input, at most the image.
double attention_span(const Encoder& encoder, double tokens, double attention_tokens);
double attention_span(const Workload& workload);

/// Tokens that a workload's connector gives for an image: one where contrastive training pools it.
double connector_tokens(const Workload& workload);

/// Scores and values of all layers over one image.
double encoder_core_flops(const Encoder& encoder, double tokens, double attention_tokens);

}  // namespace trcost::workload
