// SPDX-License-Identifier: Apache-2.0
// Time of one step of a layout (model.md 5.1). Arithmetic on prepared numbers, no allocation.
#include <algorithm>
#include <cmath>
#include <utility>

#include "performance/exchange/collectives.h"
#include "performance/exchange/data_exchange.h"
#include "performance/training/evaluation.h"
#include "performance/training/layers.h"
#include "performance/training/ledger.h"
#include "performance/training/offload.h"
#include "performance/training/performance.h"
#include "performance/training/pipeline.h"
#include "performance/training/recompute.h"
#include "quantity/portable_math.h"

namespace trcost {
namespace {

// Nodes are counted in eights whatever the domain: stragglers are a matter of hosts.
constexpr double kGpusPerHost = 8;

/// A micro-batch through the whole of one replica, seconds seen from one tensor and context rank.
struct MicroBatch {
  LayerTime layers;
  LayerTime vision;
  LayerTime head;
  double connector = 0;
  double again = 0;  ///< forward work of the layers done again
  double vision_again = 0;
  /// What issuing from the host adds to the device's time.
  double waiting_forward = 0, waiting_backward = 0;

  [[nodiscard]] double waiting() const { return waiting_forward + waiting_backward; }
  /// What hides an exchange: the pass as it takes, the device's waits for its host among it.
  [[nodiscard]] double forward_pass() const { return forward() + waiting_forward; }
  [[nodiscard]] double backward_pass() const { return backward() + waiting_backward; }
  [[nodiscard]] double forward() const {
    return device_forward(layers) + device_forward(head) + device_forward(vision);
  }
  [[nodiscard]] double backward() const {
    return device_backward(layers) + again + device_backward(head) + device_backward(vision) +
           vision_again;
  }
};

/// What a device and a host that issues its kernels take together: the longer of the two, rounded
/// where they are close, (d^4 + h^4)^(1/4).
double issued(double device, double host) {
  const double d = device * device;
  const double h = host * host;
  return std::sqrt(std::sqrt(d * d + h * h));
}

LayerTime head_time(const Evaluation& at, const LanguageModel& model) {
  LayerSplit split = layer_split(at);
  split.wgrad = at.costs.head_wgrad;
  if (at.ledger != nullptr) {
    at.ledger->module = "head";
    at.ledger->layers = at.costs.head_count;
  }
  const std::size_t kernels = at.ledger != nullptr ? at.ledger->account.kernels.size() : 0;
  LayerTime head;
  add(head, head_kernels(model.hidden, model.vocab, split, at.costs.device), at.costs.head_count);
  if (!at.costs.language_backward) {
    drop_backward(head);
    if (at.ledger != nullptr) {
      at.ledger->drop_backward(kernels, at.ledger->account.exchanges.size());
    }
  }
  return head;
}

/// Host time of the two passes of a micro-batch.
struct HostPasses {
  HostTime forward, backward;
};

// To gather blocks' sharded weights, twice backward: their gradients are scattered too. Of
// vision-language code more, in passes that learn, and once more where they recompute.
std::pair<double, double> gathers_host(const Evaluation& at) {
  if (at.layout.sharding < Sharding::parameters || at.shards <= 1) return {0, 0};
  const double decoder = at.costs.dealt.count();
  const double encoder = at.costs.encoder.count;
  const double learning =
      (at.costs.language_backward ? decoder : 0) + (at.costs.encoder_backward ? encoder : 0);
  const double each = at.stack.collective_dispatch_seconds * decoder;
  return {each + at.costs.gather_seconds * (decoder + encoder),
          2 * each + at.costs.gather_seconds * learning * (1 + repeated_layers(at))};
}

// Blocks and exchanges, with the forward passes that are repeated.
HostPasses micro_batch_host(const Evaluation& at, const MicroBatch& work) {
  const double repeated = repeated_layers(at);
  const auto [gathers, gathers_again] = gathers_host(at);
  const double issue = at.stack.micro_batch_seconds * at.pipeline;
  const double again = repeated * ((at.costs.language_backward ? work.layers.host_forward : 0) +
                                   (at.costs.encoder_backward ? work.vision.host_forward : 0));
  return {{work.layers.host_forward, work.head.host_forward, work.vision.host_forward, 0, gathers,
           issue},
          {work.layers.host_backward, work.head.host_backward, work.vision.host_backward, again,
           gathers_again, issue}};
}

void wait_for_host(const Evaluation& at, MicroBatch& work) {
  const HostPasses host = micro_batch_host(at, work);
  const double forward = work.forward(), backward = work.backward();
  work.waiting_forward = issued(forward, host.forward.total()) - forward;
  if (backward > 0) work.waiting_backward = issued(backward, host.backward.total()) - backward;
  if (at.ledger != nullptr) {
    StepAccount& account = at.ledger->account;
    account.host_forward = host.forward;
    account.host_backward = host.backward;
    account.waiting_forward = work.waiting_forward;
    account.waiting_backward = work.waiting_backward;
    account.block_seconds = at.costs.device.block_seconds;
    account.dispatch_seconds = at.stack.collective_dispatch_seconds;
  }
}

MicroBatch micro_batch(const Evaluation& at, const LanguageModel& model) {
  MicroBatch work;
  work.layers = language_layers(at);
  work.vision = encoder_layers(at);
  work.head = head_time(at, model);
  work.connector = at.layout.micro_batch / (at.context * at.tensor) * at.costs.connector_flops *
                   at.costs.device.seconds_per_flop.half_matmul;
  const bool noted = at.ledger != nullptr;
  if (at.costs.language_backward) {
    work.again = recomputed_seconds(at, work.layers, routing_seconds(at),
                                    noted ? &at.ledger->account.repeated_layers : nullptr);
  }
  if (at.costs.encoder_backward) {
    work.vision_again = recomputed_seconds(at, work.vision, 0,
                                           noted ? &at.ledger->account.repeated_encoder : nullptr);
  }
  wait_for_host(at, work);
  return work;
}

// To the next stage and back. The slowest of the links paces all: where the pipeline has more ranks
// than a domain, some stage's neighbour lies outside of it, however narrow the stages are.
double stage_transfer(const Evaluation& at, double hidden) {
  if (at.pipeline <= 1) return 0;
  const double bytes = 2 * at.tokens * hidden / at.sequence;
  const double stride = at.layout.gpus() - 1;
  const double each = transfer_seconds(at.costs.fabric, bytes, stride);
  const double times = 2.0 * at.layout.vp, shown = 1 - at.costs.overlap.pipeline;
  if (at.ledger != nullptr) {
    StepAccount& account = at.ledger->account;
    account.stage_transfer = transfer_account(at.costs.fabric, bytes, stride);
    account.transfers = times;
    account.transfer_shown = shown;
  }
  return times * each * shown;
}

/// How a micro-batch spreads over the stages and what passes between them and the replicas.
struct Exchange {
  double transfer = 0;  ///< between stages, per micro-batch
  double idle = 0;      ///< waiting for the slowest stage, filling and draining, per step
  DataExchange replicas;
  HostExchange host;
};

double encoder_seconds(const MicroBatch& work) {
  return device_forward(work.vision) + device_backward(work.vision) + work.vision_again +
         work.connector;
}

// What a pipeline places, in seconds.
StageParts stage_parts(const MicroBatch& work, double layers) {
  StageParts parts;
  parts.layer =
      (device_forward(work.layers) + (device_backward(work.layers) + work.again) + work.waiting()) /
      layers;
  parts.head = device_forward(work.head) + device_backward(work.head);
  parts.encoder = encoder_seconds(work);
  return parts;
}

void note_pipeline(const MicroBatch& work, const StageParts& parts, const StageTimes& stages,
                   const Exchange& exchange, const Evaluation& at) {
  StepAccount& account = at.ledger->account;
  account.repeated = work.again + work.vision_again;
  account.waiting = work.waiting();
  account.connector = work.connector;
  account.connector_flops =
      at.layout.micro_batch / (at.context * at.tensor) * at.costs.connector_flops;
  account.connector_rate = 1 / at.costs.device.seconds_per_flop.half_matmul;
  account.parts = parts;
  account.stage_layers = stages.layers;
  account.model_layers = at.costs.dealt.count();
  account.micro_batches = at.layout.micro_batches();
  account.stages = at.pipeline;
  account.virtual_stages = at.layout.vp;
  account.mean_stage = stages.mean;
  account.slowest_stage = stages.slowest;
  account.stage_imbalance = at.stack.stage_imbalance;
  account.bubble_stages = at.pipeline > 1 ? bubble_stages(at.pipeline, at.layout.vp) : 0;
  account.transfer = exchange.transfer;
}

double hosts_of(const Evaluation& at) {
  return std::max(1.0, at.layout.gpus() / kGpusPerHost);
}

void note_update(const Evaluation& at, const Platform& platform, const Workload& workload,
                 double imbalance) {
  StepAccount& account = at.ledger->account;
  account.update_parameters = updated_parameters(at);
  account.update_bytes = update_bytes(at);
  account.step_seconds = at.stack.step_seconds;
  account.imbalance = imbalance;
  account.straggler = at.stack.straggler;
  account.hosts = hosts_of(at);
  account.uneven = workload.imbalance;
  account.slowdown = platform.slowdown;
  account.padding_efficiency = workload.padding_efficiency;
}

Exchange exchange_of(const Evaluation& at, const MicroBatch& work, const MemoryModel& memory,
                     double hidden) {
  const double p = at.pipeline;
  const double layers = at.costs.dealt.count();
  const StageParts parts = stage_parts(work, layers);
  const double units = std::max(1.0, layers / p);

  Exchange exchange;
  exchange.replicas = data_exchange(at, work.forward_pass() / p, work.backward_pass() / p, units);
  if (at.costs.offload.any()) {
    exchange.host = host_exchange(at, memory.moved_activations(at.layout), work.forward_pass() / p,
                                  work.backward_pass() / p);
  }
  exchange.transfer = stage_transfer(at, hidden);
  const StageTimes stages = stage_times(at.costs.dealt, parts, p);
  // A stage with less work waits less for everything else, so only a part of the difference shows.
  const double uneven = at.stack.stage_imbalance * (stages.slowest - stages.mean);
  exchange.idle = at.layout.micro_batches() * uneven;
  if (at.ledger != nullptr) note_pipeline(work, parts, stages, exchange, at);
  if (p > 1) {
    exchange.idle += bubble_stages(p, at.layout.vp) *
                     (stages.mean + exchange.transfer + exchange.replicas.per_micro_batch +
                      exchange.host.per_micro_batch);
  }
  return exchange;
}

double& term(StepTime& time, StepTerm name) {
  return time.terms[static_cast<std::size_t>(name)];
}

// Seconds that `flops` of a sequence would take at peak, over a step.
double at_peak(const Evaluation& at, double flops) {
  return flops * at.layout.global_batch / at.layout.gpus() * at.costs.device.seconds_per_flop.peak;
}

// What the kernels of a step take, each beyond its time at peak.
void add_kernels(const Evaluation& at, const MicroBatch& work, StepTime& time) {
  const double share = at.layout.micro_batches() / at.pipeline;  // of a rank
  const double useful = time.model_flops / at.layout.gpus() * at.costs.device.seconds_per_flop.peak;
  const double core = at_peak(at, at.costs.core_flops * (at.costs.language_backward ? 3 : 1));
  const double seen = at_peak(at, at.costs.vision_flops);
  const LayerTime& layers = work.layers;
  const LayerTime& head = work.head;
  const double matmul = share * (layers.matmul_forward + layers.matmul_dgrad + layers.matmul_wgrad +
                                 head.matmul_forward + head.matmul_dgrad + head.matmul_wgrad);
  term(time, StepTerm::matmul_peak) = useful;
  term(time, StepTerm::attention) =
      share * (layers.attention_forward + layers.attention_backward) - core;
  term(time, StepTerm::vision) = share * encoder_seconds(work) - seen;
  term(time, StepTerm::kernel) = matmul - (useful - core - seen);
  term(time, StepTerm::elementwise) =
      share * (layers.elementwise_forward + layers.elementwise_backward + head.elementwise_forward +
               head.elementwise_backward + work.waiting());
  term(time, StepTerm::recompute) = share * work.again;
  term(time, StepTerm::tensor_parallel) = share * (layers.tensor_forward + layers.tensor_backward);
  term(time, StepTerm::context_parallel) =
      share * (layers.context_forward + layers.context_backward);
  term(time, StepTerm::expert_parallel) = share * (layers.expert_forward + layers.expert_backward);
}

// Out of the element-wise work, which add_kernels() has them in.
void tell_waiting_apart(const Evaluation& at, const MicroBatch& work, StepTime& time) {
  const double share = at.layout.micro_batches() / at.pipeline;
  const LayerTime& layers = work.layers;
  const LayerTime& head = work.head;
  term(time, StepTerm::elementwise) =
      share * (layers.elementwise_forward + layers.elementwise_backward + head.elementwise_forward +
               head.elementwise_backward);
  term(time, StepTerm::host) = share * work.waiting();
}

// Stragglers and uneven ranks: a share of all the rest.
double imbalance_share(const Evaluation& at, const Workload& workload) {
  return (1 + at.stack.straggler * portable_log2(hosts_of(at))) * workload.imbalance - 1;
}

}  // namespace

DealtLayers StepModel::deal_by_time(const StepCosts& costs, const Workload& workload,
                                    const Platform& platform) noexcept {
  DealtLayers dealt = costs.dealt;
  Layout layout;
  for (double& encoder : dealt.encoder) {
    const MicroBatch work =
        micro_batch(evaluation_of(costs, workload, platform, layout), workload.language);
    const StageParts parts = stage_parts(work, dealt.count());
    encoder = parts.encoder / parts.layer;
    layout.tp *= 2;
  }
  return dealt;
}

StepTime StepModel::step(const Layout& layout) const noexcept {
  return evaluate(layout, nullptr);
}

StepTime StepModel::evaluate(const Layout& layout, Ledger* ledger) const noexcept {
  Evaluation at = evaluation_of(costs_, workload_, platform_, layout);
  at.ledger = ledger;
  const MicroBatch work = micro_batch(at, workload_.language);
  const Exchange exchange = exchange_of(at, work, memory_, workload_.language.hidden);
  const double m = layout.micro_batches();

  StepTime time;
  time.model_flops = costs_.model_flops * layout.global_batch;
  time.hardware_flops = time.model_flops + recomputed_flops(at) * layout.global_batch;
  add_kernels(at, work, time);
  term(time, StepTerm::pipeline_bubble) = exchange.idle;
  term(time, StepTerm::pipeline_transfer) = m * exchange.transfer;
  term(time, StepTerm::data_parallel) =
      m * exchange.replicas.per_micro_batch + exchange.replicas.per_step;
  term(time, StepTerm::optimizer) = update_seconds(at);
  term(time, StepTerm::offload) = m * exchange.host.per_micro_batch + exchange.host.per_step;
  double sum = 0;
  for (const double part : time.terms) sum += part;
  const double imbalance = imbalance_share(at, workload_);
  term(time, StepTerm::imbalance) = sum * imbalance;
  if (ledger != nullptr) note_update(at, platform_, workload_, imbalance);
  sum += term(time, StepTerm::imbalance);
  term(time, StepTerm::tuning) = sum * (platform_.slowdown - 1);
  sum += term(time, StepTerm::tuning);
  term(time, StepTerm::padding) = sum * (1 / workload_.padding_efficiency - 1);
  for (const double part : time.terms) time.seconds += part;
  tell_waiting_apart(at, work, time);
  return time;
}

}  // namespace trcost
