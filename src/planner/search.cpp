// SPDX-License-Identifier: Apache-2.0
#include "planner/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace trcost {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Far above rounding: a structure comes before each of its candidates.
constexpr double kRounding = 1 - 1e-12;

}  // namespace

Search::Search(const StepModel& model, const PlanRequest& request, Idle idle, double margin)
    : model_(model),
      request_(request),
      filled_(1 - margin),
      space_(model, request, idle),
      bounds_(model, request) {}

bool Search::later(const Candidate& a, const Candidate& b) {
  return std::tie(a.bound, a.structure, a.vp, a.batch.micro_batch) >
         std::tie(b.bound, b.structure, b.vp, b.batch.micro_batch);
}

void Search::push(const Candidate& candidate) {
  queue_.push_back(candidate);
  std::push_heap(queue_.begin(), queue_.end(), later);
}

Search::Candidate Search::pop() {
  std::pop_heap(queue_.begin(), queue_.end(), later);
  const Candidate next = queue_.back();
  queue_.pop_back();
  return next;
}

bool Search::run(Plan& plan) {
  enumerate();
  while (!queue_.empty() && queue_.front().bound <= contenders_.limit()) {
    const Candidate next = pop();
    if (next.vp == 0) {
      expand(next.structure);
    } else {
      visit(next);
    }
  }
  plan.evaluated = evaluated_;
  plan.considered = considered_;
  if (contenders_.empty()) return false;
  contenders_.tell(plan);
  plan.memory = planned_memory(model_, plan.layout);
  return true;
}

void Search::enumerate() {
  structures_ = space_.structures();
  too_large_.assign(structures_.size(), kInfinity);
  queue_.reserve(structures_.size());
  // One structure has nothing to be compared with.
  const bool alone = structures_.size() == 1;
  for (std::size_t i = 0; i < structures_.size() && considered_ < kMostConsidered; ++i) {
    ++considered_;
    const double bound = alone ? 0 : structure_bound(structures_[i]);
    queue_.push_back({bound, 0, static_cast<int>(i), 0, {}});
  }
  std::make_heap(queue_.begin(), queue_.end(), later);
}

double Search::structure_bound(const Structure& s) {
  space_.micro_batches(s, micros_);
  double least = kInfinity;
  for (const double micro : micros_) {
    const double bubble =
        (s.pp - 1) / (space_.most_virtual_stages(s) * space_.most_micro_batches(s, micro));
    least = std::min(least, bounds_.work(s, micro).seconds * (1 + bubble));
  }
  return kRounding * least * space_.least_penalty(s) * simplicity(s, 1, request_.gpus);
}

void Search::expand(int structure) {
  const Structure& s = structures_[static_cast<std::size_t>(structure)];
  space_.batches(s, batches_);
  if (batches_.empty() || !holds_anything(s)) return;
  for (const BatchChoice& batch : batches_) {
    const double m = batch.global_batch / (batch.micro_batch * s.dp);
    space_.virtual_stages(s, m, stages_);
    // A layout given in full has nothing to be compared with.
    const bool alone = structures_.size() == 1 && batches_.size() == 1 && stages_.size() == 1 &&
                       request_.sharding && request_.recompute;
    const Bounds::Work work = alone ? Bounds::Work{} : bounds_.work(s, batch.micro_batch);
    for (const int vp : stages_) {
      if (considered_ >= kMostConsidered) return;
      ++considered_;
      const double bubble = (s.pp - 1) / (vp * m);
      BatchChoice weighed = batch;
      weighed.penalty *= simplicity(s, vp, request_.gpus);
      push({work.seconds * (1 + bubble) * weighed.penalty, work.again * weighed.penalty, structure,
            vp, weighed});
    }
  }
}

bool Search::holds_anything(const Structure& s) {
  const auto smaller = [](const BatchChoice& a, const BatchChoice& b) {
    return std::tie(a.micro_batch, a.global_batch) < std::tie(b.micro_batch, b.global_batch);
  };
  const BatchChoice& least = *std::min_element(batches_.begin(), batches_.end(), smaller);
  return holds(s, least, request_.vp.value_or(1));
}

void Search::visit(const Candidate& candidate) {
  const auto index = static_cast<std::size_t>(candidate.structure);
  if (candidate.batch.micro_batch >= too_large_[index]) return;
  const Structure& s = structures_[index];
  // GPUs stay idle for the best layout, not for the runner-up.
  const bool idle = s.gpus() < request_.gpus;
  if (idle && candidate.bound > contenders_.best_score() * (1 + kTie)) return;
  const bool replicated = s.dp > 1 || s.cp > 1;
  bool any = false;
  for (const Sharding sharding : space_.shardings()) {
    any |= try_sharding(candidate, s, sharding);
    if (!replicated) break;  // nothing to shard over
  }
  // Larger micro-batches hold no fewer sequences in flight, more stages per rank no less either.
  if (!any && (candidate.vp == 1 || !holds(s, candidate.batch, 1))) {
    too_large_[index] = candidate.batch.micro_batch;
  }
}

bool Search::try_sharding(const Candidate& candidate, const Structure& s, Sharding sharding) {
  const std::vector<Recompute>& modes = space_.recomputes();
  const auto at = [&](Recompute recompute) {
    return space_.layout(s, candidate.batch, candidate.vp, sharding, recompute);
  };
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const bool last = i + 1 == modes.size();
    const double more = modes[i] == Recompute::full ? candidate.again : 0;
    const Layout l = at(modes[i]);
    if (holds(l)) {
      if (candidate.bound + more <= contenders_.limit()) take(l, candidate.batch.penalty);
      return true;
    }
    // Where the most thorough recomputation does not help, nothing between helps.
    if (i == 0 && !last && !holds(at(modes.back()))) return false;
    const Layout partly = with_recomputed_layers(l);
    const double again = recomputed_share(partly, layers());
    if (again > 0 && again != recomputed_share(l, layers()) &&
        candidate.bound + again * candidate.again <= contenders_.limit()) {
      take(partly, candidate.batch.penalty);
    }
  }
  return false;
}

bool Search::holds(const Structure& s, const BatchChoice& batch, int vp) {
  const std::vector<Sharding>& all = space_.shardings();
  return std::any_of(all.begin(), all.end(), [&](Sharding sharding) {
    return holds(space_.layout(s, batch, vp, sharding, space_.recomputes().back()));
  });
}

bool Search::holds(const Layout& l) {
  const MemoryUse use = planned_memory(model_, l);
  any_fits_ |= use.fits;
  return use.total <= use.capacity * filled_;
}

Layout Search::with_recomputed_layers(const Layout& l) const {
  if (request_.recompute || request_.recompute_layers ||
      !model_.platform().stack->partial_recompute || l.recompute == Recompute::full) {
    return l;
  }
  Layout full = l;
  full.recompute = Recompute::full;
  const MemoryUse most = planned_memory(model_, l);
  const MemoryUse least = planned_memory(model_, full);
  const double room = most.capacity * filled_;
  if (least.total >= room) return l;
  const double stage = layers_of_stage(l, layers());
  const double needed = (most.total - room) / (most.total - least.total);
  Layout partly = l;
  partly.recompute_layers = static_cast<int>(std::min(stage, std::ceil(needed * stage)));
  return partly;
}

void Search::take(const Layout& l, double penalty) {
  ++evaluated_;
  contenders_.add(l, model_.step(l), penalty);
}

void Search::consider_memory(const Structure& s, const BatchChoice& batch, double& least,
                             Plan& plan) const {
  for (const Sharding sharding : space_.shardings()) {
    // A layout given in full that does not even fit with every layer recomputed says that its
    // software keeps less than the memory model thinks, not that it recomputes all.
    const bool all = !request_.complete() || !model_.platform().stack->partial_recompute;
    const Layout l = space_.layout(
        s, batch, request_.vp.value_or(1), sharding,
        all ? space_.recomputes().back() : request_.recompute.value_or(Recompute::selective));
    const MemoryUse use = planned_memory(model_, l);
    const double score = use.total * batch.penalty;
    if (score >= least) continue;
    least = score;
    plan.layout = l;
    plan.memory = use;
  }
}

bool Search::least_memory(Plan& plan) {
  double least = kInfinity;
  double tried = 0;
  for (const Structure& s : space_.structures()) {
    space_.batches(s, batches_);
    for (const BatchChoice& batch : batches_) {
      if (++tried <= kMostConsidered) consider_memory(s, batch, least, plan);
    }
  }
  if (least == kInfinity) return false;
  plan.time = model_.step(plan.layout);
  plan.evaluated = evaluated_ + 1;
  return true;
}

}  // namespace trcost
