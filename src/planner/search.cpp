// SPDX-License-Identifier: Apache-2.0
#include "planner/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

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
  queue_.push_back(candidate);
  std::push_heap(queue_.begin(), queue_.end(), later);
}

LayoutSearch::Candidate LayoutSearch::pop() {
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

bool LayoutSearch::run_below(double limit, Plan& plan) {
  best_only_ = true;
  limit_ = limit;
  return run(plan);
}

bool LayoutSearch::search(Plan& plan) {
  enumerate();
  while (!queue_.empty() && queue_.front().bound <= limit()) {
    const Candidate next = pop();
    // GPUs stay idle for the best layout, not for the runner-up.
    const bool idle = candidate_structure(next).gpus() < request_.gpus;
    if (idle && next.bound > contenders_.best_limit()) continue;
    if (next.vp == kUnchecked) {
      check_memory(next);
    } else if (next.vp == kUnexpanded) {
      expand(next.structure);
    } else {
      visit(next);
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

void LayoutSearch::enumerate() {
  structures_ = space_.structures();
  too_large_.assign(structures_.size(), kInfinity);
  shardings_.assign(structures_.size(), 0);
  queue_.reserve(structures_.size());
  // A single structure needs no bound.
  const bool alone = structures_.size() == 1;
  for (std::size_t i = 0; i < structures_.size() && considered_ < kMostConsidered; ++i) {
    ++considered_;
    const double bound = alone ? 0 : structure_bound(structures_[i]);
    if (bound == kInfinity) continue;
    queue_.push_back({bound, bound, 0, static_cast<int>(i), kUnchecked, {}});
  }
  std::make_heap(queue_.begin(), queue_.end(), later);
}

double LayoutSearch::structure_bound(const Structure& s) {
  space_.micro_batches(s, micros_);
  double least = kInfinity;
  for (const double micro : micros_) {
    const double bubble =
        (s.pp - 1) / (space_.most_virtual_stages(s) * space_.most_micro_batches(s, micro));
    least = std::min(least, bounds_.work(s, context_kind_, micro).seconds * (1 + bubble));
  }
  if (kRounding * least > limit_) return kInfinity;
  return kRounding * least * space_.least_penalty(s) * complexity_penalty(s, 1, request_.gpus);
}

double LayoutSearch::batches_bound(const Structure& s, double recomputed) {
  const double stages = space_.most_virtual_stages(s);
  double least = kInfinity;
  for (const BatchChoice& batch : batches_) {
    const Bounds::Work work = bounds_.work(s, context_kind_, batch.micro_batch);
    const double m = batch.global_batch / (batch.micro_batch * s.dp);
    const double bubble = (s.pp - 1) / ((m < s.pp ? 1 : stages) * m);
    const double seconds = work.seconds * (1 + bubble) + recomputed * work.recompute;
    if (kRounding * seconds <= limit_) least = std::min(least, seconds * batch.penalty);
  }
  return kRounding * least * complexity_penalty(s, 1, request_.gpus);
}

void LayoutSearch::check_memory(const Candidate& candidate) {
  const Structure& s = candidate_structure(candidate);
  space_.batches(s, batches_);
  if (batches_.empty()) return;
  const auto smaller = [](const BatchChoice& a, const BatchChoice& b) {
    return std::tie(a.micro_batch, a.global_batch) < std::tie(b.micro_batch, b.global_batch);
  };
  const BatchChoice& smallest = *std::min_element(batches_.begin(), batches_.end(), smaller);
  unsigned& found = shardings_[static_cast<std::size_t>(candidate.structure)];
  const bool replicated = s.dp > 1 || s.cp > 1;
  for (const Sharding sharding : space_.shardings()) {
    const Layout l =
        space_.layout(s, smallest, request_.vp.value_or(1), sharding, space_.recomputes().back());
    if (leaves_margin(memory(l))) found |= 1U << static_cast<unsigned>(sharding);
    if (!replicated) break;  // nothing to shard over
  }
  const LeastRecompute least = least_recompute(candidate.structure, smallest);
  if (!least.fits) return;
  Candidate next = candidate;
  next.vp = kUnexpanded;
  if (next.bound > 0) next.bound = batches_bound(s, least.share);
  if (next.bound < kInfinity) push(next);
}

void LayoutSearch::expand(int structure) {
  const Structure& s = structures_[static_cast<std::size_t>(structure)];
  space_.batches(s, batches_);
  double too_large = kInfinity;
  // Batches of one micro-batch are adjacent.
  for (auto first = batches_.begin(); first != batches_.end();) {
    const auto end = std::find_if(first, batches_.end(), [&](const BatchChoice& batch) {
      return batch.micro_batch != first->micro_batch;
    });
    const auto least = std::min_element(
        first, end, [](const auto& a, const auto& b) { return a.global_batch < b.global_batch; });
    LeastRecompute needed;
    if (first->micro_batch < too_large) needed = least_recompute(structure, *least);
    if (!needed.fits) too_large = std::min(too_large, first->micro_batch);
    for (; first != end; ++first) {
      if (needed.fits) add_stages(structure, *first, needed.share);
    }
  }
}

void LayoutSearch::add_stages(int structure, const BatchChoice& batch, double recomputed) {
  const Structure& s = structures_[static_cast<std::size_t>(structure)];
  const double m = batch.global_batch / (batch.micro_batch * s.dp);
  space_.virtual_stages(s, m, stages_);
  // A complete layout needs no bound.
  const bool alone = structures_.size() == 1 && batches_.size() == 1 && stages_.size() == 1 &&
                     request_.sharding && request_.recompute;
  const Bounds::Work work =
      alone ? Bounds::Work{} : bounds_.work(s, context_kind_, batch.micro_batch);
  for (const int vp : stages_) {
    if (considered_ >= kMostConsidered) return;
    ++considered_;
    const double bubble = (s.pp - 1) / (vp * m);
    const double penalty = kRounding * batch.penalty * complexity_penalty(s, vp, request_.gpus);
    const double seconds = work.seconds * (1 + bubble);
    if (kRounding * (seconds + recomputed * work.recompute) > limit_) continue;
    push({(seconds + recomputed * work.recompute) * penalty, seconds * penalty,
          work.recompute * penalty, structure, vp, batch});
  }
}

double LayoutSearch::least_recompute_with(const Structure& s, const BatchChoice& batch,
                                          Sharding sharding, const MemoryUse& least) {
  double share = 1;
  for (const Recompute recompute : space_.recomputes()) {
    if (recompute == space_.recomputes().back()) break;
    const Layout l = space_.layout(s, batch, request_.vp.value_or(1), sharding, recompute);
    const MemoryUse use = memory(l);
    if (leaves_margin(use)) return recomputed_share(l, layers());
    const double part = recomputed_share(with_recomputed_layers(l, use, least), layers());
    if (part > 0) share = std::min(share, part);
  }
  return space_.recomputes().back() == Recompute::full ? share : 0;
}

LayoutSearch::LeastRecompute LayoutSearch::least_recompute(int structure,
                                                           const BatchChoice& batch) {
  const Structure& s = structures_[static_cast<std::size_t>(structure)];
  LeastRecompute out;
  const Recompute most = space_.recomputes().back();
  const int vp = request_.vp.value_or(1);
  for (const Sharding sharding : space_.shardings()) {
    if (!sharding_fits(structure, sharding)) continue;
    const MemoryUse least = memory(space_.layout(s, batch, vp, sharding, most));
    if (!leaves_margin(least)) continue;
    out.fits = true;
    out.share = std::min(out.share, least_recompute_with(s, batch, sharding, least));
    if (out.share == 0) break;
  }
  return out;
}

bool LayoutSearch::sharding_fits(int structure, Sharding sharding) const {
  const unsigned found = shardings_[static_cast<std::size_t>(structure)];
  return (found >> static_cast<unsigned>(sharding) & 1U) != 0;
}

void LayoutSearch::visit(const Candidate& candidate) {
  const auto index = static_cast<std::size_t>(candidate.structure);
  if (candidate.batch.micro_batch >= too_large_[index]) return;
  const Structure& s = structures_[index];
  bool any = false;
  for (const Sharding sharding : space_.shardings()) {
    if (sharding_fits(candidate.structure, sharding)) any |= try_sharding(candidate, s, sharding);
  }
  // Larger micro-batches and more stages per rank need no less memory.
  if (!any && (candidate.vp == 1 || !any_sharding_fits(s, candidate.batch, 1))) {
    too_large_[index] = candidate.batch.micro_batch;
  }
}

bool LayoutSearch::try_sharding(const Candidate& candidate, const Structure& s, Sharding sharding) {
  const std::vector<Recompute>& modes = space_.recomputes();
  const auto at = [&](Recompute recompute) {
    return space_.layout(s, candidate.batch, candidate.vp, sharding, recompute);
  };
  // If the most thorough recomputation does not fit, nothing in between does.
  const MemoryUse least = memory(at(modes.back()));
  if (!leaves_margin(least)) return false;
  const auto consider = [&](const Layout& l, double share) {
    if (candidate.work + share * candidate.recompute <= limit()) {
      evaluate(l, candidate.batch.penalty);
    }
  };
  bool any = false;
  for (const Recompute mode : modes) {
    const Layout l = at(mode);
    const MemoryUse use = mode == modes.back() ? least : memory(l);
    if (leaves_margin(use)) {
      any = true;
      consider(l, mode == Recompute::full ? 1 : 0);
      // More recomputation only takes longer, unless activations travel to the host instead.
      if (!offloads_activations_) break;
      continue;
    }
    const Layout partly = with_recomputed_layers(l, use, least);
    const double share = recomputed_share(partly, layers());
    if (share > 0 && share != recomputed_share(l, layers())) consider(partly, share);
  }
  return any;
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

void LayoutSearch::evaluate(const Layout& l, double batch_penalty) {
  ++evaluated_;
  const double domain = model_.platform().system->usable_per_domain;
  contenders_.add(l, model_.step(l), batch_penalty * layout_penalty(l, request_.gpus, domain));
}

bool LayoutSearch::least_memory(Plan& plan) {
  // A complete layout that does not even fit with every layer recomputed indicates that its
  // software keeps less than the memory model assumes, not that it recomputes everything.
  const bool all = !request_.complete() || !model_.platform().stack->partial_recompute;
  const Recompute recompute =
      all ? space_.recomputes().back() : request_.recompute.value_or(Recompute::selective);
  double least = kInfinity, tried = 0;
  for (const Structure& s : space_.structures()) {
    space_.batches(s, batches_);
    for (const BatchChoice& batch : batches_) {
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
