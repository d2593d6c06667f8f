// SPDX-License-Identifier: Apache-2.0
// Sums of a model for serving: bytes read and kept, and FLOPs per token.
#pragma once

#include <optional>

#include "catalog/models/model.h"
#include "catalog/models/weight_formats.h"
#include "quantity/layers.h"
#include "workload/blocks/core.h"
#include "workload/blocks/inline_list.h"

namespace trcost::workload {

/// Layers with equal attention.
struct ServedCore {
  Core core;
  double layers = 0;
};
/// Kinds of attention that a model may have side by side.
inline constexpr std::size_t kMostCores = 4;

/// Bytes per weight by part. Head, embedding, encoder and connector stay in 16 bits, whatever the
/// format: engines quantise a language model's layers alone.
struct PartBytes {
  double attention = 0, dense = 0, expert = 0;
  static constexpr double kHead = 2, kImage = 2;
};

/// Sums over the blocks of a served model. FLOPs are per token and position of context, over all
/// layers. Multi-token-prediction modules are left out.
struct ServedModel {
  double layers = 0;
  /// Branches of the residual stream: mixers and feed-forwards, each of which ends in an
  /// all-reduce.
  double branches = 0;
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
  double head_params = 0;   ///< vocabulary x hidden, read for every token
  double image_params = 0;  ///< encoder and connector, held in 16 bits, read for images alone
  bool tied = false;
  std::optional<double> context;  ///< longest sequence
  double state_bytes = 0;         ///< bytes of a sequence's recurrent state, which does not grow
  InlineList<ServedCore, kMostCores> cores;  ///< kinds of attention that leave a cache
  /// True if an indexer chooses the tokens that attention sees.
  [[nodiscard]] bool sparse() const;
};
/// The sums of a model. Cross-attention layers count as if the request had an image. Throws Error
/// (usage) for a model that generates nothing, such as a pair of towers.
ServedModel served_model(const Model& model);

/// Bytes per weight of a model's parts in a format.
PartBytes part_bytes(const ServedModel& model, WeightFormat format);
/// Bytes of the weights that every decode step reads, without routed experts.
double read_bytes(const ServedModel& model, const PartBytes& bytes);
/// Bytes of the weights that no decode step reads: an untied embedding, encoder and connector.
double unread_bytes(const ServedModel& model);
/// Bytes of all weights without norms and biases, which are a thousandth.
double weight_bytes(const ServedModel& model, WeightFormat format);
/// Accelerators of a tensor-parallel group over which the cache is sharded. Beyond the number of
/// key-value heads they hold copies.
double cache_shards(const ServedModel& model, double tp);
/// FLOPs of scores and values of one new token over a context, including an indexer's scores if it
/// has to choose.
double decode_core_flops(const ServedModel& model, double context);
/// FLOPs of scores and values of the mean token of a prompt, which sees half of it.
double prefill_core_flops(const ServedModel& model, double prompt);
/// Bytes of the cache of one sequence, limited by the windows of each kind of layer.
double kept_cache_bytes(const ServedModel& model, double context, double bytes_per_number);
/// Bytes of the cache that one step reads.
double read_cache_bytes(const ServedModel& model, double context, double bytes_per_number);
/// Bytes that one more token of a context short of any window adds to the cache.
double cache_bytes_per_token(const ServedModel& model, double bytes_per_number);
/// Share of the experts that at least one of `batch` tokens uses, routed evenly: 1 - (1 - k/E)^B.
double touched_experts(double experts, double per_token, double batch);
/// Tokens that a step gives when `drafted` are guessed and each is accepted with probability
/// `acceptance` after the one before: (1 - a^(k+1)) / (1 - a)  (Leviathan et al., arXiv:2211.17192,
/// eq. 1).
double tokens_per_speculative_step(double acceptance, double drafted);

}  // namespace trcost::workload
