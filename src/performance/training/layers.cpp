// SPDX-License-Identifier: Apache-2.0
#include "performance/training/layers.h"

#include <algorithm>

#include "performance/exchange/collectives.h"
#include "performance/training/ledger.h"
#include "quantity/portable_math.h"

namespace trcost {
namespace {

// Ring attention hides its exchange behind this share of the attention kernels (model.md 5.1).
constexpr double kContextOverlap = 0.9;

// What of an exchange remains when software hides `share` of it, never behind more work than there
// is; `work` is left what hides nothing yet.
double exposed(double exchange, double share, double& work) {
  const double hidden = std::min(share * exchange, work);
  work -= hidden;
  return exchange - hidden;
}

// Kernels of a layer behind which its exchange can hide.
struct LayerWork {
  double forward, backward;
};

LayerWork work_of(const LayerTime& time) {
  return {
      time.matmul_forward + time.attention_forward + time.elementwise_forward,
      time.matmul_dgrad + time.matmul_wgrad + time.attention_backward + time.elementwise_backward};
}

enum class Pass : std::uint8_t { forward, backward };

// Of one layer; `work` is what could hide a share of it.
void note_gathers(const Evaluation& at, std::string_view name, Pass pass, double times,
                  const CollectiveAccount& one, double share, double work, double exposed) {
  if (at.ledger == nullptr || times <= 0) return;
  ExchangeAccount entry{name,
                        kPerLayers,
                        work > 0 ? "kernels of the layer" : "",
                        times,
                        one.bytes,
                        one.ranks,
                        {},
                        one.seconds,
                        work,
                        times * one.seconds - exposed,
                        0,
                        exposed,
                        pass == Pass::backward};
  entry.add(one, 1);
  entry.hideable = share;
  at.ledger->exchanged(entry);
}

// Gathers before and scatters after attention and feed-forward; backward gathers the inputs again.
// Without sequence parallelism an all-reduce stands for each pair.
void tensor_exchange(const Evaluation& at, const LayerShape& shape, LayerWork& work,
                     LayerTime& time) {
  if (at.tensor <= 1) return;
  const double bytes = 2 * at.tokens * shape.hidden;
  // Experts that all tensor ranks share, and nobody else, are a feed-forward like any other.
  const bool like_dense = shape.experts > 0 && at.expert <= 1 && at.expert_tensor == at.tensor;
  const double count = like_dense ? shape.dense_exchanges : shape.exchanges;
  if (at.layout.sequence_parallel) {
    const double each = gather_seconds(at.costs.fabric, bytes, at.tensor, 1);
    // Software that materialises attention is of the time before exchange overlapped matmuls.
    const double hidden = at.costs.materialised ? 0 : at.costs.overlap.tensor;
    const LayerWork before = work;
    time.tensor_forward = exposed(count * each, hidden, work.forward);
    time.tensor_backward = exposed(1.5 * count * each, hidden, work.backward);
    if (at.ledger != nullptr) {
      const CollectiveAccount one = gather_account(at.costs.fabric, bytes, at.tensor, 1);
      note_gathers(at, "tensor parallel gathers, forward", Pass::forward, count, one, hidden,
                   before.forward, time.tensor_forward);
      note_gathers(at, "tensor parallel gathers, backward", Pass::backward, 1.5 * count, one,
                   hidden, before.backward, time.tensor_backward);
    }
  } else {
    const double each = reduce_seconds(at.costs.fabric, bytes, at.tensor, 1);
    time.tensor_forward = 0.5 * count * each;
    time.tensor_backward = time.tensor_forward;
    if (at.ledger != nullptr) {
      const CollectiveAccount one = reduce_account(at.costs.fabric, bytes, at.tensor, 1);
      note_gathers(at, "tensor parallel all-reduces, forward", Pass::forward, 0.5 * count, one, 0,
                   0, time.tensor_forward);
      note_gathers(at, "tensor parallel all-reduces, backward", Pass::backward, 0.5 * count, one, 0,
                   0, time.tensor_backward);
    }
  }
  time.host_forward += count * at.stack.collective_dispatch_seconds;
  time.host_backward += count * at.stack.collective_dispatch_seconds;
}

// Forward and backward; `one` of `times` forward and `again` backward, `hides` the share of
// attention that hides them, and `uneven` that of it by which the last rank has more.
void note_context(const Evaluation& at, std::string_view name, const CollectiveAccount& one,
                  double times, double again, double hides, double uneven, const LayerTime& time) {
  const auto note = [&](double count, double attention, double shown, bool backward) {
    const double window = hides * attention;
    const double whole = count * one.seconds;
    const double hidden = std::min(whole, window);
    ExchangeAccount entry{name,
                          kPerLayers,
                          window > 0 ? "attention" : "",
                          count,
                          one.bytes,
                          at.context,
                          {},
                          one.seconds,
                          window,
                          hidden,
                          shown - (whole - hidden),
                          shown,
                          backward};
    entry.add(one, 1);
    entry.window_share = hides;
    entry.crowding_share = uneven;
    entry.ring = hides > 0 || uneven > 0;
    at.ledger->exchanged(entry);
  };
  note(times, time.attention_forward, time.context_forward, false);
  note(again, time.attention_backward, time.context_backward, true);
}

// Every rank sends its tokens' queries, keys and values of the other ranks' heads, and gets the
// outputs of its tokens back: 4 s h / P elements where keys are as wide as queries
// (DeepSpeed-Ulysses, arXiv:2309.14509, section 3.2). Nothing runs meanwhile, and every rank has
// equal work.
void heads_exchange(const Evaluation& at, const LayerShape& shape, LayerTime& time) {
  constexpr double kExchanges = 4;
  // Fewer key heads than ranks are sent to several of them.
  const double copies = std::max(1.0, at.tensor * at.context / shape.kv_heads);
  const double bytes =
      at.tokens * (2 * 2 * shape.query_width + copies * shape.kv_bytes) / at.tensor;
  time.context_forward = exchange_seconds(at.costs.fabric, bytes, at.context, at.tensor, 1);
  time.context_backward = time.context_forward;
  if (at.ledger != nullptr) {
    note_context(at, "context parallel all-to-alls",
                 exchange_account(at.costs.fabric, bytes, at.context, at.tensor, 1), 1, 1, 0, 0,
                 time);
  }
  time.host_forward += kExchanges * at.stack.collective_dispatch_seconds;
  time.host_backward += kExchanges * at.stack.collective_dispatch_seconds;
}

// Keys and values travel around a ring of the context ranks behind the attention kernels.
void context_exchange(const Evaluation& at, const LayerShape& shape, LayerTime& time) {
  if (at.context <= 1) return;
  if (at.layout.context_kind == ContextKind::ulysses) return heads_exchange(at, shape, time);
  const double bytes = at.tokens * shape.kv_bytes / at.tensor;
  const double each = transfer_seconds(at.costs.fabric, bytes, at.tensor * at.context - 1);
  const double ring = (at.context - 1) * each;
  // The last of c ranks sees all the others' keys, 2 - 1/c times the mean of a causal mask; ranks
  // that hold an early and a late piece each are even (Llama 3, arXiv:2407.21783, section 3.3.2).
  const double uneven = at.stack.context_imbalance * (1 - 1 / at.context);
  const double hides = kContextOverlap * at.costs.overlap.context;
  time.context_forward =
      std::max(0.0, ring - hides * time.attention_forward) + uneven * time.attention_forward;
  time.context_backward =
      std::max(0.0, 2 * ring - hides * time.attention_backward) + uneven * time.attention_backward;
  if (at.ledger != nullptr) {
    note_context(at, "context parallel ring",
                 transfer_account(at.costs.fabric, bytes, at.tensor * at.context - 1),
                 at.context - 1, 2 * (at.context - 1), hides, uneven, time);
  }
  const double issue = (at.context - 1) * at.stack.collective_dispatch_seconds;
  time.host_forward += issue;
  time.host_backward += issue;
}

// Distinct domains that a token's experts lie in, per expert: balls into bins [D]; at most as many
// as a router that is limited to nodes allows (DeepSeek-V3, arXiv:2412.19437, section 2.1.2).
double network_share(double domains, const LayerShape& shape) {
  const double distinct = domains * (1 - portable_pow(1 - 1 / domains, shape.experts_per_token));
  const double allowed = shape.groups_per_token > 0 ? shape.groups_per_token : distinct;
  return std::min(distinct, allowed) / shape.experts_per_token;
}

// Share of the bytes for other domains that really cross, for ranks `expert_tensor` apart.
double crossing(const Evaluation& at, const LayerShape& shape) {
  const double near = domain_members(at.costs.fabric, at.expert, at.expert_tensor);
  return at.stack.expert_dedup && near < at.expert ? network_share(at.expert / near, shape) : 1;
}

// To the experts and back, with what ranks that share an expert gather in between.
void note_experts(const Evaluation& at, const LayerShape& shape, std::string_view name, Pass pass,
                  double bytes, bool shared, double each, double share, double work,
                  double exposed) {
  if (at.ledger == nullptr) return;
  ExchangeAccount entry{name,
                        kPerLayers,
                        work > 0 ? "kernels of the layer" : "",
                        2,
                        bytes,
                        at.expert * at.expert_tensor,
                        {},
                        each,
                        work,
                        2 * each - exposed,
                        0,
                        exposed,
                        pass == Pass::backward};
  entry.hideable = share;
  const Fabric& fabric = at.costs.fabric;
  if (at.expert > 1) {
    entry.add(exchange_account(fabric, bytes, at.expert, at.expert_tensor, crossing(at, shape)), 1);
  }
  if (shared) entry.add(gather_account(fabric, at.expert_tensor * bytes, at.expert_tensor, 1), 1);
  at.ledger->exchanged(entry);
}

// Every token goes to its experts and comes back, forward and backward. Ranks that share an
// expert's matrices gather what each of them received, and scatter the sums (Megatron-Core's
// all-to-all dispatcher, megatron/core/transformer/moe/token_dispatcher.py).
void expert_exchange(const Evaluation& at, const LayerShape& shape, LayerWork& work,
                     LayerTime& time) {
  if (shape.experts <= 0) return;
  const bool shared = at.expert_tensor > 1 && (at.expert > 1 || at.expert_tensor < at.tensor);
  if (at.expert <= 1 && !shared) return;
  const double bytes = 2 * at.tokens / at.tensor * shape.experts_per_token * shape.hidden;
  double each = at.expert > 1 ? exchange_seconds(at.costs.fabric, bytes, at.expert,
                                                 at.expert_tensor, crossing(at, shape))
                              : 0;
  double collectives = at.expert > 1 ? 2 : 0;
  if (shared) {
    each += gather_seconds(at.costs.fabric, at.expert_tensor * bytes, at.expert_tensor, 1);
    collectives += 2;
  }
  const bool leaves = domain_members(at.costs.fabric, at.expert, at.expert_tensor) < at.expert;
  const double hidden = leaves ? at.costs.overlap.expert_network : at.costs.overlap.expert;
  const LayerWork before = hidden > 0 ? work : LayerWork{};
  time.expert_forward = exposed(2 * each, hidden, work.forward);
  time.expert_backward = exposed(2 * each, hidden, work.backward);
  note_experts(at, shape, "expert parallel all-to-alls, forward", Pass::forward, bytes, shared,
               each, hidden, before.forward, time.expert_forward);
  note_experts(at, shape, "expert parallel all-to-alls, backward", Pass::backward, bytes, shared,
               each, hidden, before.backward, time.expert_backward);
  time.host_forward += collectives * at.stack.collective_dispatch_seconds;
  time.host_backward += collectives * at.stack.collective_dispatch_seconds;
}

LayerTime layer_time(const Evaluation& at, const LayerShape& shape) {
  LayerSplit split = layer_split(at);
  split.wgrad = shape.learns;
  LayerTime time = layer_kernels(shape, split, at.costs.device, *at.platform.efficiency, at.stack);
  LayerWork work = work_of(time);
  tensor_exchange(at, shape, work, time);
  context_exchange(at, shape, time);
  expert_exchange(at, shape, work, time);
  return time;
}

}  // namespace

void add(LayerTime& sum, const LayerTime& part, double times) noexcept {
  sum.matmul_forward += times * part.matmul_forward;
  sum.matmul_dgrad += times * part.matmul_dgrad;
  sum.matmul_wgrad += times * part.matmul_wgrad;
  sum.attention_forward += times * part.attention_forward;
  sum.attention_backward += times * part.attention_backward;
  sum.elementwise_forward += times * part.elementwise_forward;
  sum.elementwise_backward += times * part.elementwise_backward;
  sum.tensor_forward += times * part.tensor_forward;
  sum.tensor_backward += times * part.tensor_backward;
  sum.context_forward += times * part.context_forward;
  sum.context_backward += times * part.context_backward;
  sum.expert_forward += times * part.expert_forward;
  sum.expert_backward += times * part.expert_backward;
  sum.host_forward += times * part.host_forward;
  sum.host_backward += times * part.host_backward;
}

double device_forward(const LayerTime& time) noexcept {
  return time.matmul_forward + time.attention_forward + time.elementwise_forward +
         time.tensor_forward + time.context_forward + time.expert_forward;
}

double device_backward(const LayerTime& time) noexcept {
  return time.matmul_dgrad + time.matmul_wgrad + time.attention_backward +
         time.elementwise_backward + time.tensor_backward + time.context_backward +
         time.expert_backward;
}

void drop_backward(LayerTime& time) noexcept {
  time.matmul_dgrad = time.matmul_wgrad = time.attention_backward = time.elementwise_backward = 0;
  time.tensor_backward = time.context_backward = time.expert_backward = time.host_backward = 0;
}

namespace {

// What is evaluated next, for the ledger.
void begin(const Evaluation& at, std::string_view module, double layers) {
  if (at.ledger == nullptr) return;
  at.ledger->module = module;
  at.ledger->layers = layers;
}

// No gradient passes: neither in the sum nor in the ledger, from these entries on.
void stop_gradients(const Evaluation& at, std::size_t kernels, std::size_t exchanges,
                    LayerTime& sum) {
  drop_backward(sum);
  if (at.ledger != nullptr) at.ledger->drop_backward(kernels, exchanges);
}

}  // namespace

LayerTime language_layers(const Evaluation& at) noexcept {
  LayerTime sum;
  for (const LayerShape& shape : at.costs.own) {
    begin(at, "layers", shape.count);
    add(sum, layer_time(at, shape), shape.count);
  }
  const LayerShape& cross = at.costs.cross;
  begin(at, "cross-attention layers", cross.count);
  if (cross.count > 0) add(sum, layer_time(at, cross), cross.count);
  if (!at.costs.language_backward) stop_gradients(at, 0, 0, sum);
  return sum;
}

LayerTime encoder_layers(const Evaluation& at) noexcept {
  const LayerShape& shape = at.costs.encoder;
  LayerTime sum;
  if (shape.count <= 0 || at.costs.encoder_tokens <= 0) return sum;
  LayerSplit split;
  split.tokens = at.layout.micro_batch * at.costs.encoder_tokens / at.context;
  split.tensor = at.tensor;
  split.sequence = at.sequence;
  split.materialised = at.costs.encoder_materialised;
  split.wgrad = shape.learns;
  split.accumulate_bytes = 2 * at.stack.gradient_bytes;
  split.ledger = at.ledger;
  begin(at, "vision encoder", shape.count);
  const std::size_t kernels = at.ledger != nullptr ? at.ledger->account.kernels.size() : 0;
  const std::size_t exchanges = at.ledger != nullptr ? at.ledger->account.exchanges.size() : 0;
  LayerTime layer = layer_kernels(shape, split, at.costs.device, *at.platform.efficiency, at.stack);
  Evaluation image = at;
  image.tokens = split.tokens;
  LayerWork work = work_of(layer);
  tensor_exchange(image, shape, work, layer);
  add(sum, layer, shape.count);
  if (!at.costs.encoder_backward) stop_gradients(at, kernels, exchanges, sum);
  return sum;
}

}  // namespace trcost
