// SPDX-License-Identifier: Apache-2.0
#include "planner/bounds.h"

#include <algorithm>
#include <cmath>

namespace trcost::planner {
namespace {

// Least time of forward matmuls over their share of the FLOPs.
constexpr double kLeastRecompute = 0.8;

double term(const StepTime& time, StepTerm which) {
  return time.terms[static_cast<std::size_t>(which)];
}

}  // namespace

Bounds::Known& Bounds::cached_work(const Structure& s, ContextKind context_kind) {
  Partition key{s, context_kind};
  key.degrees.pp = key.degrees.vp = key.degrees.dp = 1;
  if (last_known_ == nullptr || key != last_) {
    last_known_ = &known_[key];
    last_ = key;
  }
  return *last_known_;
}

Bounds::Work Bounds::work(const Structure& s, ContextKind context_kind, double micro_batch) {
  Known& known_work = cached_work(s, context_kind);
  const double gpus = s.gpus();
  if (gpus != last_gpus_) {
    last_gpus_ = gpus;
    last_lengthening_ = model_.lengthening(gpus);
  }
  const double share = last_lengthening_ / gpus;
  const auto scaled = [&](const Work& w) { return Work{w.seconds * share, w.recompute * share}; };
  int exponent = 0;
  if (std::frexp(micro_batch, &exponent) != 0.5) {
    const auto [known, is_new] = known_work.others.try_emplace(micro_batch);
    if (is_new) known->second = replica_work(last_, micro_batch);
    return scaled(known->second);
  }
  const auto index = static_cast<std::size_t>(exponent - 1);
  if (index >= known_work.powers.size()) known_work.powers.resize(index + 1);
  std::optional<Work>& known = known_work.powers[index];
  if (!known) known = replica_work(last_, micro_batch);
  return scaled(*known);
}

Bounds::Work Bounds::replica_work(const Partition& partition, double micro_batch) {
  Layout l;
  static_cast<LayoutDegrees&>(l) = partition.degrees;
  l.context_kind = partition.context_kind;
  // As many replicas as have a rank for each group of experts.
  l.dp = static_cast<int>(std::ceil(static_cast<double>(l.ep) * std::max(1, l.etp) / l.gpus()));
  l.micro_batch = micro_batch;
  l.global_batch = micro_batch * l.dp;
  l.sharding = Sharding::none;
  const StepTime time = model_.step(l);
  double sum = 0;
  for (const StepTerm each :
       {StepTerm::matmul_peak, StepTerm::kernel, StepTerm::attention, StepTerm::elementwise,
        StepTerm::host, StepTerm::vision, StepTerm::tensor_parallel, StepTerm::context_parallel,
        StepTerm::expert_parallel}) {
    sum += term(time, each);
  }
  const double matmul = term(time, StepTerm::matmul_peak) + term(time, StepTerm::kernel);
  const double gpus_per_sequence = l.gpus() / l.global_batch;
  return {sum * gpus_per_sequence, recompute_share() * matmul * gpus_per_sequence};
}

double Bounds::recompute_share() {
  if (recompute_share_) return *recompute_share_;
  const Workload& w = model_.workload();
  const TrainingFlops training = training_flops(w);
  recompute_share_ = 0;
  if (training.language_dgrad > 0) {
    recompute_share_ = kLeastRecompute * forward_flops(w).layers_gemm / training.total();
  }
  return *recompute_share_;
}

}  // namespace trcost::planner
