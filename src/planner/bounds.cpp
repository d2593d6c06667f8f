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

Bounds::Bounds(const StepModel& model, const PlanRequest& request)
    : model_(model),
      gpus_(request.gpus),
      context_kind_(request.context_kind.value_or(model.platform().stack->context_kind)) {}

Bounds::Known& Bounds::cached_work(const Structure& s) {
  LayoutDegrees key = s;
  key.pp = key.vp = key.dp = 1;
  if (last_known_ == nullptr || key != last_) {
    last_known_ = &known_[key];
    last_ = key;
  }
  return *last_known_;
}

Bounds::Work Bounds::work(const Structure& s, double micro_batch) {
  Known& known_work = cached_work(s);
  const double more = gpus_ / s.gpus();
  const auto scaled = [more](const Work& w) { return Work{w.seconds * more, w.recompute * more}; };
  int exponent = 0;
  if (std::frexp(micro_batch, &exponent) != 0.5) {
    const auto known = known_work.others.find(micro_batch);
    if (known != known_work.others.end()) return scaled(known->second);
    return scaled(
        known_work.others.emplace(micro_batch, full_cluster_work(s, micro_batch)).first->second);
  }
  const auto index = static_cast<std::size_t>(exponent - 1);
  if (index >= known_work.powers.size()) known_work.powers.resize(index + 1);
  std::optional<Work>& known = known_work.powers[index];
  if (!known) known = full_cluster_work(s, micro_batch);
  return scaled(*known);
}

Bounds::Work Bounds::full_cluster_work(const Structure& s, double micro_batch) {
  Layout l;
  static_cast<LayoutDegrees&>(l) = s;
  l.pp = l.vp = l.dp = 1;
  const double rank = l.gpus();  // of one replica
  l.context_kind = context_kind_;
  l.dp = static_cast<int>(gpus_ / rank);
  l.micro_batch = micro_batch;
  l.global_batch = micro_batch * l.dp;
  const double sequences = micro_batch * gpus_ / rank;
  l.sharding = Sharding::none;
  const StepTime time = model_.step(l);
  double sum = 0;
  for (const StepTerm each :
       {StepTerm::matmul_peak, StepTerm::kernel, StepTerm::attention, StepTerm::elementwise,
        StepTerm::host, StepTerm::vision, StepTerm::tensor_parallel, StepTerm::context_parallel,
        StepTerm::expert_parallel}) {
    sum += term(time, each);
  }
  const double lost = term(time, StepTerm::imbalance) + term(time, StepTerm::tuning) +
                      term(time, StepTerm::padding);
  sum *= 1 + lost / std::max(time.seconds - lost, 1e-300);
  const double matmul = term(time, StepTerm::matmul_peak) + term(time, StepTerm::kernel);
  return {sum / sequences, recompute_share() * matmul / sequences};
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
