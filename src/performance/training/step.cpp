// SPDX-License-Identifier: Apache-2.0
// Time of one step of a layout (model.md 5.1). Arithmetic on prepared numbers, no allocation.
#include "performance/training/step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "performance/exchange/collectives.h"
#include "performance/training/evaluation.h"
#include "performance/training/layers.h"
#include "quantity/portable_math.h"

namespace trcost::performance {
namespace {

// Hosts have eight accelerators whatever the domain, since stragglers are a matter of hosts.
constexpr double kGpusPerHost = 8;

double hosts_of(double gpus) {
  return std::max(1.0, gpus / kGpusPerHost);
}

// Seconds of a device and the host that issues its kernels: a smooth maximum of the two,
// (d^4 + h^4)^(1/4).
double issued_seconds(double device, double host) {
  const double d = device * device;
  const double h = host * host;
  return std::sqrt(std::sqrt(d * d + h * h));
}

LayerTime head_time(const Evaluation& at, const LanguageModel& model) {
  LayerSplit split = layer_split(at);
  split.wgrad = at.costs.head_wgrad;
  LayerTime head;
  add(head, head_kernels(model.hidden, head_outputs(model), split, at.costs.device),
      at.costs.head_count);
  if (!at.costs.language_backward) drop_backward(head);
  return head;
}

// Host seconds to gather the blocks' sharded weights, forward and backward, where gradients are
// scattered too. Vision-language code takes longer in passes that learn or recompute.
std::pair<double, double> gather_host_seconds(const Evaluation& at) {
  if (at.layout.sharding < Sharding::parameters || at.shards <= 1) return {0, 0};
  const double decoder = at.costs.pipeline_layers.count();
  const double encoder = at.costs.encoder.count;
  const double learning =
      (at.costs.language_backward ? decoder : 0) + (at.costs.encoder_backward ? encoder : 0);
  const double each = at.stack.collective_dispatch_seconds * decoder;
  return {each + at.costs.gather_seconds * (decoder + encoder),
          2 * each + at.costs.gather_seconds * learning * (1 + repeated_layers(at))};
}

// Sets the host time to issue blocks and exchanges, and the part that the device waits for.
void add_host_time(const Evaluation& at, MicroBatch& work) {
  const auto [gathers, gathers_backward] = gather_host_seconds(at);
  const double issue = at.stack.micro_batch_seconds * at.pipeline;
  const double repeated =
      repeated_layers(at) * ((at.costs.language_backward ? work.layers.host_forward : 0) +
                             (at.costs.encoder_backward ? work.vision.host_forward : 0));
  work.host_forward = {work.layers.host_forward,
                       work.head.host_forward,
                       work.vision.host_forward,
                       0,
                       gathers,
                       issue};
  work.host_backward = {work.layers.host_backward, work.head.host_backward,
                        work.vision.host_backward, repeated,
                        gathers_backward,          issue};
  const double forward = work.forward(), backward = work.backward();
  work.waiting_forward = issued_seconds(forward, work.host_forward.total()) - forward;
  if (backward > 0) {
    work.waiting_backward = issued_seconds(backward, work.host_backward.total()) - backward;
  }
}

ReplicaKernels replica_kernels(const Evaluation& at, const LanguageModel& model) {
  ReplicaKernels out;
  out.layers = language_layers(at);
  out.vision = encoder_layers(at);
  out.head = head_time(at, model);
  out.connector = at.layout.micro_batch / (at.context * at.tensor) * at.costs.connector_flops *
                  at.costs.device.seconds_per_flop.half_matmul;
  if (at.costs.language_backward) out.routing = routing_seconds(at);
  return out;
}

MicroBatch micro_batch(const Evaluation& at, const ReplicaKernels& kernels) {
  MicroBatch work{kernels, {}, {}, {}, {}};
  if (at.costs.language_backward) {
    work.repeated_layers = repeated_time(at, work.layers, work.routing);
  }
  if (at.costs.encoder_backward) work.repeated_vision = repeated_time(at, work.vision, 0);
  add_host_time(at, work);
  return work;
}

// The slowest of the links paces all: where the pipeline has more ranks than a domain, some stage's
// neighbour lies outside of it, however narrow the stages are.
StageTransfer stage_transfer(const Evaluation& at, double hidden) {
  StageTransfer out;
  if (at.pipeline <= 1) return out;
  out.bytes = 2 * at.tokens * hidden / at.sequence;
  out.stride = at.layout.gpus() - 1;
  out.each = transfer_seconds(at.costs.fabric, out.bytes, out.stride);
  out.times = 2.0 * at.layout.vp;
  out.exposed = 1 - at.costs.overlap.pipeline;
  return out;
}

// Pieces of a stage's weights that are exchanged one by one.
double stage_units(const StepCosts& costs, double stages) {
  return std::max(1.0, costs.pipeline_layers.count() / stages);
}

double encoder_seconds(const MicroBatch& work) {
  return device_forward(work.vision) + device_backward(work.vision) + work.repeated_vision.seconds +
         work.connector;
}

// Seconds of the parts that a pipeline partitions.
StageParts stage_parts(const MicroBatch& work, double layers) {
  StageParts parts;
  parts.layer = (device_forward(work.layers) +
                 (device_backward(work.layers) + work.repeated_layers.seconds) + work.waiting()) /
                layers;
  parts.head = device_forward(work.head) + device_backward(work.head);
  parts.encoder = encoder_seconds(work);
  return parts;
}

double& term(StepTime& time, StepTerm name) {
  return time.terms[static_cast<std::size_t>(name)];
}

// Seconds of a step at peak for `flops` of a sequence.
double peak_seconds(const Evaluation& at, double flops) {
  return flops * at.layout.global_batch / at.layout.gpus() * at.costs.device.seconds_per_flop.peak;
}

// Terms of the kernels of a step, each beyond its time at peak.
void add_kernels(const Evaluation& at, const MicroBatch& work, StepTime& time) {
  const double share = at.layout.micro_batches() / at.pipeline;  // of a rank
  const double useful = time.model_flops / at.layout.gpus() * at.costs.device.seconds_per_flop.peak;
  const double core = peak_seconds(at, at.costs.core_flops * (at.costs.language_backward ? 3 : 1));
  const double vision = peak_seconds(at, at.costs.vision_flops);
  const LayerTime& layers = work.layers;
  const LayerTime& head = work.head;
  const double matmul = share * (layers.matmul_forward + layers.matmul_dgrad + layers.matmul_wgrad +
                                 head.matmul_forward + head.matmul_dgrad + head.matmul_wgrad);
  term(time, StepTerm::matmul_peak) = useful;
  term(time, StepTerm::attention) =
      share * (layers.attention_forward + layers.attention_backward) - core;
  term(time, StepTerm::vision) = share * encoder_seconds(work) - vision;
  term(time, StepTerm::kernel) = matmul - (useful - core - vision);
  term(time, StepTerm::elementwise) =
      share * (layers.elementwise_forward + layers.elementwise_backward + head.elementwise_forward +
               head.elementwise_backward);
  term(time, StepTerm::host) = share * work.waiting();
  term(time, StepTerm::recompute) = share * work.repeated_layers.seconds;
  term(time, StepTerm::tensor_parallel) = share * (layers.tensor_forward + layers.tensor_backward);
  term(time, StepTerm::context_parallel) =
      share * (layers.context_forward + layers.context_backward);
  term(time, StepTerm::expert_parallel) = share * (layers.expert_forward + layers.expert_backward);
}

}  // namespace

double MicroBatch::forward() const noexcept {
  return device_forward(layers) + device_forward(head) + device_forward(vision);
}

double MicroBatch::backward() const noexcept {
  return device_backward(layers) + repeated_layers.seconds + device_backward(head) +
         device_backward(vision) + repeated_vision.seconds;
}

PipelineLayers StepModel::partition_layers_by_time(const StepCosts& costs, const Workload& workload,
                                                   const Platform& platform) noexcept {
  PipelineLayers pipeline = costs.pipeline_layers;
  Layout layout;
  for (double& encoder : pipeline.encoder) {
    const Evaluation at = make_evaluation(costs, workload, platform, layout);
    const MicroBatch work = micro_batch(at, replica_kernels(at, workload.language));
    const StageParts parts = stage_parts(work, pipeline.count());
    encoder = parts.encoder / parts.layer;
    layout.tp *= 2;
  }
  return pipeline;
}

double StepModel::imbalance(double gpus) const noexcept {
  const double stragglers = platform_.stack->straggler * portable_log2(hosts_of(gpus));
  return (1 + stragglers) * workload_.imbalance - 1;
}

double StepModel::lengthening(double gpus) const noexcept {
  return (1 + imbalance(gpus)) * platform_.slowdown / workload_.padding_efficiency;
}

ReplicaKernels StepModel::kernels(const Layout& layout) const noexcept {
  return replica_kernels(make_evaluation(costs_, workload_, platform_, layout), workload_.language);
}

StepTime StepModel::step(const Layout& layout) const noexcept {
  PayloadSeconds payloads;
  return step(layout, kernels(layout), payloads);
}

StepTime StepModel::step(const Layout& layout, const ReplicaKernels& kernels,
                         PayloadSeconds& payloads) const noexcept {
  return evaluate(layout, kernels, payloads).time;
}

double StepModel::stage_transfer_seconds(const Layout& layout) const noexcept {
  const Evaluation at = make_evaluation(costs_, workload_, platform_, layout);
  return stage_transfer(at, workload_.language.hidden).seconds();
}

double StepModel::update_and_exchange_seconds(const Layout& layout, double forward, double backward,
                                              PayloadSeconds& payloads) const noexcept {
  const Evaluation at = make_evaluation(costs_, workload_, platform_, layout);
  const double p = at.pipeline;
  const DataExchange replicas =
      data_exchange(at, forward / p, backward / p, stage_units(costs_, p), payloads);
  const double times = layout.micro_batches() + (p > 1 ? bubble_stages(p, layout.vp) : 0);
  return times * replicas.per_micro_batch + replicas.per_step + update_seconds(at);
}

StepParts StepModel::evaluate(const Layout& layout, const ReplicaKernels& kernels,
                              PayloadSeconds& payloads) const noexcept {
  const Evaluation at = make_evaluation(costs_, workload_, platform_, layout);
  const double p = at.pipeline, m = layout.micro_batches();
  const double layers = costs_.pipeline_layers.count();
  StepParts parts;
  parts.work = micro_batch(at, kernels);
  const MicroBatch& work = parts.work;

  // A rank hides exchange behind the passes of its own stages.
  const double forward = work.forward_pass() / p, backward = work.backward_pass() / p;
  parts.replicas = data_exchange(at, forward, backward, stage_units(costs_, p), payloads);
  if (costs_.offload.any()) {
    HostBytes moved;
    if (costs_.offload.activations) moved.activations = memory_.moved_activations(layout);
    if (costs_.offload.parameters) moved.weights = memory_.moved_weights(layout);
    parts.host = host_exchange(at, moved, forward, backward);
  }
  parts.transfer = stage_transfer(at, workload_.language.hidden);
  parts.placed = stage_parts(work, layers);
  parts.stages = stage_times(costs_.pipeline_layers, parts.placed, p);
  const double transfer = parts.transfer.seconds();
  const double exchange = parts.replicas.per_micro_batch + parts.host.per_micro_batch();
  // A stage with less work waits less for everything else, so only a part of the difference shows.
  double idle = m * (at.stack.stage_imbalance * (parts.stages.slowest - parts.stages.mean));
  if (p > 1) idle += bubble_stages(p, layout.vp) * (parts.stages.mean + transfer + exchange);

  StepTime& time = parts.time;
  time.model_flops = costs_.model_flops * layout.global_batch;
  time.hardware_flops = time.model_flops + recomputed_flops(at) * layout.global_batch;
  add_kernels(at, work, time);
  term(time, StepTerm::pipeline_bubble) = idle;
  term(time, StepTerm::pipeline_transfer) = m * transfer;
  term(time, StepTerm::data_parallel) =
      m * parts.replicas.per_micro_batch + parts.replicas.per_step;
  term(time, StepTerm::optimizer) = update_seconds(at);
  term(time, StepTerm::offload) = m * parts.host.per_micro_batch() + parts.host.per_step();

  // Stragglers and uneven ranks lengthen all the rest, then missing tuning, then padding.
  parts.hosts = hosts_of(layout.gpus());
  parts.imbalance = imbalance(layout.gpus());
  double sum = 0;
  for (const double part : time.terms) sum += part;
  term(time, StepTerm::imbalance) = sum * parts.imbalance;
  sum += term(time, StepTerm::imbalance);
  term(time, StepTerm::tuning) = sum * (platform_.slowdown - 1);
  sum += term(time, StepTerm::tuning);
  term(time, StepTerm::padding) = sum * (1 / workload_.padding_efficiency - 1);
  for (const double part : time.terms) time.seconds += part;
  return parts;
}

}  // namespace trcost::performance
