// SPDX-License-Identifier: Apache-2.0
#include "performance/training/step_account.h"

#include <algorithm>

#include "catalog/models/model.h"
#include "performance/exchange/collectives.h"
#include "performance/training/evaluation.h"
#include "performance/training/layers.h"

namespace trcost::performance {

std::string_view kernel_name(KernelKind kind) {
  constexpr std::string_view kNames[] = {"matmul", "grouped matmul", "attention", "element-wise",
                                         "adapters"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

void add_rates(const Platform& platform, const StepCosts& costs, StepAccount& out) {
  const DeviceCosts& device = costs.device;
  out.peak_flops = 1 / device.seconds_per_flop.peak;
  out.matmul_flops = 1 / device.seconds_per_flop.matmul;
  out.attention_flops = 1 / (costs.materialised ? device.seconds_per_flop.batched_matmul
                                                : device.seconds_per_flop.flash_forward);
  out.memory_bytes = platform.accelerator->memory_bandwidth;
  out.memory_rate = 1 / device.seconds_per_byte.memory;
  out.elementwise_rate = 1 / device.seconds_per_byte.elementwise;
  out.ramp_seconds = device.matmul_start_seconds;
  out.gap_seconds = device.kernel_gap_seconds;
  out.half_bytes = costs.fabric.half_bytes;
}

void add_tiers(const Platform& platform, const Fabric& fabric, StepAccount& out) {
  std::size_t at = 0;
  for (const NetworkTier& tier : platform.system->tiers) {
    if (at == static_cast<std::size_t>(fabric.tiers)) break;
    out.tiers.push_back({tier.name, tier.size, tier.bandwidth,
                         1 / (fabric.seconds_per_byte[at] * tier.bandwidth),
                         fabric.latency_seconds[at]});
    ++at;
  }
}

// Lists the kernels of a module.
struct KernelList {
  std::string_view module;
  double layers;  // of the kind, over the whole model
  bool backward;  // gradients pass through the module
  std::vector<KernelAccount>& out;

  void operator()(const MatmulTime& matmul) const {
    const double flops = 2 * matmul.m * matmul.n * matmul.k;
    add({.kind = matmul.grouped ? KernelKind::grouped_matmul : KernelKind::matmul,
         .m = matmul.m,
         .n = matmul.n,
         .k = matmul.k,
         .flops = flops,
         .bytes = matmul.operand_bytes,
         .forward = matmul.forward,
         .input_gradients = matmul.forward,
         .weight_gradients = matmul.weight_gradient,
         .rate = flops / matmul.compute_seconds,
         .gradient_bytes = matmul.gradient_bytes});
  }
  void operator()(const AdapterTime& adapters) const {
    add({.kind = KernelKind::adapters,
         .flops = adapters.flops,
         .forward = adapters.seconds,
         .input_gradients = adapters.seconds,
         .weight_gradients = adapters.seconds,
         .rate = adapters.flops / adapters.seconds});
  }
  void operator()(const AttentionTime& attention) const {
    add({.kind = KernelKind::attention,
         .flops = attention.flops,
         .bytes = attention.bytes,
         .forward = attention.forward,
         .input_gradients = attention.backward,
         .attention = attention});
  }
  void operator()(const ElementwiseTime& elementwise) const {
    add({.kind = KernelKind::elementwise,
         .bytes = elementwise.bytes + elementwise.plain_bytes,
         .forward = elementwise.forward,
         .input_gradients = elementwise.backward_factor * elementwise.forward,
         .elementwise = elementwise});
  }
  void add(KernelAccount kernel) const {
    kernel.module = module;
    kernel.layers = layers;
    if (!backward) kernel.input_gradients = kernel.weight_gradients = 0;
    out.push_back(kernel);
  }
};

// An exchange with its collectives, whose bytes over each tier it sums up. An all-reduce sends
// twice as much as a gather.
void add_exchange(ExchangeAccount entry, StepAccount& out) {
  for (std::size_t i = 0; i < entry.collective_count; ++i) {
    const CollectiveAccount& each = entry.collectives[i];
    const double sent = each.kind == CollectiveKind::all_reduce ? 2 : 1;
    for (std::size_t t = 0; t < entry.tier_bytes.size(); ++t) {
      entry.tier_bytes[t] += each.times * sent * each.tier_bytes[t];
    }
  }
  out.exchanges.push_back(entry);
}

// Names of one kind of exchange inside a layer.
struct LayerExchangeNames {
  std::string_view forward, backward, behind;
};

// Both passes of an exchange of `layers` layers. `entry` has its collectives and ranks.
void add_layer_exchange(const LayerExchange& exchange, const LayerExchangeNames& names,
                        double layers, bool backward, ExchangeAccount entry, StepAccount& out) {
  entry.per = kPerLayers;
  entry.bytes = exchange.bytes;
  entry.each = exchange.each;
  entry.hideable = exchange.hideable;
  entry.window_share = exchange.window_share;
  entry.crowding_share = exchange.crowding_share;
  const auto add = [&](const ExchangePass& pass, std::string_view name) {
    if (pass.times <= 0) return;
    entry.name = name;
    entry.behind = pass.window > 0 ? names.behind : "";
    entry.times = layers * pass.times;
    entry.window = layers * pass.window;
    entry.hidden = layers * pass.hidden;
    entry.crowding = layers * pass.crowding;
    entry.exposed = layers * pass.exposed;
    add_exchange(entry, out);
  };
  add(exchange.forward, names.forward);
  entry.backward = true;
  if (backward) add(exchange.backward, names.backward);
}

void add_tensor_exchange(const Evaluation& at, const LayerExchange& exchange, double layers,
                         bool backward, StepAccount& out) {
  const bool gathers = at.layout.sequence_parallel;
  const auto account = gathers ? gather_account : reduce_account;
  ExchangeAccount entry{.members = at.tensor};
  entry.add(account(at.costs.fabric, exchange.bytes, at.tensor, 1), 1);
  const LayerExchangeNames names =
      gathers ? LayerExchangeNames{"tensor parallel gathers, forward",
                                   "tensor parallel gathers, backward", "kernels of the layer"}
              : LayerExchangeNames{"tensor parallel all-reduces, forward",
                                   "tensor parallel all-reduces, backward", ""};
  add_layer_exchange(exchange, names, layers, backward, entry, out);
}

void add_context_exchange(const Evaluation& at, const LayerExchange& exchange, double layers,
                          bool backward, StepAccount& out) {
  const bool heads = at.layout.context_kind == ContextKind::ulysses;
  ExchangeAccount entry{.members = at.context};
  entry.add(heads ? exchange_account(at.costs.fabric, exchange.bytes, at.context, at.tensor, 1)
                  : transfer_account(at.costs.fabric, exchange.bytes, at.tensor * at.context - 1),
            1);
  entry.ring = exchange.window_share > 0 || exchange.crowding_share > 0;
  const std::string_view name = heads ? "context parallel all-to-alls" : "context parallel ring";
  add_layer_exchange(exchange, {name, name, "attention"}, layers, backward, entry, out);
}

void add_expert_exchange(const Evaluation& at, const LayerShape& shape,
                         const LayerExchange& exchange, double layers, bool backward,
                         StepAccount& out) {
  const Fabric& fabric = at.costs.fabric;
  ExchangeAccount entry{.members = at.expert * at.expert_tensor};
  if (at.expert > 1) {
    entry.add(exchange_account(fabric, exchange.bytes, at.expert, at.expert_tensor,
                               expert_network_share(at, shape)),
              1);
  }
  if (gathers_expert_tokens(at)) {
    entry.add(gather_account(fabric, at.expert_tensor * exchange.bytes, at.expert_tensor, 1), 1);
  }
  add_layer_exchange(exchange,
                     {"expert parallel all-to-alls, forward",
                      "expert parallel all-to-alls, backward", "kernels of the layer"},
                     layers, backward, entry, out);
}

// Kernels and exchange of all layers of a kind, of the language model or the encoder.
void add_layers(const Evaluation& at, const LayerShape& shape, const LayerSplit& split,
                std::string_view module, StepAccount& out) {
  const bool backward = split.images ? at.costs.encoder_backward : at.costs.language_backward;
  visit_layer_kernels(shape, split, at.costs.device, *at.platform.efficiency, at.stack,
                      KernelList{module, shape.count, backward, out.kernels});
  const LayerParts parts = layer_parts(at, shape, split);
  if (parts.tensor.forward.times > 0) {
    add_tensor_exchange(at, parts.tensor, shape.count, backward, out);
  }
  if (parts.context.forward.times > 0) {
    add_context_exchange(at, parts.context, shape.count, backward, out);
  }
  if (parts.expert.forward.times > 0) {
    add_expert_exchange(at, shape, parts.expert, shape.count, backward, out);
  }
}

void add_modules(const Evaluation& at, const LanguageModel& model, StepAccount& out) {
  const StepCosts& costs = at.costs;
  for (const LayerShape& shape : costs.own) {
    add_layers(at, shape, decoder_split(at, shape), "layers", out);
  }
  if (costs.cross.count > 0) {
    add_layers(at, costs.cross, decoder_split(at, costs.cross), "cross-attention layers", out);
  }
  if (has_encoder_layers(at)) {
    add_layers(at, costs.encoder, encoder_split(at), "vision encoder", out);
  }
  LayerSplit split = layer_split(at);
  split.wgrad = at.costs.head_wgrad;
  visit_head_kernels(
      model.hidden, head_outputs(model), split, at.costs.device,
      KernelList{"head", at.costs.head_count, at.costs.language_backward, out.kernels});
}

std::string_view payload_name(ReplicaPayload payload) {
  constexpr std::string_view kNames[] = {
      "gradients, all-reduced",    "gradients, scattered",
      "gradients, across groups",  "weights, gathered",
      "weights, gathered forward", "weights gathered, gradients scattered"};
  return kNames[static_cast<std::size_t>(payload)];
}

void add_replicas(const Evaluation& at, const DataExchange& replicas, StepAccount& out) {
  for (std::size_t i = 0; i < replicas.count; ++i) {
    const ReplicaExchange& part = replicas.parts[i];
    if (part.seconds <= 0) continue;
    ExchangeAccount entry{.name = payload_name(part.payload),
                          .per = part.per_step ? kPerStep : kPerMicroBatch,
                          .behind = "the pass of the stage",
                          .times = 1,
                          .each = part.seconds,
                          .window = part.window,
                          .hidden = part.hidden,
                          .crowding = part.contention * part.hidden,
                          .exposed = part.exposed(),
                          .hideable = replicas.hideable,
                          .window_share = replicas.window_share,
                          .passes = part.passes,
                          .crowding_share = part.contention};
    const PayloadCollectives collectives = payload_collectives(at, part.payload, replicas.units);
    for (std::size_t c = 0; c < collectives.count; ++c) {
      const PayloadCollective& one = collectives.list[c];
      const auto account = one.kind == CollectiveKind::gather ? gather_account : reduce_account;
      entry.bytes += one.times * one.bytes;
      entry.members = std::max(entry.members, one.members);
      if (one.members <= 1) continue;
      entry.add(account(at.costs.fabric, one.bytes, one.members, one.stride), one.times);
    }
    add_exchange(entry, out);
  }
}

void add_host_copies(const HostExchange& host, StepAccount& out) {
  const auto add = [&](std::string_view name, std::string_view per, std::string_view behind,
                       const HostCopy& copy) {
    if (copy.seconds <= 0) return;
    out.exchanges.push_back({.name = name,
                             .per = per,
                             .behind = behind,
                             .times = 1,
                             .bytes = copy.bytes,
                             .members = 1,
                             .each = copy.seconds,
                             .window = copy.window,
                             .hidden = copy.hidden(),
                             .exposed = copy.exposed()});
  };
  constexpr std::string_view kForward = "the forward pass", kBackward = "the backward pass";
  add("activations, to the host", kPerMicroBatch, kForward, host.activations_out);
  add("activations, from the host", kPerMicroBatch, kBackward, host.activations_in);
  add("weights of the forward pass, from the host", kPerMicroBatch, kForward, host.weights_forward);
  add("weights of the backward pass, from the host", kPerMicroBatch, kBackward,
      host.weights_backward);
  add("gradients, to the host", kPerMicroBatch, kBackward, host.gradients);
  add("weights, from the host", kPerStep, "the host's update", host.weights);
  if (host.neighbours <= 0) return;
  out.exchanges.push_back({.name = "update on the host",
                           .per = kPerStep,
                           .times = 1,
                           .members = host.neighbours,
                           .each = host.update,
                           .exposed = host.update});
}

// Exposed seconds of the exchanges for which `of` is true.
double exposed(const StepAccount& a, bool (*of)(const ExchangeAccount&)) {
  double sum = 0;
  for (const ExchangeAccount& exchange : a.exchanges) sum += of(exchange) ? exchange.exposed : 0;
  return sum;
}

}  // namespace

StepAccount StepModel::account(const Layout& layout) const {
  const Evaluation at = make_evaluation(costs_, workload_, platform_, layout);
  StepAccount out;
  PayloadSeconds payloads;
  out.step = evaluate(layout, kernels(layout), payloads);
  add_rates(platform_, costs_, out);
  add_tiers(platform_, costs_.fabric, out);
  add_modules(at, workload_.language, out);
  add_replicas(at, out.step.replicas, out);
  if (costs_.offload.any()) add_host_copies(out.step.host, out);
  out.block_seconds = costs_.device.block_seconds;
  out.dispatch_seconds = at.stack.collective_dispatch_seconds;
  out.connector_flops = layout.micro_batch / (at.context * at.tensor) * costs_.connector_flops;
  out.connector_rate = 1 / costs_.device.seconds_per_flop.half_matmul;
  out.micro_batches = layout.micro_batches();
  out.stages = layout.pp;
  out.virtual_stages = layout.vp;
  out.model_layers = costs_.pipeline_layers.count();
  out.stage_imbalance = at.stack.stage_imbalance;
  if (layout.pp > 1) {
    out.bubble_stages = bubble_stages(layout.pp, layout.vp);
    const StageTransfer& transfer = out.step.transfer;
    out.stage_transfer = transfer_account(costs_.fabric, transfer.bytes, transfer.stride);
  }
  out.update_parameters = updated_parameters(at);
  out.update_bytes = update_bytes(at);
  out.update_flops = update_flops(at);
  out.step_seconds = at.stack.step_seconds;
  out.straggler = at.stack.straggler;
  out.uneven = workload_.imbalance;
  out.slowdown = platform_.slowdown;
  out.padding_efficiency = workload_.padding_efficiency;
  out.activation_bytes = memory(layout).activations;
  out.activations = memory_.activations(layout);
  return out;
}

bool per_replica(const ExchangeAccount& exchange) {
  return exchange.per == kPerLayers;
}
bool per_micro_batch(const ExchangeAccount& exchange) {
  return exchange.per == kPerMicroBatch;
}
bool per_step(const ExchangeAccount& exchange) {
  return exchange.per == kPerStep;
}

double bubble_seconds(const StepAccount& a) {
  return a.micro_batches * a.stage_imbalance * (a.step.stages.slowest - a.step.stages.mean) +
         a.bubble_stages *
             (a.step.stages.mean + a.step.transfer.seconds() + exposed(a, per_micro_batch));
}

double added_up(const StepAccount& a) {
  double replica = a.step.work.repeated() + a.step.work.waiting() + a.step.work.connector +
                   exposed(a, per_replica);
  for (const KernelAccount& kernel : a.kernels) {
    replica += kernel.layers * (kernel.forward + kernel.input_gradients + kernel.weight_gradients);
  }
  const double each = replica / a.stages + a.step.transfer.seconds() + exposed(a, per_micro_batch);
  const double step = a.micro_batches * each + bubble_seconds(a) + exposed(a, per_step) +
                      a.update_bytes / a.memory_rate + a.update_flops / a.connector_rate +
                      a.step_seconds;
  return (1 + a.step.imbalance) * a.slowdown / a.padding_efficiency * step;
}

}  // namespace trcost::performance
