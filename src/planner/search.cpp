// SPDX-License-Identifier: Apache-2.0
// Best-first search: layouts in the order of a lower bound of their time, until the bound passes
// the best found.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "planner/space.h"
#include "trcost/error.h"

namespace trcost {
namespace {

constexpr double kTie = 1e-9;  // relative; far below any difference that the model means
// The runner-up is looked for this far beyond the best.
constexpr double kRunnerUpRange = 1.03;

struct Candidate {
  double bound;  ///< seconds per sequence, no layout of this kind is faster
  int structure;
  int vp;
  BatchChoice batch;
};

bool later(const Candidate& a, const Candidate& b) {
  return std::tie(a.bound, a.structure, a.vp, a.batch.micro_batch) >
         std::tie(b.bound, b.structure, b.vp, b.batch.micro_batch);
}

auto complexity(const Layout& l) {
  return std::tuple(l.pp, l.cp, l.tp, l.ep, l.vp, l.sharding, l.recompute, l.micro_batch);
}

bool same_structure(const Layout& a, const Layout& b) {
  return a.tp == b.tp && a.pp == b.pp && a.cp == b.cp && a.ep == b.ep && a.sharding == b.sharding &&
         a.recompute == b.recompute;
}

/// Time per sequence that splitting the layers and exchanging gradients only add to: the work of
/// one tensor, context and expert degree at one micro-batch, seen without a pipeline.
class Bounds {
 public:
  Bounds(const StepModel& model, double gpus) : model_(model), gpus_(gpus) {}

  double work(const Structure& s, double micro_batch) {
    for (const Entry& e : known_) {
      if (e.tp == s.tp && e.cp == s.cp && e.ep == s.ep && e.micro_batch == micro_batch) return e.work;
    }
    Layout l;
    l.tp = s.tp;
    l.cp = s.cp;
    l.ep = s.ep;
    l.dp = static_cast<int>(gpus_ / (s.tp * s.cp));
    l.micro_batch = micro_batch;
    l.global_batch = micro_batch * l.dp;
    l.sharding = Sharding::none;
    const StepTime time = model_.step(l);
    double sum = 0;
    for (const StepTerm term :
         {StepTerm::matmul_peak, StepTerm::kernel, StepTerm::attention, StepTerm::elementwise,
          StepTerm::vision, StepTerm::tensor_parallel, StepTerm::context_parallel,
          StepTerm::expert_parallel}) {
      sum += time.terms[static_cast<std::size_t>(term)];
    }
    const double lost = time.terms[static_cast<std::size_t>(StepTerm::imbalance)];
    sum *= 1 + std::max(0.0, lost / std::max(time.seconds - lost, 1e-300));
    known_.push_back({s.tp, s.cp, s.ep, micro_batch, sum / l.global_batch});
    return known_.back().work;
  }

 private:
  struct Entry {
    int tp, cp, ep;
    double micro_batch, work;
  };
  const StepModel& model_;
  double gpus_;
  std::vector<Entry> known_;
};

class Search {
 public:
  Search(const StepModel& model, const PlanRequest& request)
      : model_(model), request_(request), space_(model, request), bounds_(model, request.gpus) {}

  bool run(Plan& plan) {
    enumerate();
    std::make_heap(queue_.begin(), queue_.end(), later);
    while (!queue_.empty() && queue_.front().bound <= limit()) {
      std::pop_heap(queue_.begin(), queue_.end(), later);
      const Candidate next = queue_.back();
      queue_.pop_back();
      visit(next);
    }
    if (best_score_ == kInfinity) return false;
    plan.layout = best_;
    plan.time = best_time_;
    plan.memory = model_.memory(best_);
    if (runner_score_ < kInfinity) plan.runner_up = runner_;
    plan.runner_up_seconds = plan.runner_up ? runner_time_ : 0;
    plan.evaluated = evaluated_;
    return true;
  }

  /// The layout that comes closest to fitting; false where no layout exists at all.
  bool least_memory(Plan& plan) {
    double least = kInfinity;
    const auto consider = [&](const Structure& s, const BatchChoice& batch) {
      for (const Sharding sharding : space_.shardings()) {
        const Layout l = space_.layout(s, batch, request_.vp.value_or(1), sharding,
                                       space_.recomputes().back());
        const MemoryUse use = model_.memory(l);
        const double score = use.total * batch.penalty;
        if (score >= least) continue;
        least = score;
        plan.layout = l;
        plan.memory = use;
      }
    };
    std::vector<BatchChoice> batches;
    for (const Structure& s : space_.structures()) {
      space_.batches(s.dp, batches);
      for (const BatchChoice& batch : batches) consider(s, batch);
    }
    if (least == kInfinity) return false;
    plan.time = model_.step(plan.layout);
    plan.evaluated = evaluated_ + 1;
    return true;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  [[nodiscard]] double limit() const {
    return std::max(best_score_ * (1 + kTie),
                    std::min(runner_score_, best_score_ * kRunnerUpRange));
  }

  void enumerate() {
    structures_ = space_.structures();
    std::vector<BatchChoice> batches;
    std::vector<int> stages;
    for (std::size_t i = 0; i < structures_.size(); ++i) {
      const Structure& s = structures_[i];
      space_.batches(s.dp, batches);
      for (const BatchChoice& batch : batches) {
        const double m = batch.global_batch / (batch.micro_batch * s.dp);
        const double work = bounds_.work(s, batch.micro_batch) * batch.penalty;
        space_.virtual_stages(s, m, stages);
        for (const int vp : stages) {
          const double bubble = (s.pp - 1) / (vp * m);
          queue_.push_back({work * (1 + bubble), static_cast<int>(i), vp, batch});
        }
      }
    }
  }

  void visit(const Candidate& candidate) {
    const Structure& s = structures_[static_cast<std::size_t>(candidate.structure)];
    const bool replicated = s.dp > 1 || s.cp > 1;
    // Sharding deeper than needed is not faster with full recomputation left over either, so each
    // sharding is tried with the lightest recomputation that fits.
    for (const Sharding sharding : space_.shardings()) {
      for (const Recompute recompute : space_.recomputes()) {
        const Layout l = space_.layout(s, candidate.batch, candidate.vp, sharding, recompute);
        if (!model_.memory(l).fits) continue;
        take(l, candidate.batch.penalty);
        break;
      }
      if (!replicated) break;  // nothing to shard over
    }
  }

  void take(const Layout& l, double penalty) {
    const StepTime time = model_.step(l);
    ++evaluated_;
    const double score = time.seconds / l.global_batch * penalty;
    const bool tied = best_score_ < kInfinity && std::abs(score - best_score_) <= kTie * best_score_;
    const bool better = tied ? complexity(l) < complexity(best_) : score < best_score_;
    if (better) {
      if (best_score_ < kInfinity && !same_structure(l, best_)) {
        runner_ = best_;
        runner_score_ = best_score_;
        runner_time_ = best_time_.seconds;
      }
      best_ = l;
      best_time_ = time;
      best_score_ = score;
    } else if (score < runner_score_ && !same_structure(l, best_)) {
      runner_ = l;
      runner_score_ = score;
      runner_time_ = time.seconds;
    }
  }

  const StepModel& model_;
  const PlanRequest& request_;
  SearchSpace space_;
  Bounds bounds_;
  std::vector<Structure> structures_;
  std::vector<Candidate> queue_;
  Layout best_, runner_;
  StepTime best_time_;
  double best_score_ = kInfinity, runner_score_ = kInfinity, runner_time_ = 0;
  double evaluated_ = 0;
};

[[noreturn]] void fail_too_large(const StepModel& model, const PlanRequest& request,
                                 const Plan& least) {
  const std::string chip = model.platform().accelerator->name;
  const double most = std::max(16384.0, 64 * request.gpus);
  const double enough = smallest_cluster(model, request, most);
  throw Error(ErrorKind::no_answer,
              fmt::format("the training does not fit on {} {}: the best layout takes {:.1f} GB of "
                          "the {:.1f} GB that a plan may fill on each",
                          request.gpus, chip, least.memory.total / 1e9,
                          least.memory.capacity * model.memory_model().recipe().plan_share / 1e9),
              enough > 0 ? fmt::format("the smallest cluster that holds it has {} GPUs", enough)
                         : fmt::format("no cluster of up to {} GPUs holds it either: free a degree, "
                                       "or take an accelerator with more memory", most));
}

}  // namespace

Plan plan(const StepModel& model, const PlanRequest& request) {
  check_request(model, request);
  Search search(model, request);
  Plan result;
  if (search.run(result)) return result;
  const bool exists = search.least_memory(result);
  if (exists && (request.complete() || request.allow_too_large)) return result;
  if (exists) fail_too_large(model, request, result);
  throw Error(ErrorKind::no_answer,
              fmt::format("no layout of {} GPUs divides the model under the given degrees",
                          request.gpus),
              "leave a degree open, or change the number of GPUs");
}

}  // namespace trcost
