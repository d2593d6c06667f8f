// SPDX-License-Identifier: Apache-2.0
// Best-first search: layouts in the order of a lower bound of their time, until the bound passes
// the best found.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "planner/space.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost {
namespace {

constexpr double kTie = 1e-9;  // relative; far below any difference that the model means
// The runner-up is looked for this far beyond the best, among so many structures.
constexpr double kRunnerUpRange = 1.03;
constexpr std::size_t kContenders = 8;

struct Candidate {
  double bound;  ///< seconds per sequence, no layout of this kind is faster
  double again;  ///< seconds that full recomputation adds at least
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Time per sequence that splitting the layers and exchanging gradients only add to: the work of
/// one tensor, context and expert degree at one micro-batch, seen without a pipeline.
class Bounds {
 public:
  struct Work {
    double seconds = 0;  ///< per sequence
    double again = 0;    ///< what full recomputation adds at least
  };

  Bounds(const StepModel& model, const PlanRequest& request)
      : model_(model),
        gpus_(request.gpus),
        etp_(request.etp.value_or(0)),
        context_kind_(request.context_kind.value_or(model.platform().stack->context_kind)) {}

  Work work(const Structure& s, double micro_batch) {
    const Work all = on_all(s, micro_batch);
    const double more = gpus_ / s.gpus();
    return {all.seconds * more, all.again * more};
  }

 private:
  // Were as many replicas as there are GPUs for, whole or not.
  Work on_all(const Structure& s, double micro_batch) {
    const std::tuple key(s.tp, s.cp, s.ep, micro_batch);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    Layout l;
    l.tp = s.tp;
    l.cp = s.cp;
    l.ep = s.ep;
    l.etp = etp_;
    l.context_kind = context_kind_;
    l.dp = static_cast<int>(gpus_ / (s.tp * s.cp));
    l.micro_batch = micro_batch;
    l.global_batch = micro_batch * l.dp;
    const double sequences = micro_batch * gpus_ / (s.tp * s.cp);
    l.sharding = Sharding::none;
    const StepTime time = model_.step(l);
    double sum = 0;
    for (const StepTerm term : {StepTerm::matmul_peak, StepTerm::kernel, StepTerm::attention,
                                StepTerm::elementwise, StepTerm::vision, StepTerm::tensor_parallel,
                                StepTerm::context_parallel, StepTerm::expert_parallel}) {
      sum += time.terms[static_cast<std::size_t>(term)];
    }
    const double lost = time.terms[static_cast<std::size_t>(StepTerm::imbalance)] +
                        time.terms[static_cast<std::size_t>(StepTerm::padding)];
    sum *= 1 + std::max(0.0, lost / std::max(time.seconds - lost, 1e-300));
    const double matmul = time.terms[static_cast<std::size_t>(StepTerm::matmul_peak)] +
                          time.terms[static_cast<std::size_t>(StepTerm::kernel)];
    const Work work{sum / sequences, again_share() * matmul / sequences};
    known_.emplace(key, work);
    return work;
  }

  // Forward matmuls take less than their share of the FLOPs, but not by much.
  static constexpr double kSurelyAgain = 0.8;

  double again_share() {
    if (again_share_) return *again_share_;
    const Workload& w = model_.workload();
    const TrainingFlops training = training_flops(w);
    again_share_ = 0;
    if (training.language_dgrad > 0) {
      again_share_ = kSurelyAgain * forward_flops(w).layers_gemm / training.total();
    }
    return *again_share_;
  }

  std::optional<double> again_share_;  ///< computed when first needed
  const StepModel& model_;
  double gpus_;
  int etp_;
  ContextKind context_kind_;
  std::map<std::tuple<int, int, int, double>, Work> known_;
};

class Search {
 public:
  Search(const StepModel& model, const PlanRequest& request, Idle idle, double margin)
      : model_(model),
        request_(request),
        filled_(1 - margin),
        space_(model, request, idle),
        bounds_(model, request) {}

  bool run(Plan& plan) {
    contenders_.reserve(kContenders + 1);
    enumerate();
    std::make_heap(queue_.begin(), queue_.end(), later);
    while (!queue_.empty() && queue_.front().bound <= limit()) {
      std::pop_heap(queue_.begin(), queue_.end(), later);
      const Candidate next = queue_.back();
      queue_.pop_back();
      visit(next);
    }
    plan.evaluated = evaluated_;
    plan.considered = considered_;
    if (contenders_.empty()) return false;
    const Contender& best = contenders_.front();
    plan.layout = best.layout;
    plan.time = best.time;
    plan.memory = planned_memory(model_, plan.layout);
    plan.runner_up.reset();
    plan.runner_up_seconds = 0;
    // One that is faster in steps that cost more tokens, or with more kinds of parallelism, is not
    // the second best.
    for (std::size_t i = 1; i < contenders_.size() && !plan.runner_up; ++i) {
      const Contender& other = contenders_[i];
      if (other.layout.gpus() != best.layout.gpus()) continue;
      if (per_sequence(other) < per_sequence(best)) continue;
      plan.runner_up = other.layout;
      plan.runner_up_seconds = other.time.seconds;
    }
    return true;
  }

  /// The layout that comes closest to fitting; false where no layout exists at all.
  bool least_memory(Plan& plan) {
    double least = kInfinity;
    double tried = 0;
    const auto consider = [&](const Structure& s, const BatchChoice& batch) {
      if (++tried > kMostConsidered) return;
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
    };
    std::vector<BatchChoice> batches;
    for (const Structure& s : space_.structures()) {
      space_.batches(s, batches);
      for (const BatchChoice& batch : batches) consider(s, batch);
    }
    if (least == kInfinity) return false;
    plan.time = model_.step(plan.layout);
    plan.evaluated = evaluated_ + 1;
    return true;
  }

 private:
  /// The best layout so far of one structure.
  struct Contender {
    Layout layout;
    StepTime time;
    double score = 0;
  };

  static double per_sequence(const Contender& c) { return c.time.seconds / c.layout.global_batch; }

  [[nodiscard]] double best_score() const {
    return contenders_.empty() ? kInfinity : contenders_.front().score;
  }

  // Whatever scores worse is neither the best nor the runner-up.
  [[nodiscard]] double limit() const {
    const double best = best_score();
    double runner_up = kInfinity;
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
      if (per_sequence(contenders_[i]) < per_sequence(contenders_.front())) continue;
      runner_up = contenders_[i].score;
      break;
    }
    return std::max(best * (1 + kTie), std::min(runner_up, best * kRunnerUpRange));
  }

  void enumerate() {
    structures_ = space_.structures();
    too_large_.assign(structures_.size(), kInfinity);
    std::vector<BatchChoice> batches;
    std::vector<int> stages;
    for (std::size_t i = 0; i < structures_.size(); ++i) {
      const Structure& s = structures_[i];
      space_.batches(s, batches);
      for (const BatchChoice& batch : batches) {
        const double m = batch.global_batch / (batch.micro_batch * s.dp);
        space_.virtual_stages(s, m, stages);
        // A layout given in full has nothing to be compared with.
        const bool alone = structures_.size() == 1 && batches.size() == 1 && stages.size() == 1 &&
                           request_.sharding && request_.recompute;
        const Bounds::Work work = alone ? Bounds::Work{} : bounds_.work(s, batch.micro_batch);
        for (const int vp : stages) {
          if (considered_ >= kMostConsidered) return;
          ++considered_;
          const double bubble = (s.pp - 1) / (vp * m);
          BatchChoice weighed = batch;
          weighed.penalty *= simplicity(s, vp, request_.gpus);
          queue_.push_back({work.seconds * (1 + bubble) * weighed.penalty,
                            work.again * weighed.penalty, static_cast<int>(i), vp, weighed});
        }
      }
    }
  }

  void visit(const Candidate& candidate) {
    const auto index = static_cast<std::size_t>(candidate.structure);
    if (candidate.batch.micro_batch >= too_large_[index]) return;
    const Structure& s = structures_[index];
    // GPUs stay idle for the best layout, not for the runner-up.
    if (s.gpus() < request_.gpus && candidate.bound > best_score() * (1 + kTie)) return;
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

  /// Evaluates a sharding with the lightest recomputation that fits; false where none does.
  bool try_sharding(const Candidate& candidate, const Structure& s, Sharding sharding) {
    const std::vector<Recompute>& modes = space_.recomputes();
    const auto at = [&](Recompute recompute) {
      return space_.layout(s, candidate.batch, candidate.vp, sharding, recompute);
    };
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const bool last = i + 1 == modes.size();
      const double more = modes[i] == Recompute::full ? candidate.again : 0;
      const Layout l = at(modes[i]);
      if (holds(l)) {
        if (candidate.bound + more <= limit()) take(l, candidate.batch.penalty);
        return true;
      }
      // Where the most thorough recomputation does not help, nothing between helps.
      if (i == 0 && !last && !holds(at(modes.back()))) return false;
      const Layout partly = with_recomputed_layers(l);
      const double again = recomputed_share(partly, layers());
      if (again > 0 && again != recomputed_share(l, layers()) &&
          candidate.bound + again * candidate.again <= limit()) {
        take(partly, candidate.batch.penalty);
      }
    }
    return false;
  }

  [[nodiscard]] bool holds(const Structure& s, const BatchChoice& batch, int vp) const {
    const std::vector<Sharding>& all = space_.shardings();
    return std::any_of(all.begin(), all.end(), [&](Sharding sharding) {
      return holds(space_.layout(s, batch, vp, sharding, space_.recomputes().back()));
    });
  }

  /// Whether a layout leaves the margin free.
  [[nodiscard]] bool holds(const Layout& l) const {
    const MemoryUse use = planned_memory(model_, l);
    return use.total <= use.capacity * filled_;
  }

  [[nodiscard]] double layers() const { return model_.workload().language.layers; }

  /// As few recomputed layers as fit, where the stack chooses single layers and the request leaves
  /// it open; unchanged where that does not help.
  [[nodiscard]] Layout with_recomputed_layers(const Layout& l) const {
    if (request_.recompute || request_.recompute_layers || !model_.platform().stack->partial_recompute ||
        l.recompute == Recompute::full) {
      return l;
    }
    Layout full = l;
    full.recompute = Recompute::full;
    const MemoryUse most = planned_memory(model_, l);
    const MemoryUse least = planned_memory(model_, full);
    const double room = most.capacity * filled_;
    if (least.total >= room) return l;
    const double layers = layers_of_stage(l, this->layers());
    const double needed = (most.total - room) / (most.total - least.total);
    Layout partly = l;
    partly.recompute_layers = static_cast<int>(std::min(layers, std::ceil(needed * layers)));
    return partly;
  }

  void take(const Layout& l, double penalty) {
    const StepTime time = model_.step(l);
    ++evaluated_;
    add({l, time, time.seconds / l.global_batch * penalty});
  }

  static bool better(const Contender& a, const Contender& b) {
    const bool tied = std::abs(a.score - b.score) <= kTie * b.score;
    return tied ? complexity(a.layout) < complexity(b.layout) : a.score < b.score;
  }

  // Keeps the best of each structure, in order.
  void add(const Contender& found) {
    const auto same = std::find_if(contenders_.begin(), contenders_.end(), [&](const Contender& c) {
      return same_structure(c.layout, found.layout);
    });
    if (same != contenders_.end()) {
      if (!better(found, *same)) return;
      contenders_.erase(same);
    }
    const auto after = std::find_if(contenders_.begin(), contenders_.end(),
                                    [&](const Contender& c) { return better(found, c); });
    contenders_.insert(after, found);
    if (contenders_.size() > kContenders) contenders_.pop_back();
  }

  const StepModel& model_;
  const PlanRequest& request_;
  double filled_;  ///< share of the capacity that a layout may take
  SearchSpace space_;
  Bounds bounds_;
  std::vector<Structure> structures_;
  std::vector<double> too_large_;  ///< by structure: the least micro-batch that fits nowhere
  std::vector<Candidate> queue_;
  std::vector<Contender> contenders_;  ///< of different structures, the best first
  double evaluated_ = 0, considered_ = 0;
};

[[noreturn]] void fail_too_large(const StepModel& model, const PlanRequest& request,
                                 const Plan& least) {
  const std::string chip = model.platform().accelerator->name;
  const double most = std::min(1e7, std::max(16384.0, 64 * request.gpus));
  const double enough = smallest_cluster(model, request, most);
  throw Error(
      ErrorKind::no_answer,
      fmt::format("the training does not fit on {} {}: the best layout takes {} of the {} "
                  "that a plan may fill on each",
                  format_exact(request.gpus), chip,
                  format_number(least.memory.total, NumberKind::bytes),
                  format_number(least.memory.capacity, NumberKind::bytes)),
      enough > 0
          ? fmt::format("the smallest cluster that holds it has {} GPUs", format_exact(enough))
          : fmt::format("no cluster of up to {} GPUs holds it either: free a degree, "
                        "or take an accelerator with more memory",
                        format_exact(most)));
}

// A question of degrees that contradict the cluster is malformed; otherwise no layout is an answer.
[[noreturn]] void fail_indivisible(const PlanRequest& r) {
  std::string chain;
  double product = 1;
  const std::pair<std::string_view, std::optional<int>> given[] = {
      {"tp", r.tp}, {"pp", r.pp}, {"cp", r.cp}, {"dp", r.dp}};
  for (const auto& [name, degree] : given) {
    if (!degree) continue;
    chain += fmt::format("{}{} {}", chain.empty() ? "" : " x ", name, *degree);
    product *= *degree;
  }
  const std::string gpus = format_exact(r.gpus);
  if (chain.empty()) {
    throw Error(ErrorKind::no_answer, fmt::format("no layout of {} GPUs divides the model", gpus),
                "change the number of GPUs");
  }
  const double rest = r.gpus / product;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} = {}, but there are {} GPUs, and no degree left open takes the factor "
                  "{}",
                  chain, format_exact(product), gpus, format_exact(rest)),
      r.dp ? fmt::format("--dp {} would use them all", format_exact(*r.dp * rest))
           : "change a degree, or the number of GPUs",
      "--gpus");
}

}  // namespace

namespace {

// What only a chosen layout says: the experts' split, and whether it leaves the margin free.
Plan told(const StepModel& model, const PlanRequest& request, Plan plan) {
  const bool experts = model.workload().language.moe.has_value();
  const auto resolve = [&](Layout& l) { l.etp = experts ? expert_tensor_parallel(l) : 0; };
  resolve(plan.layout);
  if (plan.runner_up) resolve(*plan.runner_up);
  MemoryUse& use = plan.memory;
  use.tight = use.fits && use.total > use.capacity * (1 - request.memory_margin);
  return plan;
}

// The best layout that leaves the margin free, else the best that fits.
bool search(const StepModel& model, const PlanRequest& request, Idle idle, Plan& plan) {
  if (Search(model, request, idle, request.memory_margin).run(plan)) return true;
  return request.memory_margin > 0 && Search(model, request, idle, 0).run(plan);
}

}  // namespace

Plan plan(const StepModel& model, const PlanRequest& asked) {
  check_request(model, asked);
  PlanRequest request = asked;
  request.gpus = asked.busy();
  Plan result;
  if (search(model, request, Idle::none, result)) return told(model, request, result);
  const bool exists = Search(model, request, Idle::none, 0).least_memory(result);
  if (exists && (request.complete() || request.allow_too_large)) {
    return told(model, request, result);
  }
  if (exists) fail_too_large(model, request, result);
  fail_indivisible(request);
}

Plan plan_with_idle(const StepModel& model, const PlanRequest& request) {
  if (request.complete() || request.dp) return plan(model, request);
  check_request(model, request);
  Plan result;
  if (search(model, request, Idle::some, result)) return told(model, request, result);
  return plan(model, request);  // says why nothing fits
}

}  // namespace trcost
