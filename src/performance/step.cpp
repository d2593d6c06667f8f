// SPDX-License-Identifier: Apache-2.0
// Time of one step of a layout (model.md 5.1). Arithmetic on prepared numbers, no allocation.
#include <algorithm>
#include <cmath>

#include "performance/collectives.h"
#include "performance/kernels.h"
#include "performance/pipeline.h"
#include "trcost/efficiency.h"
#include "trcost/performance.h"

namespace trcost {
namespace {

// Ring attention hides its exchange behind this share of the attention kernels (model.md 5.1).
constexpr double kContextOverlap = 0.9;
// Share of the element-wise work of a forward pass that norms and activation functions are [D].
constexpr double kSelectiveElementwise = 0.6;
// Nodes are counted in eights whatever the domain: stragglers are a matter of hosts.
constexpr double kGpusPerHost = 8;

/// The sums of a micro-batch over one rank's share of the model, seconds.
struct Work {
  LayerTime time;
  double layers = 0;
};

void add(LayerTime& sum, const LayerTime& part, double times) {
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

double device_forward(const LayerTime& t) {
  return t.matmul_forward + t.attention_forward + t.elementwise_forward + t.tensor_forward +
         t.context_forward + t.expert_forward;
}

double device_backward(const LayerTime& t) {
  return t.matmul_dgrad + t.matmul_wgrad + t.attention_backward + t.elementwise_backward +
         t.tensor_backward + t.context_backward + t.expert_backward;
}

void drop_backward(LayerTime& t) {
  t.matmul_dgrad = t.matmul_wgrad = t.attention_backward = t.elementwise_backward = 0;
  t.tensor_backward = t.context_backward = t.expert_backward = t.host_backward = 0;
}

/// What a device and a host that issues its kernels take together: the longer of the two, rounded
/// where they are close, (d^4 + h^4)^(1/4).
double issued(double device, double host) {
  const double d = device * device;
  const double h = host * host;
  return std::sqrt(std::sqrt(d * d + h * h));
}

/// One evaluation: the layout with what follows from it.
struct Evaluation {
  const StepCosts& costs;
  const Platform& platform;
  const Layout& layout;
  const Stack& stack;
  double tokens;        // of a rank's micro-batch
  double tensor, pipeline, context, expert, data;
  double sequence;      // ranks that share what tensor parallelism leaves whole
  double replicas;      // ranks that hold the same dense weights: data x context
  double expert_replicas;
  double expert_tensor; // ranks that share one expert's matrices
};

Evaluation prepare(const StepCosts& costs, const Workload& workload, const Platform& platform,
                   const Layout& layout) {
  const double t = layout.tp, c = layout.cp, e = layout.ep, d = layout.dp;
  return {costs,
          platform,
          layout,
          *platform.stack,
          layout.micro_batch * workload.seq_length / c,
          t,
          static_cast<double>(layout.pp),
          c,
          e,
          d,
          layout.sequence_parallel ? t : 1.0,
          d * c,
          e > 1 ? std::max(1.0, d * c * t / e) : d * c,
          e > 1 ? 1.0 : t};
}

LayerSplit layer_split(const Evaluation& at) {
  LayerSplit split;
  split.tokens = at.tokens;
  split.tensor = at.tensor;
  split.sequence = at.sequence;
  split.expert = at.expert;
  split.materialised = at.costs.materialised;
  split.wgrad = at.costs.language_wgrad;
  split.accumulate_bytes = 2 * at.stack.gradient_bytes;
  split.dequantise = at.costs.dequantise;
  return split;
}

// Gathers before and scatters after attention and feed-forward; backward gathers the inputs again.
// Without sequence parallelism an all-reduce stands for each pair.
void tensor_exchange(const Evaluation& at, const LayerShape& shape, LayerTime& time) {
  if (at.tensor <= 1) return;
  const double bytes = 2 * at.tokens * shape.hidden;
  const double count = shape.experts > 0 && at.expert <= 1 ? 4 : shape.exchanges;
  if (at.layout.sequence_parallel) {
    const double each = gather_seconds(at.costs.fabric, bytes, at.tensor, 1);
    // Software that materialises attention is of the time before exchange overlapped matmuls.
    const double hidden = at.costs.materialised ? 0 : at.stack.tensor_overlap;
    const double exposed = (1 - hidden) * count * each;
    time.tensor_forward = exposed;
    time.tensor_backward = 1.5 * exposed;
  } else {
    const double each = reduce_seconds(at.costs.fabric, bytes, at.tensor, 1);
    time.tensor_forward = 0.5 * count * each;
    time.tensor_backward = time.tensor_forward;
  }
  time.host_forward += count * at.stack.collective_dispatch_seconds;
  time.host_backward += count * at.stack.collective_dispatch_seconds;
}

// Keys and values travel around a ring of the context ranks behind the attention kernels.
void context_exchange(const Evaluation& at, const LayerShape& shape, LayerTime& time) {
  if (at.context <= 1) return;
  const double bytes = at.tokens * shape.kv_bytes / at.tensor;
  const double each = transfer_seconds(at.costs.fabric, bytes, at.tensor * at.context - 1);
  const double ring = (at.context - 1) * each;
  // The last of c ranks sees all the others' keys, 2 - 1/c times the mean of a causal mask; ranks that
  // hold an early and a late piece each are even (Llama 3, arXiv:2407.21783, section 3.3.2).
  const double uneven = at.stack.context_imbalance * (1 - 1 / at.context);
  time.context_forward = std::max(0.0, ring - kContextOverlap * time.attention_forward) +
                         uneven * time.attention_forward;
  time.context_backward = std::max(0.0, 2 * ring - kContextOverlap * time.attention_backward) +
                          uneven * time.attention_backward;
  const double kernels = (at.context - 1) * 3 * at.stack.dispatch_seconds;
  time.host_forward += kernels;
  time.host_backward += kernels;
}

// Distinct domains that a token's experts lie in, per expert: balls into bins [D]; at most as many as
// a router that is limited to nodes allows (DeepSeek-V3, arXiv:2412.19437, section 2.1.2).
double network_share(double domains, const LayerShape& shape) {
  const double distinct = domains * (1 - std::pow(1 - 1 / domains, shape.experts_per_token));
  const double allowed = shape.groups_per_token > 0 ? shape.groups_per_token : distinct;
  return std::min(distinct, allowed) / shape.experts_per_token;
}

// Every token goes to its experts and comes back, forward and backward.
void expert_exchange(const Evaluation& at, const LayerShape& shape, LayerTime& time) {
  if (shape.experts <= 0 || at.expert <= 1) return;
  const double bytes = 2 * at.tokens / at.tensor * shape.experts_per_token * shape.hidden;
  const double near = domain_members(at.costs.fabric, at.expert, 1);
  const double share = at.stack.expert_dedup && near < at.expert
                           ? network_share(at.expert / near, shape)
                           : 1;
  const double each = exchange_seconds(at.costs.fabric, bytes, at.expert, 1, share);
  time.expert_forward = 2 * (1 - at.stack.expert_overlap) * each;
  time.expert_backward = time.expert_forward;
  time.host_forward += 2 * at.stack.collective_dispatch_seconds;
  time.host_backward += 2 * at.stack.collective_dispatch_seconds;
}

LayerTime layer_time(const Evaluation& at, const LayerShape& shape) {
  LayerTime time = layer_kernels(shape, layer_split(at), at.costs.rates, *at.platform.efficiency,
                                 at.stack);
  tensor_exchange(at, shape, time);
  context_exchange(at, shape, time);
  expert_exchange(at, shape, time);
  return time;
}

LayerTime language_layers(const Evaluation& at) {
  LayerTime sum;
  for (const LayerShape* shape : {&at.costs.dense, &at.costs.expert, &at.costs.cross}) {
    if (shape->count > 0) add(sum, layer_time(at, *shape), shape->count);
  }
  if (!at.costs.language_backward) drop_backward(sum);
  return sum;
}

LayerTime encoder_layers(const Evaluation& at) {
  const LayerShape& shape = at.costs.encoder;
  LayerTime sum;
  if (shape.count <= 0 || at.costs.encoder_tokens <= 0) return sum;
  LayerSplit split;
  split.tokens = at.layout.micro_batch * at.costs.encoder_tokens / at.context;
  split.tensor = at.tensor;
  split.sequence = at.sequence;
  split.materialised = at.costs.materialised;
  split.wgrad = at.costs.encoder_wgrad;
  split.accumulate_bytes = 2 * at.stack.gradient_bytes;
  LayerTime layer = layer_kernels(shape, split, at.costs.rates, *at.platform.efficiency, at.stack);
  Evaluation image = at;
  image.tokens = split.tokens;
  tensor_exchange(image, shape, layer);
  add(sum, layer, shape.count);
  if (!at.costs.encoder_backward) drop_backward(sum);
  return sum;
}

/// Exchange of weights and gradients between replicas, seconds.
struct DataExchange {
  double per_micro_batch = 0;  // exposed
  double per_step = 0;         // exposed
};

struct ReplicaTraffic {
  double gather = 0;   // weights of one rank's stage, 16 bit
  double scatter = 0;  // gradients
  double reduce = 0;
};

ReplicaTraffic replica_traffic(const Evaluation& at, double units) {
  const StepCosts& costs = at.costs;
  const double dense = costs.parameters_dense / (at.tensor * at.pipeline);
  const double learning = costs.trainable_dense / (at.tensor * at.pipeline);
  const double group = at.expert > 1 ? at.expert : at.expert_tensor;
  const double experts = costs.parameters_expert / (group * at.pipeline);
  const double learning_experts = costs.trainable_expert / (group * at.pipeline);
  const auto gather = [&](double bytes, double members, double stride) {
    return bytes > 0 ? units * gather_seconds(costs.fabric, bytes / units, members, stride) : 0.0;
  };
  const double g = at.stack.gradient_bytes;
  const double stride = at.tensor;
  const double expert_stride = at.expert > 1 ? at.expert : at.tensor;
  ReplicaTraffic traffic;
  traffic.gather =
      gather(2 * dense, at.replicas, stride) + gather(2 * experts, at.expert_replicas, expert_stride);
  traffic.scatter = gather(g * learning, at.replicas, stride) +
                    gather(g * learning_experts, at.expert_replicas, expert_stride);
  traffic.reduce =
      reduce_seconds(costs.fabric, g * learning, at.replicas, stride) +
      (learning_experts > 0 ? reduce_seconds(costs.fabric, g * learning_experts,
                                             at.expert_replicas, expert_stride)
                            : 0.0);
  return traffic;
}

// What does not fit behind `window` seconds of compute, a last piece of which nothing hides.
double exposed(double exchange, double window, double tail, double contention) {
  const double hidden = std::min(exchange * (1 - tail), window);
  return exchange - hidden + contention * hidden;
}

DataExchange data_exchange(const Evaluation& at, double forward, double backward, double units) {
  DataExchange result;
  if (at.replicas <= 1) return result;
  const ReplicaTraffic traffic = replica_traffic(at, units);
  const double share = at.stack.data_overlap;
  const double tail = 1 / std::max(8.0, units);
  const double crowd = at.stack.contention;
  const double virtual_stages = at.layout.vp;
  // Interleaved stages finish early: their exchange overlaps several micro-batches (model.md 5.1).
  const double windows =
      virtual_stages > 1
          ? std::min(at.pipeline * (virtual_stages - 1) / virtual_stages, at.layout.micro_batches())
          : 1;
  const double frozen_gather =
      at.costs.trainable_dense + at.costs.trainable_expert <
              0.5 * (at.costs.parameters_dense + at.costs.parameters_expert)
          ? 0.0
          : 1.0;  // nothing to hand out again after an update of adapters alone
  switch (at.layout.sharding) {
    case Sharding::none:
      result.per_step = exposed(traffic.reduce, share * backward * windows, tail, crowd);
      break;
    case Sharding::optimizer:
      result.per_step =
          exposed(traffic.scatter, share * backward * windows, tail, crowd) +
          frozen_gather * exposed(traffic.gather, share * forward * windows, tail, crowd);
      break;
    case Sharding::gradients:
      result.per_micro_batch = exposed(traffic.scatter, share * backward, tail, crowd);
      result.per_step =
          frozen_gather * exposed(traffic.gather, share * forward * windows, tail, crowd);
      break;
    case Sharding::parameters:
      result.per_micro_batch =
          exposed(traffic.gather, share * forward, tail, crowd) +
          (backward > 0
               ? exposed(traffic.gather + traffic.scatter, share * backward, tail, crowd)
               : 0.0);
      break;
  }
  return result;
}

double update_seconds(const Evaluation& at) {
  const bool sharded = at.layout.sharding != Sharding::none;
  const double group = at.expert > 1 ? at.expert : at.expert_tensor;
  const double dense =
      at.costs.trainable_dense / (at.tensor * at.pipeline) / (sharded ? at.replicas : 1);
  const double experts =
      at.costs.trainable_expert / (group * at.pipeline) / (sharded ? at.expert_replicas : 1);
  return (dense + experts) * at.stack.optimizer_bytes * at.costs.rates.memory +
         at.stack.step_seconds;
}

double transfer_per_micro_batch(const Evaluation& at, double hidden) {
  if (at.pipeline <= 1) return 0;
  const double bytes = 2 * at.tokens * hidden / at.sequence;
  const double stride = at.layout.gpus() / at.pipeline;
  const double each = transfer_seconds(at.costs.fabric, bytes, stride);
  return 2 * at.layout.vp * each * (1 - at.stack.pipeline_overlap);
}

// Seconds of a forward pass that route tokens to experts; no recomputation of norms and activations
// repeats them.
double routing(const Evaluation& at) {
  const LayerShape& shape = at.costs.expert;
  const DeviceRates& rates = at.costs.rates;
  const double routed = at.tokens / at.tensor * shape.experts_per_token;
  return shape.count * (routed * 8 * shape.hidden * rates.expert_traffic * rates.elementwise +
                        at.stack.expert_kernels * rates.gap);
}

// Forward work that the backward pass repeats. Selective: the core where it is materialised
// (Korthikanti et al. 2205.05198, section 5); else norms and activation functions, Megatron-Core's
// selective modules. Layers recomputed one by one, as many as memory asks for, come on top; they keep
// what the experts' exchange delivered (Megatron-Core recomputes modules on either side of it).
double recomputed(const Evaluation& at, const LayerTime& time) {
  const double whole = device_forward(time);
  if (at.layout.recompute == Recompute::full) return whole;
  const double routed = at.costs.expert.count > 0 ? routing(at) : 0;
  const double own_work = std::max(0.0, time.elementwise_forward - routed);
  double selective = 0;
  if (at.layout.recompute == Recompute::selective) {
    selective = at.costs.materialised ? time.attention_forward
                                      : kSelectiveElementwise * own_work +
                                            at.stack.selective_matmul * time.matmul_forward;
  }
  const double kept = std::min(routed, time.elementwise_forward) + time.expert_forward;
  return selective + at.layout.recomputed_layers * std::max(0.0, whole - kept - selective);
}

// The share of the layers whose forward pass is issued again.
double repeated_layers(const Layout& layout) {
  return layout.recompute == Recompute::full ? 1 : layout.recomputed_layers;
}

double& term(StepTime& time, StepTerm name) { return time.terms[static_cast<std::size_t>(name)]; }

double fabric_nodes(const Layout& layout) { return std::max(1.0, layout.gpus() / kGpusPerHost); }

}  // namespace

StepTime StepModel::step(const Layout& layout) const noexcept {
  const Evaluation at = prepare(costs_, workload_, platform_, layout);
  const double m = layout.micro_batches();
  const double p = at.pipeline;
  const LanguageModel& model = workload_.language;

  // A micro-batch through all layers of one replica, seen from one tensor and context rank.
  const LayerTime layers = language_layers(at);
  const LayerTime vision = encoder_layers(at);
  LayerSplit head_split = layer_split(at);
  head_split.wgrad = costs_.head_wgrad;
  LayerTime head;
  add(head, head_kernels(model.hidden, model.vocab, head_split, costs_.rates, *platform_.stack),
      costs_.head_count);
  if (!costs_.language_backward) drop_backward(head);
  const double connector = layout.micro_batch / (at.context * at.tensor) * costs_.connector_flops *
                           3 * costs_.rates.matmul_half;

  const double again = costs_.language_backward ? recomputed(at, layers) : 0;
  const double vision_again = costs_.encoder_backward ? recomputed(at, vision) : 0;
  const double backward_again =
      costs_.language_backward ? repeated_layers(layout) * layers.host_forward : 0;

  // Device time of one layer's worth, and what issuing it from the host adds.
  const double forward = device_forward(layers);
  const double backward = device_backward(layers) + again;
  const double issue = platform_.stack->micro_batch_seconds;
  const bool gathers = layout.sharding == Sharding::parameters && at.replicas > 1;
  const double unit_issue =
      gathers ? platform_.stack->collective_dispatch_seconds *
                    (costs_.dense.count + costs_.expert.count)
              : 0;
  const double host_forward = layers.host_forward + head.host_forward + vision.host_forward + unit_issue;
  const double host_backward = layers.host_backward + head.host_backward + vision.host_backward +
                               backward_again + 2 * unit_issue;
  const double all_forward = forward + device_forward(head) + device_forward(vision);
  const double all_backward =
      backward + device_backward(head) + device_backward(vision) + vision_again;
  const double waiting = issued(all_forward, host_forward + issue * p) - all_forward +
                         (all_backward > 0 ? issued(all_backward, host_backward + issue * p) -
                                                 all_backward
                                           : 0);

  const double layer_count = costs_.dense.count + costs_.expert.count + costs_.cross.count;
  const double units = std::max(1.0, layer_count / p);
  const DataExchange exchange = data_exchange(at, all_forward / p, all_backward / p, units);
  const double transfer = transfer_per_micro_batch(at, model.hidden);

  StageParts parts;
  parts.layers = layer_count;
  parts.layer = (forward + backward + waiting) / layer_count;
  parts.head = device_forward(head) + device_backward(head);
  parts.encoder =
      device_forward(vision) + device_backward(vision) + vision_again + connector;
  const StageTimes stages = stage_times(parts, p);
  // A stage with less work waits less for everything else, so only a part of the difference shows.
  const double uneven = platform_.stack->stage_imbalance * (stages.slowest - stages.mean);
  const double idle = m * uneven +
                      (p > 1 ? bubble_stages(p, layout.vp) *
                                   (stages.mean + transfer + exchange.per_micro_batch)
                             : 0);

  StepTime time;
  const double share = m / p;  // of a rank: micro-batches times its part of the layers
  time.model_flops = costs_.model_flops * layout.global_batch;
  double repeat = repeated_layers(layout) * costs_.forward_flops;
  if (layout.recompute == Recompute::selective && costs_.materialised) {
    repeat += (1 - layout.recomputed_layers) * costs_.core_flops;
  } else if (layout.recompute == Recompute::selective) {
    repeat += (1 - layout.recomputed_layers) * platform_.stack->selective_matmul *
              (costs_.forward_flops - costs_.core_flops);
  }
  if (!costs_.language_backward) repeat = 0;
  time.hardware_flops = time.model_flops + repeat * layout.global_batch;
  const double useful = time.model_flops / layout.gpus() * costs_.rates.ideal;
  const double core = costs_.core_flops * (costs_.language_backward ? 3 : 1) * layout.global_batch /
                      layout.gpus() * costs_.rates.ideal;
  const double seen =
      costs_.vision_flops * layout.global_batch / layout.gpus() * costs_.rates.ideal;
  const double matmul = share * (layers.matmul_forward + layers.matmul_dgrad + layers.matmul_wgrad +
                                 head.matmul_forward + head.matmul_dgrad + head.matmul_wgrad);
  const double attention = share * (layers.attention_forward + layers.attention_backward);
  term(time, StepTerm::matmul_peak) = useful;
  term(time, StepTerm::attention) = attention - core;
  term(time, StepTerm::vision) = share * parts.encoder - seen;
  term(time, StepTerm::kernel) = matmul - (useful - core - seen);
  term(time, StepTerm::elementwise) =
      share * (layers.elementwise_forward + layers.elementwise_backward +
               head.elementwise_forward + head.elementwise_backward + waiting);
  term(time, StepTerm::recompute) = share * again;
  term(time, StepTerm::tensor_parallel) = share * (layers.tensor_forward + layers.tensor_backward);
  term(time, StepTerm::context_parallel) =
      share * (layers.context_forward + layers.context_backward);
  term(time, StepTerm::expert_parallel) = share * (layers.expert_forward + layers.expert_backward);
  term(time, StepTerm::pipeline_bubble) = idle;
  term(time, StepTerm::pipeline_transfer) = m * transfer;
  term(time, StepTerm::data_parallel) = m * exchange.per_micro_batch + exchange.per_step;
  term(time, StepTerm::optimizer) = update_seconds(at);
  double sum = 0;
  for (const double part : time.terms) sum += part;
  const double lost = (1 + platform_.stack->straggler * std::log2(fabric_nodes(layout))) *
                          workload_.imbalance / workload_.padding_efficiency -
                      1;
  term(time, StepTerm::imbalance) = sum * lost;
  for (const double part : time.terms) time.seconds += part;
  return time;
}

}  // namespace trcost
