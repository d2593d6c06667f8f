// SPDX-License-Identifier: Apache-2.0
// Mixing of tokens as a function of the length. Training and prompts see a triangle, a new token
// sees its whole cache.
#pragma once

#include <array>

#include "catalog/models/model.h"
#include "quantity/layers.h"

namespace trcost::workload {

/// Work of a token on the tokens that it sees: scores and values, an indexer's choice of them, or
/// the state of a recurrence.
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
  double state = 0;            ///< values that each of them keeps from token to token
  double kept = 0;  ///< values per token kept for the backward pass, beside norms and feed-forward
  /// Values per image token kept for the backward pass: keys and values of cross-attention.
  double kept_of_image = 0;
  double moved = 0;  ///< values per token written and read between the mixer's kernels

  /// Width over which scores and values work, a d; of two different widths their mean.
  [[nodiscard]] double width() const { return heads * (qk + v) / 2; }
  bool operator==(const Core&) const = default;
};

/// Tokens that a token sees, in the mean over the layers' windows: all of `length` without a mask,
/// half of it under a causal one, w - w (w-1) / (2 s) in a causal window of w. Source: Megatron-LM
/// megatron/training/training.py, num_floating_point_operations.
double visible_tokens(const Core& core, double length);
/// FLOPs of scores and values per token that sees `visible` tokens: 2 (q k) + 2 (p v) over all
/// heads' width.
constexpr double attention_flops(double width, double visible) {
  return 4 * width * visible;
}
inline double attention_flops(const Core& core, double visible) {
  return attention_flops(core.width(), visible);
}

/// FLOPs of an indexer that scores `tokens` of them, where a context of `length` has more than it
/// may choose (DeepSeek-V3.2, arXiv:2512.02556, section 2.1).
double index_flops(const Core& core, double tokens, double length);

/// False for a layer that is a feed-forward alone.
inline bool mixes(const Core& core) {
  return core.heads > 0 || core.scan > 0;
}

/// FLOPs of the core per token of a sequence of `length`: attention to the tokens that it sees, the
/// indexer's scores of all before them where it has to choose, and the recurrence.
double core_flops(const Core& core, double length);

/// Keys and values that a token leaves for later ones: 2 kv d, or the latent and the shared key
/// (model.md 9.1). A recurrence leaves none: its state does not grow.
inline double attention_values(const Core& core) {
  return core.kv_latent > 0 ? core.kv_latent + core.shared_key : core.kv_heads * (core.qk + core.v);
}
/// attention_values() and the indexer's key.
inline double cached_values(const Core& core) {
  return attention_values(core) + core.index_key;
}

/// Tokens of a context that the cache keeps, limited by windows.
double kept_tokens(const Core& core, double context);
/// Tokens of the cache that a new token attends to, chosen by an indexer if there is one.
double attended_tokens(const Core& core, double context);
/// True if an indexer has to choose among so many tokens.
bool chooses(const Core& core, double context);

/// FLOPs of scores and values of the mean token of a prompt: core_flops() without the recurrence.
double prompt_flops(const Core& core, double prompt);
/// FLOPs of scores and values of one new token over each that it attends to. Decoding absorbs the
/// up-projections of a latent: scores against it, values from it (DeepSeek-V2, arXiv:2405.04434,
/// section 2.1.2).
double decode_flops(const Core& core);

/// Bytes that a token leaves where a number of the cache takes `bytes`; an indexer's key has 8
/// bits.
inline double cached_bytes(const Core& core, double bytes) {
  return attention_values(core) * bytes + core.index_key;
}

}  // namespace trcost::workload
