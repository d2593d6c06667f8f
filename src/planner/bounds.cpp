// SPDX-License-Identifier: Apache-2.0
#include "planner/bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "performance/training/data_exchange.h"
#include "performance/training/step.h"

namespace trcost::planner {
namespace {

using performance::StepTerm;

// Least time of forward matmuls over their share of the FLOPs.
constexpr double kLeastRecompute = 0.8;

double term(const StepTime& time, StepTerm which) {
  return time.terms[static_cast<std::size_t>(which)];
}

double recompute_share(const Workload& w) {
  const TrainingFlops training = training_flops(w);
  if (training.language_dgrad <= 0) return 0;
  return kLeastRecompute * forward_flops(w).layers_gemm / training.total();
}

}  // namespace

const ReplicaWork::Pass& ReplicaWork::at(double micro_batch) {
  const auto whole = static_cast<std::uint64_t>(micro_batch);
  if (static_cast<double>(whole) != micro_batch || !is_power_of_two(whole)) {
    const auto [known, is_new] = others_.try_emplace(micro_batch);
    if (is_new) known->second = compute(micro_batch);
    return known->second;
  }
  const auto index = static_cast<std::size_t>(std::countr_zero(whole));
  if (index >= powers_.size()) powers_.resize(index + 1);
  if (!powers_[index]) powers_[index] = std::make_unique<Pass>(compute(micro_batch));
  return *powers_[index];
}

double ReplicaWork::least_seconds(double most) {
  return at(static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(most)))).seconds;
}

ReplicaWork::Pass ReplicaWork::compute(double micro_batch) const {
  Layout l = layout_;
  // As many replicas as have a rank for each group of experts.
  l.dp = static_cast<int>(std::ceil(static_cast<double>(l.ep) * std::max(1, l.etp) / l.gpus()));
  l.micro_batch = micro_batch;
  l.global_batch = micro_batch * l.dp;
  l.sharding = Sharding::none;
  Pass out;
  out.kernels = model_.kernels(l);
  performance::PayloadSeconds payloads;
  const performance::StepParts step = model_.evaluate(l, out.kernels, payloads);
  const StepTime& time = step.time;
  out.parts = step.placed;
  out.forward = step.work.forward_pass();
  out.backward = step.work.backward_pass();
  double sum = 0;
  for (const StepTerm each :
       {StepTerm::matmul_peak, StepTerm::kernel, StepTerm::attention, StepTerm::elementwise,
        StepTerm::host, StepTerm::vision, StepTerm::tensor_parallel, StepTerm::context_parallel,
        StepTerm::expert_parallel}) {
    sum += term(time, each);
  }
  const double matmul = term(time, StepTerm::matmul_peak) + term(time, StepTerm::kernel);
  const double gpus_per_sequence = l.gpus() / l.global_batch;
  out.seconds = sum * gpus_per_sequence;
  out.recompute = recompute_share_ * matmul * gpus_per_sequence;
  return out;
}

Bounds::Bounds(const StepModel& model)
    : model_(model), recompute_share_(recompute_share(model.workload())) {}

ReplicaWork& Bounds::replica(const Structure& s, ContextKind context_kind, bool sequence_parallel) {
  Key key{s, context_kind, sequence_parallel};
  key.degrees.pp = key.degrees.vp = key.degrees.dp = 1;
  if (last_work_ != nullptr && key == last_) return *last_work_;
  Layout layout;
  static_cast<LayoutDegrees&>(layout) = key.degrees;
  layout.context_kind = context_kind;
  layout.sequence_parallel = sequence_parallel;
  last_work_ = &known_.try_emplace(key, model_, layout, recompute_share_).first->second;
  last_ = key;
  return *last_work_;
}

double Bounds::uneven(const Structure& s, const ReplicaWork::Pass& pass, double micro_batch,
                      double recomputed) const {
  // The encoder's recomputation shortens the time that layers wait for the host.
  if (s.pp == 1 || pass.parts.encoder > 0) return 0;
  const performance::PipelineLayers& layers = model_.pipeline_layers();
  performance::StageParts parts = pass.parts;
  parts.layer += recomputed * pass.repeated(s, micro_batch) / layers.count();
  const performance::StageTimes stages = performance::stage_times(layers, parts, s.pp);
  const double waits = model_.platform().stack->stage_imbalance * (stages.slowest - stages.mean);
  return waits * s.gpus() / (micro_batch * s.dp);
}

double Bounds::transfers(const Layout& l) const {
  if (l.pp == 1) return 0;
  const double times = l.micro_batches() + performance::bubble_stages(l.pp, l.vp);
  return times * model_.stage_transfer_seconds(l) * l.gpus() / l.global_batch;
}

double Bounds::exchange(const Layout& l, const ReplicaWork::Pass& pass, bool repeats,
                        performance::PayloadSeconds& payloads) const {
  const double backward = pass.backward + (repeats ? pass.forward : 0);
  return model_.update_and_exchange_seconds(l, pass.forward, backward, payloads) * l.gpus() /
         l.global_batch;
}

double Bounds::share(double gpus) {
  if (gpus != last_gpus_) {
    last_gpus_ = gpus;
    last_share_ = model_.lengthening(gpus) / gpus;
  }
  return last_share_;
}

}  // namespace trcost::planner
