// SPDX-License-Identifier: Apache-2.0
#include "planner/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <tuple>
#include <utility>

namespace trcost::planner {
namespace {

thread_local double ranked = 0;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Lowers bounds by more than rounding, so that a structure comes before each of its candidates.
constexpr double kRounding = 1 - 1e-12;

}  // namespace

double layouts_considered() {
  return ranked;
}

LayoutSearch::LayoutSearch(Bounds& bounds, const PlanRequest& request, Idle idle, double margin)
    : model_(bounds.model()),
      request_(request),
      filled_(1 - margin),
      space_(model_, request, idle),
      bounds_(bounds),
      context_kind_(space_.context_kind()),
      offloads_activations_(model_.workload().offload.activations) {}

bool LayoutSearch::later(const Candidate& a, const Candidate& b) {
  return std::tie(a.bound, a.structure, a.vp, a.batch.micro_batch) >
         std::tie(b.bound, b.structure, b.vp, b.batch.micro_batch);
}

void LayoutSearch::push(const Candidate& candidate) {
  if (best_only_ && contenders_.empty()) return first_.push_back(candidate);
  queue_.push_back(candidate);
  std::push_heap(queue_.begin(), queue_.end(), later);
}

LayoutSearch::Candidate LayoutSearch::pop() {
  if (!first_.empty()) {
    std::swap(*std::max_element(first_.begin(), first_.end(), later), first_.back());
    const Candidate next = first_.back();
    first_.pop_back();
    return next;
  }
  std::pop_heap(queue_.begin(), queue_.end(), later);
  const Candidate next = queue_.back();
  queue_.pop_back();
  return next;
}

bool LayoutSearch::run(Plan& plan) {
  if (!search(plan)) return false;
  plan.memory = model_.memory(plan.layout);
  return true;
}

bool LayoutSearch::run_best_only(Plan& plan) {
  best_only_ = true;
  return run(plan);
}

bool LayoutSearch::run_below(const TimeLimit& limit, Plan& plan) {
  limit_ = &limit;
  return run_best_only(plan);
}

bool LayoutSearch::may_miss_best() const {
  return !contenders_.empty() && dropped_ <= contenders_.best_limit();
}

bool LayoutSearch::search(Plan& plan) {
  enumerate();
  while (!first_.empty() || (!queue_.empty() && queue_.front().bound <= limit())) {
    const Candidate next = pop();
    // GPUs stay idle for the best layout, not for the runner-up.
    const bool idle = structure_at(next.structure).gpus() < request_.gpus;
    if (idle && next.bound > contenders_.best_limit()) continue;
    if (next.vp == kRough) {
      refine(next);
    } else if (next.vp == kUnchecked) {
      check_memory(next);
    } else if (next.vp == kUnexpanded) {
      expand(next.structure);
    } else {
      visit(next);
      // Once a layout is found, its time bounds all others.
      if (contenders_.empty()) continue;
      for (const Candidate& each : std::exchange(first_, {})) push(each);
    }
  }
  plan.evaluated = evaluated_;
  plan.considered = considered_;
  ranked += considered_;
  if (contenders_.empty()) return false;
  contenders_.store_best(plan);
  if (best_only_) plan.runner_up.reset();
  return true;
}

bool LayoutSearch::drop(const Structure& structure, double seconds, double weighed) {
  if (limit_ == nullptr) return false;
  if (structure.gpus() != limited_gpus_) {
    limited_gpus_ = structure.gpus();
    most_seconds_ = (*limit_)(limited_gpus_);
  }
  if (kRounding * seconds <= most_seconds_) return false;
  dropped_ = std::min(dropped_, weighed);
  return true;
}

void LayoutSearch::enumerate() {
  structures_ = space_.structures();
  too_large_.assign(structures_.size(), kInfinity);
  shardings_.assign(structures_.size(), 0);
  queue_.reserve(structures_.size());
  alone_ = structures_.size() == 1;
  for (std::size_t i = 0; i < structures_.size() && considered_ < kMostConsidered; ++i) {
    ++considered_;
    const auto index = static_cast<int>(i);
    const double bound = alone_ ? 0 : rough_bound(index);
    if (bound == kInfinity) continue;
    queue_.push_back({bound, bound, 0, index, alone_ ? kUnchecked : kRough, {}});
  }
  std::make_heap(queue_.begin(), queue_.end(), later);
}

double LayoutSearch::rough_bound(int structure) {
  const Structure& s = structure_at(structure);
  ReplicaWork& work = bounds_.replica(s, context_kind_, request_.sequence_parallel);
  const double seconds =
      work.least_seconds(space_.largest_micro_batch(s)) * bounds_.share(s.gpus());
  const double bubble = space_.least_bubble(s, request_.micro_batch.value_or(1));
  const double stretch = space_.least_stretch(bubble, space_.least_penalty(s));
  const double weighed = kRounding * seconds * stretch * complexity_penalty(s, 1, request_.gpus);
  return drop(s, seconds * (1 + bubble), weighed) ? kInfinity : weighed;
}

void LayoutSearch::refine(const Candidate& candidate) {
  const Structure& s = structure_at(candidate.structure);
  space_.micro_batches(s, micros_);
  const double share = bounds_.share(s.gpus()), penalty = space_.least_penalty(s);
  double least = kInfinity, weighed = kInfinity;
  for (const double micro : micros_) {
    const ReplicaWork::Pass& known = pass(s, micro);
    const double seconds = known.seconds * share;
    const double uneven = bounds_.uneven(s, known, micro) * share;
    const double bubble = space_.least_bubble(s, micro);
    least = std::min(least, seconds * (1 + bubble) + uneven);
    weighed = std::min(weighed, seconds * space_.least_stretch(bubble, penalty) + uneven * penalty);
  }
  Candidate next = candidate;
  next.bound = next.work = kRounding * weighed * complexity_penalty(s, 1, request_.gpus);
  next.vp = kUnchecked;
  if (!drop(s, least, next.bound)) push(next);
}

double LayoutSearch::batches_bound(int structure, std::span<const BatchChoice> batches,
                                   double recomputed) {
  const Structure& s = structure_at(structure);
  const double share = bounds_.share(s.gpus());
  const double weight = kRounding * complexity_penalty(s, 1, request_.gpus);
  double least = kInfinity, micro_batch = 0, work = 0, uneven = 0;
  for (const BatchChoice& batch : batches) {
    // Batches of one micro-batch are adjacent.
    if (batch.micro_batch != micro_batch) {
      micro_batch = batch.micro_batch;
      const ReplicaWork::Pass& known = pass(s, micro_batch);
      work = share * (known.seconds + recomputed * known.recompute);
      uneven = share * bounds_.uneven(s, known, micro_batch);
    }
    const double m = batch.global_batch / (batch.micro_batch * s.dp);
    const double bubble = (s.pp - 1) / (space_.most_virtual_stages(s, m) * m);
    const double seconds = work * (1 + bubble) + uneven;
    const double weighed = weight * seconds * batch.penalty;
    if (!drop(s, seconds, weighed)) least = std::min(least, weighed);
  }
  return least;
}

void LayoutSearch::check_memory(const Candidate& candidate) {
  const Structure& s = structure_at(candidate.structure);
  space_.batches(s, batches_);
  if (batches_.empty()) return;
  const auto smaller = [](const BatchChoice& a, const BatchChoice& b) {
    return std::tie(a.micro_batch, a.global_batch) < std::tie(b.micro_batch, b.global_batch);
  };
  const BatchChoice& smallest = *std::min_element(batches_.begin(), batches_.end(), smaller);
  unsigned& found = shardings_[static_cast<std::size_t>(candidate.structure)];
  std::span<const Sharding> shardings = space_.shardings();
  if (s.dp == 1 && s.cp == 1) shardings = shardings.first(1);  // nothing to shard over
  double share = 1;
  for (const Sharding sharding : shardings | std::views::reverse) {
    const std::optional<double> needed = least_recompute_with(s, smallest, sharding, share);
    if (!needed) continue;
    found |= 1U << static_cast<unsigned>(sharding);
    share = std::min(share, *needed);
  }
  if (found == 0) return;
  Candidate next = candidate;
  next.vp = kUnexpanded;
  next.bound = alone_ ? 0 : kInfinity;
  std::vector<FittingBatches> fitting;
  double too_large = kInfinity;
  // Batches of one micro-batch are adjacent.
  for (auto first = batches_.begin(), end = first; first != batches_.end(); first = end) {
    const double micro_batch = first->micro_batch;
    end = std::find_if(first, batches_.end(),
                       [&](const BatchChoice& batch) { return batch.micro_batch != micro_batch; });
    if (micro_batch >= too_large) continue;
    const std::span<const BatchChoice> batches(first, end);
    // Memory of batches that are too slow is of no interest.
    if (!alone_ && batches_bound(candidate.structure, batches, 0) > reach()) continue;
    const BatchChoice& least = *std::min_element(first, end, smaller);
    const std::optional<double> needed =
        &least == &smallest ? share : least_recompute(candidate.structure, least);
    if (!needed) {
      too_large = micro_batch;
      continue;
    }
    fitting.push_back({{first, end}, *needed});
    if (!alone_) {
      next.bound = std::min(next.bound, batches_bound(candidate.structure, batches, *needed));
    }
  }
  if (fitting.empty() || next.bound == kInfinity) return;
  fitting_[candidate.structure] = std::move(fitting);
  push(next);
}

void LayoutSearch::expand(int structure) {
  const auto known = fitting_.extract(structure);
  for (const FittingBatches& each : known.mapped()) {
    if (!alone_ && batches_bound(structure, each.batches, each.recomputed) > reach()) continue;
    for (const BatchChoice& batch : each.batches) add_stages(structure, batch, each.recomputed);
  }
}

void LayoutSearch::add_stages(int structure, const BatchChoice& batch, double recomputed) {
  const Structure& s = structure_at(structure);
  const double m = batch.global_batch / (batch.micro_batch * s.dp);
  space_.virtual_stages(s, m, stages_);
  // A complete layout needs no bound.
  const bool alone = alone_ && batches_.size() == 1 && stages_.size() == 1 && request_.sharding &&
                     request_.recompute;
  double work = 0, again = 0, uneven = 0;
  const double share = alone ? 0 : bounds_.share(s.gpus());
  if (!alone) {
    const ReplicaWork::Pass& known = pass(s, batch.micro_batch);
    work = known.seconds * share;
    again = known.recompute * share;
    uneven = bounds_.uneven(s, known, batch.micro_batch) * share;
  }
  for (const int vp : stages_) {
    if (considered_ >= kMostConsidered) return;
    ++considered_;
    const double bubble = (s.pp - 1) / (vp * m);
    const double penalty = kRounding * batch.penalty * complexity_penalty(s, vp, request_.gpus);
    double least = work * (1 + bubble) + uneven;
    const double repeated = again * (1 + bubble);
    if ((least + recomputed * repeated) * penalty > reach()) continue;
    if (!alone) {
      const Layout l =
          space_.layout(s, batch, vp, space_.shardings().front(), space_.recomputes().front());
      least += bounds_.transfers(l) * share;
    }
    const double seconds = least + recomputed * repeated;
    const double bound = seconds * penalty;
    if (drop(s, seconds, bound) || bound > reach()) continue;
    push({bound, least * penalty, repeated * penalty, structure, vp, batch});
  }
}

std::optional<double> LayoutSearch::least_recompute_with(const Structure& s,
                                                         const BatchChoice& batch,
                                                         Sharding sharding, double known) {
  const auto at = [&](Recompute mode) {
    return space_.layout(s, batch, request_.vp.value_or(1), sharding, mode);
  };
  const Recompute last = space_.recomputes().back();
  std::optional<MemoryUse> least;  // with the most thorough recomputation
  double share = 1;
  for (const Recompute mode : space_.recomputes()) {
    if (mode == last || known == 0) break;
    const Layout l = at(mode);
    const MemoryUse use = memory(l);
    if (leaves_margin(use)) return recomputed_share(l, layers());
    if (!least) least = memory(at(last));
    if (!leaves_margin(*least)) return std::nullopt;
    const double part = recomputed_share(with_recomputed_layers(l, use, *least), layers());
    if (part > 0) share = std::min(share, part);
  }
  if (!least) least = memory(at(last));
  if (!leaves_margin(*least)) return std::nullopt;
  return last == Recompute::full ? share : 0;
}

std::optional<double> LayoutSearch::least_recompute(int structure, const BatchChoice& batch) {
  std::optional<double> share;
  // The last sharding takes the least memory, so it most likely needs no recomputation.
  for (const Sharding sharding : space_.shardings() | std::views::reverse) {
    if (!sharding_fits(structure, sharding)) continue;
    const std::optional<double> needed =
        least_recompute_with(structure_at(structure), batch, sharding, 1);
    if (needed) share = std::min(share.value_or(1), *needed);
    if (share == 0) break;
  }
  return share;
}

bool LayoutSearch::sharding_fits(int structure, Sharding sharding) const {
  const unsigned found = shardings_[static_cast<std::size_t>(structure)];
  return (found >> static_cast<unsigned>(sharding) & 1U) != 0;
}

void LayoutSearch::visit(const Candidate& candidate) {
  const auto index = static_cast<std::size_t>(candidate.structure);
  if (candidate.batch.micro_batch >= too_large_[index]) return;
  const Structure& s = structures_[index];
  bool any = false, settled = false;
  for (const Sharding sharding : space_.shardings()) {
    if (!sharding_fits(candidate.structure, sharding)) continue;
    // Gradients that are scattered in every micro-batch only take longer than once a step.
    if (settled && sharding == Sharding::gradients) continue;
    const Fit fit = try_sharding(candidate, s, sharding);
    any |= fit != Fit::none;
    settled = best_only_ && sharding == Sharding::optimizer && fit == Fit::without_recomputing;
  }
  // Larger micro-batches and more stages per rank need no less memory.
  if (!any && (candidate.vp == 1 || !any_sharding_fits(s, candidate.batch, 1))) {
    too_large_[index] = candidate.batch.micro_batch;
  }
}

LayoutSearch::Fit LayoutSearch::try_sharding(const Candidate& candidate, const Structure& s,
                                             Sharding sharding) {
  const std::vector<Recompute>& modes = space_.recomputes();
  const auto at = [&](Recompute recompute) {
    return space_.layout(s, candidate.batch, candidate.vp, sharding, recompute);
  };
  std::optional<MemoryUse> least;  // with the most thorough recomputation
  std::optional<StepTime> first;   // with the least recomputation
  const auto consider = [&](const Layout& l, double share) {
    if (candidate.work + share * candidate.recompute > limit()) return;
    const bool known = first && l.recompute == modes.front() && share == 0;
    contenders_.add(l, known ? *first : step(l), penalty(l, candidate.batch));
  };
  // More recomputation only takes longer, unless activations travel to the host instead.
  if (best_only_ && !offloads_activations_) {
    const Layout l = at(modes.front());
    first = step(l);
    const double fastest = first->seconds / l.global_batch * penalty(l, candidate.batch);
    if (kRounding * fastest > reach()) return Fit::without_recomputing;
  }
  Fit fit = Fit::none;
  for (const Recompute mode : modes) {
    const Layout l = at(mode);
    const MemoryUse use = mode == modes.back() && least ? *least : memory(l);
    if (leaves_margin(use)) {
      if (fit == Fit::none) {
        fit = mode == modes.front() ? Fit::without_recomputing : Fit::recomputing;
      }
      consider(l, mode == Recompute::full ? 1 : 0);
      if (!offloads_activations_) break;
      continue;
    }
    if (!least) least = memory(at(modes.back()));
    // Then nothing in between fits either.
    if (!leaves_margin(*least)) return Fit::none;
    const Layout partly = with_recomputed_layers(l, use, *least);
    const double share = recomputed_share(partly, layers());
    if (share > 0 && share != recomputed_share(l, layers())) consider(partly, share);
  }
  return fit;
}

bool LayoutSearch::any_sharding_fits(const Structure& s, const BatchChoice& batch, int vp) {
  const std::vector<Sharding>& all = space_.shardings();
  return std::any_of(all.begin(), all.end(), [&](Sharding sharding) {
    return leaves_margin(memory(space_.layout(s, batch, vp, sharding, space_.recomputes().back())));
  });
}

MemoryUse LayoutSearch::memory(const Layout& l) {
  const MemoryUse use = model_.memory(l);
  any_fits_ |= use.fits;
  any_leaves_margin_ |= leaves_margin(use);
  return use;
}

Layout LayoutSearch::with_recomputed_layers(const Layout& l, const MemoryUse& most,
                                            const MemoryUse& least) const {
  const double room = most.capacity * filled_;
  const bool open = !request_.recompute && !request_.recompute_layers;
  if (!open || !model_.platform().stack->partial_recompute || least.total >= room) return l;
  const double stage = layers_of_stage(l, layers());
  const double needed = (most.total - room) / (most.total - least.total);
  Layout partly = l;
  partly.recompute_layers = static_cast<int>(std::min(stage, std::ceil(needed * stage)));
  return partly;
}

StepTime LayoutSearch::step(const Layout& l) {
  ++evaluated_;
  return alone_ ? model_.step(l) : model_.step(l, pass(l, l.micro_batch).kernels);
}

double LayoutSearch::penalty(const Layout& l, const BatchChoice& batch) const {
  const double domain = model_.platform().system->usable_per_domain;
  return batch.penalty * layout_penalty(l, request_.gpus, domain);
}

bool LayoutSearch::least_memory(Plan& plan) {
  // A complete layout that does not even fit with every layer recomputed indicates that its
  // software keeps less than the memory model assumes, not that it recomputes everything.
  const bool all = !request_.complete() || !model_.platform().stack->partial_recompute;
  const Recompute recompute =
      all ? space_.recomputes().back() : request_.recompute.value_or(Recompute::selective);
  double least = kInfinity, tried = 0;
  std::vector<BatchChoice> batches;
  for (const Structure& s : space_.structures()) {
    space_.batches(s, batches);
    for (const BatchChoice& batch : batches) {
      if (++tried > kMostConsidered) continue;
      for (const Sharding sharding : space_.shardings()) {
        const Layout l = space_.layout(s, batch, request_.vp.value_or(1), sharding, recompute);
        const MemoryUse use = model_.memory(l);
        if (use.total * batch.penalty >= least) continue;
        least = use.total * batch.penalty;
        plan.layout = l;
        plan.memory = use;
      }
    }
  }
  ranked += std::min(tried, kMostConsidered);
  if (least == kInfinity) return false;
  plan.time = model_.step(plan.layout);
  plan.evaluated = evaluated_ + 1;
  return true;
}

}  // namespace trcost::planner
