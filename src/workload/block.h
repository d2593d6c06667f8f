// SPDX-License-Identifier: Apache-2.0
// What a model is made of: blocks, each with its matrices, its core and its vectors. Parameters,
// FLOPs, adapters, memory and the step's kernels are folds over them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workload/place.h"
#include "workload/workload.h"

namespace trcost {

/// A list of at most N, held in place: blocks are built for every shape that a search tries.
template <class T, std::size_t N>
class InlineList {
 public:
  void push_back(const T& value) { items_[size_++] = value; }
  [[nodiscard]] const T* begin() const { return items_.data(); }
  [[nodiscard]] const T* end() const { return items_.data() + size_; }
  [[nodiscard]] T* begin() { return items_.data(); }
  [[nodiscard]] T* end() { return items_.data() + size_; }
  [[nodiscard]] T& back() { return items_[size_ - 1]; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<T, N> items_{};
  std::size_t size_ = 0;
};

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

/// What a token computes with the tokens that it sees: scores and values, an indexer's choice of
/// them, or the state of a recurrence.
struct Core {
  double heads = 0;  ///< 0: no attention
  double kv_heads = 0;
  double qk = 0;            ///< width of a query and a key, per head
  double v = 0;             ///< width of a value, per head
  double query_latent = 0;  ///< width of compressed queries, 0 if none
  double kv_latent = 0;     ///< width of compressed keys and values, which the cache keeps instead
  double shared_key = 0;  ///< width of the part of the keys that all heads share, beside the latent
  bool causal = true;
  bool cross = false;  ///< sees the images of its own document instead of the text
  std::array<AttentionWindow, 4> windows{};  ///< shares of the layers, summing to 1
  int window_count = 1;
  bool latent_shared = false;  ///< all heads attend to the latent itself (multi-query mode)
  double index_width = 0;      ///< heads x width of an indexer that scores the tokens before
  double index_key = 0;        ///< width of the key that a token leaves for it
  double scan = 0;             ///< FLOPs per token of a recurrence, whatever the length
  double scan_head = 0;        ///< width of its heads
  double scan_chunk = 0;       ///< tokens that its kernel works on at once
  double channels = 0;         ///< that it runs on
  double kept = 0;   ///< values per token kept for the backward pass, beside norms and feed-forward
  double kept_of_image = 0;  ///< likewise per token of the image: keys and values of cross-attention
  double moved = 0;  ///< values per token written and read between the mixer's kernels

  /// Width over which scores and values work, a d; of two different widths their mean.
  [[nodiscard]] double width() const { return heads * (qk + v) / 2; }
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

/// All that a workload computes: its encoder's layers, unless their output is cached, and the language
/// model's.
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

/// Weights of the output matrix over those that a token passes in the mean layer: how many layers it
/// is worth to a pipeline.
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

/// Tokens that a token sees, in the mean over the layers' windows: all of `length` without a mask,
/// half of it under a causal one, w - w (w-1) / (2 s) in a causal window of w. Source: Megatron-LM
/// megatron/training/training.py, num_floating_point_operations.
double visible_tokens(const Core& core, double length);
/// The same under a causal mask.
double visible_tokens(std::span<const AttentionWindow> windows, double length);

/// FLOPs of scores and values per token that sees `visible` tokens: 2 (q k) + 2 (p v) over all heads'
/// width.
constexpr double attention_flops(double width, double visible) {
  return 4 * width * visible;
}
inline double attention_flops(const Core& core, double visible) {
  return attention_flops(core.width(), visible);
}

/// What inserted cross-attention layers work on besides the text.
struct CrossTokens {
  double share = 0;  ///< tokens of the image per token of the sequence: keys and values are made of them
  double keys = 0;   ///< of them, that a token attends to: a packed text sees its own document's
};
CrossTokens cross_tokens(const Workload& workload);

/// Whether tokens are mixed at all: a layer may be a feed-forward alone.
inline bool mixes(const Core& core) {
  return core.heads > 0 || core.scan > 0;
}

/// FLOPs of the core per token of a sequence of `length`: attention to the tokens that it sees, the
/// indexer's scores of all before them where it has to choose, and the recurrence.
double core_flops(const Core& core, double length);

/// Values that a token leaves for later ones: 2 kv d, or the latent and the shared key, model.md
/// 9.1, and the indexer's key. A recurrence leaves none: its state does not grow.
inline double cached_values(const Core& core) {
  const double attention =
      core.kv_latent > 0 ? core.kv_latent + core.shared_key : core.kv_heads * (core.qk + core.v);
  return attention + core.index_key;
}

/// Tokens that attend to each other within an image of `tokens`: `attention_tokens`, else the
/// encoder's own input, at most the image.
double attention_span(const Encoder& encoder, double tokens, double attention_tokens);
double attention_span(const Workload& workload);

/// Tokens that a workload's connector gives for an image: one where contrastive training pools it.
double connector_tokens(const Workload& workload);

/// Scores and values of all layers over one image.
double encoder_core_flops(const Encoder& encoder, double tokens, double attention_tokens);

}  // namespace trcost
