// SPDX-License-Identifier: Apache-2.0
#include "performance/training/layers.h"

#include <algorithm>

#include "performance/exchange/collectives.h"
#include "quantity/portable_math.h"

namespace trcost::performance {
namespace {

// Ring attention hides its exchange behind this share of the attention kernels (model.md 5.1).
constexpr double kContextOverlap = 0.9;

// Share of the element-wise work of a forward pass that norms and activation functions are [D].
constexpr double kSelectiveElementwise = 0.6;

// Kernels of a layer behind which its exchange can hide, seconds.
struct LayerWork {
  double forward, backward;
};

LayerWork hiding_work(const LayerTime& time) {
  return {
      time.matmul_forward + time.attention_forward + time.elementwise_forward,
      time.matmul_dgrad + time.matmul_wgrad + time.attention_backward + time.elementwise_backward};
}

// `times` collectives of which software hides a share behind at most `window` seconds of kernels.
ExchangePass hidden_pass(double times, const LayerExchange& exchange, double window) {
  const double all = times * exchange.each;
  const double hidden = std::min(exchange.hideable * all, window);
  return {.times = times, .window = window, .hidden = hidden, .exposed = all - hidden};
}

// Gathers before and scatters after attention and feed-forward. Backward gathers the inputs again.
// Without sequence parallelism an all-reduce replaces each pair, and nothing hides it.
LayerExchange tensor_exchange(const Evaluation& at, const LayerShape& shape, double tokens,
                              const LayerWork& work) {
  // Experts that exactly the tensor ranks share are a feed-forward like any other.
  const bool like_dense = shape.experts > 0 && at.expert <= 1 && at.expert_tensor == at.tensor;
  const double count = like_dense ? shape.dense_exchanges : shape.exchanges;
  LayerExchange out;
  out.bytes = 2 * tokens * shape.hidden;
  out.dispatched = count;
  if (at.layout.sequence_parallel) {
    out.each = gather_seconds(at.costs.fabric, out.bytes, at.tensor, 1);
    // Software that materialises attention predates exchange overlapped with matmuls.
    out.hideable = at.costs.materialised ? 0 : at.costs.overlap.tensor;
    out.forward = hidden_pass(count, out, work.forward);
    out.backward = hidden_pass(1.5 * count, out, work.backward);
  } else {
    out.each = reduce_seconds(at.costs.fabric, out.bytes, at.tensor, 1);
    out.hideable = 0;
    out.forward = out.backward = hidden_pass(0.5 * count, out, 0);
  }
  return out;
}

// All-to-alls of heads: every rank sends its tokens' queries, keys and values of the other ranks'
// heads, and gets the outputs of its tokens back: 4 s h / P elements where keys are as wide as
// queries (DeepSpeed-Ulysses, arXiv:2309.14509, section 3.2). Nothing runs meanwhile, and every
// rank has equal work.
LayerExchange heads_exchange(const Evaluation& at, const LayerShape& shape) {
  // Fewer key heads than ranks are sent to several of them.
  const double copies = std::max(1.0, at.tensor * at.context / shape.kv_heads);
  LayerExchange out;
  out.bytes = at.tokens * (2 * 2 * shape.query_width + copies * shape.kv_bytes) / at.tensor;
  out.each = exchange_seconds(at.costs.fabric, out.bytes, at.context, at.tensor, 1);
  out.window_share = 0;
  out.dispatched = 4;
  out.forward = out.backward = hidden_pass(1, out, 0);
  return out;
}

// Keys and values travel around a ring of the context ranks behind the attention kernels, as far as
// these do not hide other exchange: `work`.
LayerExchange ring_exchange(const Evaluation& at, const LayerShape& shape, const LayerTime& time,
                            const LayerWork& work) {
  LayerExchange out;
  out.bytes = at.tokens * shape.kv_bytes / at.tensor;
  out.each = transfer_seconds(at.costs.fabric, out.bytes, at.tensor * at.context - 1);
  out.window_share = kContextOverlap * at.costs.overlap.context;
  // The last of c ranks sees all other keys, 2 - 1/c times the mean of a causal mask. Ranks with an
  // early and a late piece each are even (Llama 3, arXiv:2407.21783, section 3.3.2).
  out.crowding_share = at.stack.context_imbalance * (1 - 1 / at.context);
  out.dispatched = at.context - 1;
  const auto pass = [&](double times, double attention, double left) {
    ExchangePass one = hidden_pass(times, out, std::min(out.window_share * attention, left));
    one.crowding = out.crowding_share * attention;
    one.exposed += one.crowding;
    return one;
  };
  out.forward = pass(at.context - 1, time.attention_forward, work.forward);
  out.backward = pass(2 * (at.context - 1), time.attention_backward, work.backward);
  return out;
}

// Distinct domains of a token's experts, per expert: balls into bins [D], limited by a router that
// chooses among few nodes (DeepSeek-V3, arXiv:2412.19437, section 2.1.2).
double network_share(double domains, const LayerShape& shape) {
  const double distinct = domains * (1 - portable_pow(1 - 1 / domains, shape.experts_per_token));
  const double allowed = shape.groups_per_token > 0 ? shape.groups_per_token : distinct;
  return std::min(distinct, allowed) / shape.experts_per_token;
}

// All-to-alls of every token to its experts and back, in each pass. Ranks that share an expert's
// matrices gather the tokens that each of them received and scatter the sums (Megatron-Core's
// all-to-all dispatcher, megatron/core/transformer/moe/token_dispatcher.py).
LayerExchange expert_exchange(const Evaluation& at, const LayerShape& shape,
                              const LayerWork& work) {
  const Fabric& fabric = at.costs.fabric;
  LayerExchange out;
  out.bytes = 2 * at.tokens / at.tensor * shape.experts_per_token * shape.expert_in.k;
  if (at.expert > 1) {
    out.each = exchange_seconds(fabric, out.bytes, at.expert, at.expert_tensor,
                                expert_network_share(at, shape));
    out.dispatched += 2;
  }
  if (gathers_expert_tokens(at)) {
    out.each += gather_seconds(fabric, at.expert_tensor * out.bytes, at.expert_tensor, 1);
    out.dispatched += 2;
  }
  const bool leaves = domain_members(fabric, at.expert, at.expert_tensor) < at.expert;
  out.hideable = leaves ? at.costs.overlap.expert_network : at.costs.overlap.expert;
  const bool hides = out.hideable > 0;
  out.forward = hidden_pass(2, out, hides ? work.forward : 0);
  out.backward = hidden_pass(2, out, hides ? work.backward : 0);
  return out;
}

}  // namespace

bool gathers_expert_tokens(const Evaluation& at) noexcept {
  return at.expert_tensor > 1 && (at.expert > 1 || at.expert_tensor < at.tensor);
}

double expert_network_share(const Evaluation& at, const LayerShape& shape) noexcept {
  const double near = domain_members(at.costs.fabric, at.expert, at.expert_tensor);
  return at.stack.expert_dedup && near < at.expert ? network_share(at.expert / near, shape) : 1;
}

LayerSplit decoder_split(const Evaluation& at, const LayerShape& shape) noexcept {
  LayerSplit split = layer_split(at);
  split.wgrad = shape.learns;
  return split;
}

LayerSplit encoder_split(const Evaluation& at) noexcept {
  return {.tokens = at.layout.micro_batch * at.costs.encoder_tokens / at.context,
          .tensor = at.tensor,
          .sequence = at.sequence,
          .images = true,
          .materialised = at.costs.encoder_materialised,
          .wgrad = at.costs.encoder.learns,
          .accumulate_bytes = 2 * at.costs.gradient_width};
}

LayerParts layer_parts(const Evaluation& at, const LayerShape& shape,
                       const LayerSplit& split) noexcept {
  LayerParts out;
  LayerTime& time = out.time;
  time = layer_kernels(shape, split, at.costs.device, *at.platform.efficiency, at.stack);
  LayerWork work = hiding_work(time);
  const auto issue = [&](const LayerExchange& exchange) {
    const double seconds = exchange.dispatched * at.stack.collective_dispatch_seconds;
    time.host_forward += seconds;
    time.host_backward += seconds;
  };
  if (at.tensor > 1) {
    out.tensor = tensor_exchange(at, shape, split.tokens, work);
    time.tensor_forward = out.tensor.forward.exposed;
    time.tensor_backward = out.tensor.backward.exposed;
    work.forward -= out.tensor.forward.hidden;
    work.backward -= out.tensor.backward.hidden;
    issue(out.tensor);
  }
  if (at.context > 1 && !split.images) {
    out.context = at.layout.context_kind == ContextKind::ulysses
                      ? heads_exchange(at, shape)
                      : ring_exchange(at, shape, time, work);
    time.context_forward = out.context.forward.exposed;
    time.context_backward = out.context.backward.exposed;
    work.forward -= out.context.forward.hidden;
    work.backward -= out.context.backward.hidden;
    issue(out.context);
  }
  if (shape.experts > 0 && (at.expert > 1 || gathers_expert_tokens(at))) {
    out.expert = expert_exchange(at, shape, work);
    time.expert_forward = out.expert.forward.exposed;
    time.expert_backward = out.expert.backward.exposed;
    issue(out.expert);
  }
  return out;
}

LayerTime language_layers(const Evaluation& at) noexcept {
  LayerTime sum;
  for (const LayerShape& shape : at.costs.own) {
    add(sum, layer_parts(at, shape, decoder_split(at, shape)).time, shape.count);
  }
  const LayerShape& cross = at.costs.cross;
  if (cross.count > 0) {
    add(sum, layer_parts(at, cross, decoder_split(at, cross)).time, cross.count);
  }
  if (!at.costs.language_backward) drop_backward(sum);
  return sum;
}

bool has_encoder_layers(const Evaluation& at) noexcept {
  return at.costs.encoder.count > 0 && at.costs.encoder_tokens > 0;
}

LayerTime encoder_layers(const Evaluation& at) noexcept {
  LayerTime sum;
  if (!has_encoder_layers(at)) return sum;
  const LayerShape& encoder = at.costs.encoder;
  add(sum, layer_parts(at, encoder, encoder_split(at)).time, encoder.count);
  if (!at.costs.encoder_backward) drop_backward(sum);
  return sum;
}

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

double routing_seconds(const Evaluation& at) noexcept {
  const DeviceCosts& device = at.costs.device;
  double seconds = 0;
  for (const LayerShape& shape : at.costs.own) {
    if (shape.experts <= 0) continue;
    seconds += shape.count * (routing_traffic(shape, layer_split(at), device) *
                                  device.seconds_per_byte.elementwise +
                              at.stack.expert_kernels * device.kernel_gap_seconds);
  }
  return seconds;
}

namespace {

// Selective recomputation of some software repeats a mixture's layers in full.
bool repeats_whole_layers(const Evaluation& at) {
  if (at.layout.recompute == Recompute::full) return true;
  return at.layout.recompute == Recompute::selective && at.costs.parameters_expert > 0 &&
         !at.stack.memory.selective_mixtures;
}

}  // namespace

RepeatedTime repeated_time(const Evaluation& at, const LayerTime& layers, double routing) noexcept {
  RepeatedTime out;
  out.forward = device_forward(layers);
  if (repeats_whole_layers(at)) {
    out.seconds = out.forward;
    out.share = 1;
    return out;
  }
  out.elementwise = layers.elementwise_forward;
  out.matmul = layers.matmul_forward;
  out.attention = layers.attention_forward;
  out.routing = std::min(routing, layers.elementwise_forward);
  out.kept = out.routing + layers.expert_forward;
  out.share = at.recomputed;
  if (at.layout.recompute == Recompute::selective) {
    if (at.costs.materialised) {
      out.attention_share = 1;
    } else {
      out.elementwise_share = kSelectiveElementwise;
      out.matmul_share = at.stack.selective_matmul;
    }
  }
  const double selective = out.elementwise_share * (out.elementwise - out.routing) +
                           out.matmul_share * out.matmul + out.attention_share * out.attention;
  out.seconds = selective + out.share * std::max(0.0, out.forward - out.kept - selective);
  return out;
}

double recomputed_flops(const Evaluation& at) noexcept {
  const StepCosts& costs = at.costs;
  if (!costs.language_backward) return 0;
  const double layers = repeated_layers(at) * costs.forward_flops;
  if (repeats_whole_layers(at) || at.layout.recompute != Recompute::selective) return layers;
  const double selective =
      costs.materialised ? costs.core_flops
                         : at.stack.selective_matmul * (costs.forward_flops - costs.core_flops);
  return layers + (1 - at.recomputed) * selective;
}

double repeated_layers(const Evaluation& at) noexcept {
  return repeats_whole_layers(at) ? 1 : at.recomputed;
}

}  // namespace trcost::performance
