// SPDX-License-Identifier: Apache-2.0
// A model as serving sees it: what is read, kept and computed per token.
#pragma once

#include <array>
#include <optional>

#include "catalog/engine.h"
#include "catalog/model.h"

namespace trcost {

/// A model as serving sees it: plain sums over its blocks. FLOPs are per token and position of
/// context, over all layers. Multi-token-prediction modules are left out.
struct ServedModel {
  double layers = 0;
  double branches = 0;  ///< of the residual stream: mixers and feed-forwards, each of which ends in an all-reduce
  double hidden = 0;
  double heads = 0;
  double kv_heads = 0;
  bool latent = false;  ///< MLA: one compressed cache for all heads
  double attention_params = 0;
  double dense_params = 0;          ///< dense and shared feed-forwards, routers
  double expert_params = 0;         ///< all routed experts
  double active_expert_params = 0;  ///< those that one token uses
  double expert_layers = 0;
  double experts = 0;
  double experts_per_token = 0;
  double head_params = 0;  ///< vocabulary x hidden, read for every token
  double image_params = 0;  ///< encoder and connector, held in 16 bits, read for images alone
  bool tied = false;
  std::optional<double> context;  ///< longest sequence
  double cache_width = 0;    ///< numbers per token and layer in the cache, in the mean of layers
  double state_bytes = 0;    ///< of a sequence's recurrences, which do not grow
  double index_width = 0;    ///< of those, keys of an indexer, 8-bit, read for the whole context
  double index_flops = 0;    ///< its scores: one token, per token of context, over all layers
  double chosen = 0;         ///< tokens that it lets attention see, 0: all
  double decode_flops = 0;   ///< core of attention: one new token, per token of context
  double prefill_flops = 0;  ///< the same per token of a prompt, uncompressed
  std::array<AttentionWindow, 4> windows{};
  int window_count = 1;
};
/// Throws Error (usage) for what generates nothing, an encoder or a pair of towers, by its name.
/// Cross-attention layers count as if the request had an image.
ServedModel served_model(const Model& model);

/// Bytes per weight of encoder and connector: engines quantise the language model alone.
inline constexpr double kImageBytes = 2;
/// Of those that no decode step reads: an embedding of its own, encoder and connector.
double unread_bytes(const ServedModel& model);
/// Bytes of all weights; norms and biases, a thousandth of them, are left out.
double weight_bytes(const ServedModel& model, WeightFormat format);
/// Tokens of a context that the average layer keeps: windows forget the rest.
double kept_context(const ServedModel& model, double context);
/// Tokens of those that a new token attends to: an indexer chooses among them.
double attended_context(const ServedModel& model, double context);
/// FLOPs of scores and values of one new token over a context, the indexer's scores of all of it
/// included where it has to choose (DeepSeek-V3.2, arXiv:2512.02556, section 2.1).
double decode_core_flops(const ServedModel& model, double context);
/// The same of the mean token of a prompt, which sees half of it.
double prefill_core_flops(const ServedModel& model, double prompt);
/// Bytes of the cache that one step reads for one sequence.
double read_cache_bytes(const ServedModel& model, double context, double bytes_per_number);
/// Bytes that one more token of a context short of any window adds to the cache.
double cache_bytes_per_token(const ServedModel& model, double bytes_per_number);
/// Share of the experts that at least one of `batch` tokens uses, routed evenly: 1 - (1 - k/E)^B.
double touched_experts(double experts, double per_token, double batch);
/// Tokens that a step gives when `drafted` are guessed and each is accepted with probability
/// `acceptance` after the one before: (1 - a^(k+1)) / (1 - a)  (Leviathan et al., arXiv:2211.17192,
/// eq. 1).
double tokens_per_speculative_step(double acceptance, double drafted);

}  // namespace trcost
