// SPDX-License-Identifier: Apache-2.0
#include "planner/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

LayoutSearch::LayoutSearch(Bounds& bounds, const PlanRequest& request, Idle idle, double margin,
                           bool may_use_margin)
    : model_(bounds.model()),
      request_(request),
      filled_(1 - margin),
      may_use_margin_(may_use_margin),
      space_(model_, request, idle),
      bounds_(bounds),
      context_kind_(space_.context_kind()),
      offloads_activations_(model_.workload().offload.activations) {}

bool LayoutSearch::later(const Candidate& a, const Candidate& b) {
  return std::tie(a.bound, a.structure, a.vp, a.batch.micro_batch, a.sharding) >
         std::tie(b.bound, b.structure, b.vp, b.batch.micro_batch, b.sharding);
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
    } else if (next.vp == kUnexpanded) {
      expand(next.structure);
    } else if (next.vp == kUnchecked) {
      check_memory(next);
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
  too_large_.assign(structures_.size() * std::size(catalog::kShardings), kInfinity);
  payloads_.assign(structures_.size(), {});
  queue_.reserve(structures_.size());
  alone_ = structures_.size() == 1;
  for (std::size_t i = 0; i < structures_.size() && considered_ < kMostConsidered; ++i) {
    ++considered_;
    const auto index = static_cast<int>(i);
    const double bound = alone_ ? 0 : rough_bound(index);
    if (bound == kInfinity) continue;
    queue_.push_back({bound, 0, 0, index, alone_ ? kUnexpanded : kRough, {}, {}});
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
    const double waiting =
        space_.least_bubble(s, micro) + bounds_.uneven(s, known, micro, 0) / known.seconds;
    least = std::min(least, seconds * (1 + waiting));
    weighed = std::min(weighed, seconds * space_.least_stretch(waiting, penalty));
  }
  Candidate next = candidate;
  next.bound = kRounding * weighed * complexity_penalty(s, 1, request_.gpus);
  next.vp = kUnexpanded;
  if (!drop(s, least, next.bound)) push(next);
}

double LayoutSearch::exchange(int structure, const BatchChoice& batch, int vp, Sharding sharding) {
  const Structure& s = structure_at(structure);
  const Layout l = space_.layout(s, batch, vp, sharding, Recompute::none);
  const bool repeats = space_.recomputes().back() != Recompute::none;
  return bounds_.exchange(l, pass(s, batch.micro_batch), repeats, payloads(structure));
}

double LayoutSearch::batches_bound(int structure, std::span<const BatchChoice> batches,
                                   std::optional<Sharding> sharding) {
  const Structure& s = structure_at(structure);
  const double share = bounds_.share(s.gpus());
  const double weight = kRounding * complexity_penalty(s, 1, request_.gpus);
  const double micro_batch = batches.front().micro_batch;
  const ReplicaWork::Pass& known = pass(s, micro_batch);
  const double work = share * known.seconds;
  const double uneven = share * bounds_.uneven(s, known, micro_batch, 0);
  const double most = reach();
  double least = kInfinity;
  for (const BatchChoice& batch : batches) {
    const double m = batch.global_batch / (micro_batch * s.dp);
    const double stages = space_.most_virtual_stages(s, m);
    double seconds = work * (1 + (s.pp - 1) / (stages * m)) + uneven;
    if (weight * seconds * batch.penalty >= std::min(least, most)) continue;
    if (sharding) {
      seconds += share * exchange(structure, batch, static_cast<int>(stages), *sharding);
    }
    const double weighed = weight * seconds * batch.penalty;
    if (!drop(s, seconds, weighed)) least = std::min(least, weighed);
  }
  return least;
}

std::span<const BatchChoice> LayoutSearch::batches_of_size(std::span<const BatchChoice> batches,
                                                           double micro_batch) {
  const auto is_of_size = [&](const BatchChoice& b) { return b.micro_batch == micro_batch; };
  const auto first = std::ranges::find_if(batches, is_of_size);
  return {first, std::find_if_not(first, batches.end(), is_of_size)};
}

void LayoutSearch::expand(int structure) {
  const Structure& s = structure_at(structure);
  std::vector<BatchChoice>& batches = batches_[structure];
  space_.batches(s, batches);
  if (alone_ && batches.size() == 1 && request_.sharding && request_.recompute) {
    const BatchChoice& batch = batches.front();
    space_.virtual_stages(s, batch.global_batch / (batch.micro_batch * s.dp), stages_);
    if (stages_.size() == 1) {
      return push({0, 0, 0, structure, stages_.front(), batch, *request_.sharding});
    }
  }
  alone_ = false;
  std::span<const Sharding> shardings = space_.shardings();
  if (s.dp == 1 && s.cp == 1) shardings = shardings.first(1);  // nothing to shard over
  std::span<const BatchChoice> group;
  for (auto next = batches.begin(); next != batches.end(); next += std::ssize(group)) {
    group = batches_of_size({next, batches.end()}, next->micro_batch);
    if (batches_bound(structure, group, std::nullopt) > reach()) continue;
    for (const Sharding sharding : shardings) {
      const double bound = batches_bound(structure, group, sharding);
      if (bound == kInfinity || bound > reach()) continue;
      push({bound, 0, 0, structure, kUnchecked, *next, sharding});
    }
  }
}

void LayoutSearch::check_memory(const Candidate& candidate) {
  const Structure& s = structure_at(candidate.structure);
  const double micro_batch = candidate.batch.micro_batch;
  double& too_large = too_large_micro_batch(candidate.structure, candidate.sharding);
  if (micro_batch >= too_large) return;
  const std::span<const BatchChoice> batches =
      batches_of_size(batches_.at(candidate.structure), micro_batch);
  const BatchChoice& least = *std::ranges::min_element(batches, {}, &BatchChoice::global_batch);
  const std::optional<MemoryCost> cost = memory_cost(s, least, candidate.sharding);
  if (!cost) {
    too_large = micro_batch;
    return;
  }
  for (const BatchChoice& batch : batches) {
    add_stages(candidate.structure, batch, candidate.sharding, *cost);
  }
}

void LayoutSearch::add_stages(int structure, const BatchChoice& batch, Sharding sharding,
                              const MemoryCost& cost) {
  const Structure& s = structure_at(structure);
  const double m = batch.global_batch / (batch.micro_batch * s.dp);
  const ReplicaWork::Pass& known = pass(s, batch.micro_batch);
  const double share = bounds_.share(s.gpus());
  const double uneven = share * bounds_.uneven(s, known, batch.micro_batch, cost.recomputed);
  const double uneven_without = share * bounds_.uneven(s, known, batch.micro_batch, 0);
  space_.virtual_stages(s, m, stages_);
  for (const int vp : stages_) {
    if (considered_ >= kMostConsidered) return;
    ++considered_;
    const double bubble = (s.pp - 1) / (vp * m);
    const double penalty = kRounding * batch.penalty * complexity_penalty(s, vp, request_.gpus);
    const double again = share * known.recompute * (1 + bubble);
    double work = share * known.seconds * (1 + bubble);
    const double least = std::min(work + cost.recomputed * again + uneven,
                                  (work + uneven_without) * cost.risk_without);
    if (least * penalty > reach()) continue;
    work += share * bounds_.transfers(space_.layout(s, batch, vp, sharding, Recompute::none));
    const double exchanged = share * exchange(structure, batch, vp, sharding);
    double seconds = work + cost.recomputed * again + uneven + exchanged;
    double bound = seconds * penalty;
    if (cost.risk_without < kInfinity) {
      seconds = work + uneven_without + exchanged;
      bound = std::min(bound, seconds * penalty * cost.risk_without);
    }
    if (drop(s, seconds, bound) || bound > reach()) continue;
    push({bound, work * penalty, again * penalty, structure, vp, batch, sharding});
  }
}

std::optional<LayoutSearch::MemoryCost> LayoutSearch::memory_cost(const Structure& s,
                                                                  const BatchChoice& batch,
                                                                  Sharding sharding) {
  const auto at = [&](Recompute mode) {
    return space_.layout(s, batch, request_.vp.value_or(1), sharding, mode);
  };
  const Recompute last = space_.recomputes().back();
  std::optional<MemoryUse> least;  // with the most thorough recomputation
  MemoryCost cost{1, kInfinity};
  for (const Recompute mode : space_.recomputes()) {
    if (mode == last) break;
    const Layout l = at(mode);
    const MemoryUse use = memory(l);
    if (leaves_margin(use)) return MemoryCost{recomputed_share(l, layers()), kInfinity};
    if (accepts(use)) cost.risk_without = std::min(cost.risk_without, risk(use));
    if (!least) least = memory(at(last));
    if (!accepts(*least)) return std::nullopt;
    const double part = recomputed_share(with_recomputed_layers(l, use, *least), layers());
    if (part > 0) cost.recomputed = std::min(cost.recomputed, part);
  }
  if (!least) least = memory(at(last));
  if (!accepts(*least)) return std::nullopt;
  if (last != Recompute::full) cost.recomputed = 0;
  return cost;
}

void LayoutSearch::visit(const Candidate& candidate) {
  const Structure& s = structure_at(candidate.structure);
  const std::vector<Recompute>& modes = space_.recomputes();
  const auto at = [&](Recompute recompute) {
    return space_.layout(s, candidate.batch, candidate.vp, candidate.sharding, recompute);
  };
  std::optional<MemoryUse> least;  // with the most thorough recomputation
  std::optional<StepTime> first;   // with the least recomputation
  const auto add = [&](const Layout& l, double share, double risk) {
    if (candidate.work + share * candidate.recompute > limit()) return;
    const bool known = first && l.recompute == modes.front() && share == 0;
    contenders_.add(l, known ? *first : step(candidate.structure, l),
                    risk * penalty(l, candidate.batch));
  };
  // More recomputation only takes longer, unless activations travel to the host instead.
  if (best_only_ && !offloads_activations_) {
    const Layout l = at(modes.front());
    first = step(candidate.structure, l);
    const double fastest = first->seconds / l.global_batch * penalty(l, candidate.batch);
    if (kRounding * fastest > reach()) return;
  }
  for (const Recompute mode : modes) {
    const Layout l = at(mode);
    const MemoryUse use = mode == modes.back() && least ? *least : memory(l);
    if (accepts(use)) {
      add(l, mode == Recompute::full ? 1 : 0, risk(use));
      if (leaves_margin(use) && !offloads_activations_) break;
    }
    if (leaves_margin(use)) continue;
    if (!least) least = memory(at(modes.back()));
    // Then nothing in between fits either.
    if (!accepts(*least)) return;
    const Layout partly = with_recomputed_layers(l, use, *least);
    const double share = recomputed_share(partly, layers());
    if (share > 0 && share != recomputed_share(l, layers())) add(partly, share, 1);
  }
}

MemoryUse LayoutSearch::memory(const Layout& l) {
  const MemoryUse use = model_.memory(l);
  any_fits_ |= use.fits;
  any_leaves_margin_ |= leaves_margin(use);
  return use;
}

double LayoutSearch::risk(const MemoryUse& use) const {
  if (leaves_margin(use)) return 1;
  MemoryUse filled = use;
  filled.total = use.capacity * filled_;
  return fits_probability(filled) / fits_probability(use);
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

StepTime LayoutSearch::step(int structure, const Layout& l) {
  ++evaluated_;
  if (alone_) return model_.step(l);
  return model_.step(l, pass(l, l.micro_batch).kernels, payloads(structure));
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
