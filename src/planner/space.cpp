// SPDX-License-Identifier: Apache-2.0
#include "planner/space.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "catalog/layout/layout.h"
#include "catalog/software/stacks.h"

namespace trcost::planner {
namespace {

// Least share of the stages' slots with a layer if layers do not divide evenly: Llama 3.1 405B puts
// 126 layers into 16 stages of 8, 0.984.
constexpr double kLeastBalance = 0.85;
// Stages up to which powers of two are tried whatever the number of layers.
constexpr int kAnyLayers = 8;
// Least tokens of a rank for which context parallelism pays (arXiv:2407.21783, 3.3.2: 16
// ranks at 131,072 tokens).
constexpr double kLeastTokensPerContextRank = 4096;
// Stages per rank in published runs: at most 16 (Nemotron-4 340B 8, arXiv:2402.16819, while the
// interleaving of Llama 3 405B, arXiv:2407.21783, reaches 8).
constexpr int kMostStagesPerRank = 16;

// Numbers of replicas considered that share a given batch evenly: four halvings if the batch is a
// power of two.
constexpr int kMostShares = 5;

// Tensor ranks that a search spreads over hosts with fewer GPUs.
constexpr double kTensorOverHosts = 8;

// Replicas of which any number is tried.
constexpr double kFewReplicas = 4;

// Whether a search tries a sharding. Hybrid sharding is only used on request.
bool is_searched(Sharding sharding) {
  return sharding != Sharding::hybrid;
}

std::int64_t whole(double number) {
  return static_cast<std::int64_t>(number);
}

// Published batches are about an eighth of the critical ones (tests/planner/test_batch.cpp).
constexpr double kUsualShare = 8;

std::vector<double> divisors_of_count(double whole) {
  std::vector<double> out;
  for (double d = 1; d * d <= whole; ++d) {
    if (!divides(whole, d)) continue;
    out.push_back(d);
    if (d * d != whole) out.push_back(whole / d);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Fixes degrees that the stack lacks at 1.
PlanRequest restrict_to_stack(PlanRequest request, const Stack& stack) {
  for (const Dimension& each : kDimensions) {
    std::optional<int>& degree = request.*each.given;
    if (!stack.can(each) && !degree) degree = 1;
  }
  return request;
}

}  // namespace

bool tensor_divides(const LanguageModel& model, double tp) {
  if (!divides(model.heads, tp)) return false;
  return divides(model.kv_heads, tp) || divides(tp, model.kv_heads) || model.mla;
}

bool divides(double whole, double part) {
  return std::fmod(whole, part) == 0;
}

SearchSpace::SearchSpace(const StepModel& model, const PlanRequest& request, Idle idle)
    : model_(model),
      request_(restrict_to_stack(request, *model.platform().stack)),
      language_(model.workload().language),
      layers_(model.pipeline_layers().count()),
      stack_(*model.platform().stack),
      idle_(idle),
      gpus_(std::llround(request.gpus)) {
  if (request.sharding) {
    shardings_ = {*request.sharding};
  } else {
    for (const auto& [word, sharding] : kShardings) {
      if (is_searched(sharding) && stack_.can(sharding)) {
        shardings_.push_back(sharding);
      }
    }
    if (shardings_.empty()) shardings_ = {Sharding::none};
  }
  if (request.recompute) {
    recomputes_ = {*request.recompute};
  } else {
    recomputes_ = {Recompute::none, Recompute::selective};
    if (!request.recompute_layers) recomputes_.push_back(Recompute::full);
  }
  wanted_ = std::max(1.0, request.global_batch.value_or(request.batch_hint));
  critical_ = request.critical_batch.value_or(kUsualShare * wanted_);
  largest_ = largest_batch();
  if (request.global_batch && idle == Idle::some) {
    divisors_ = divisors_of_count(wanted_ / request.micro_batch.value_or(1));
  }
}

std::vector<int> SearchSpace::tensor_degrees() const {
  if (request_.tp) return {*request_.tp};
  std::vector<int> degrees{1};
  const double domain = model_.platform().system->usable_per_domain;
  for (int t = 2; t <= std::max(domain, kTensorOverHosts) && t <= gpus_; t *= 2) {
    const bool aligned = t <= domain ? divides(domain, t) : divides(t, domain);
    if (aligned && tensor_divides(language_, t) && divides(language_.ffn, t)) degrees.push_back(t);
  }
  return degrees;
}

ContextKind SearchSpace::context_kind() const {
  return request_.context_kind.value_or(stack_.context_kind);
}

std::vector<int> SearchSpace::context_degrees() const {
  if (request_.cp) return {*request_.cp};
  std::vector<int> degrees{1};
  const double seq = model_.workload().seq_length;
  for (int c = 2; seq / c >= kLeastTokensPerContextRank && c <= gpus_; c *= 2) {
    if (context_kind() == ContextKind::ring || divides(language_.heads, c)) degrees.push_back(c);
  }
  return degrees;
}

bool SearchSpace::pipeline_divides(int pp) const {
  if (request_.pp) return pp == *request_.pp;
  if (pp == 1) return true;
  if (pp > layers_) return false;
  if (pp <= kAnyLayers && is_power_of_two(static_cast<std::uint64_t>(pp))) return true;
  return layers_ >= kLeastBalance * pp * std::ceil(layers_ / pp);
}

// A stage narrower than a domain has to divide it, or groups of some stage would span two domains.
bool SearchSpace::stage_divides(std::int64_t ranks, int pp) const {
  const auto domain = static_cast<std::int64_t>(model_.platform().system->usable_per_domain);
  if (pp == 1 || request_.pp || ranks * pp <= domain || ranks >= domain) return true;
  return domain % ranks == 0;
}

int SearchSpace::whole_replicas(const Structure& s, double most) const {
  const std::int64_t rank = static_cast<std::int64_t>(s.tp) * s.cp;
  const std::int64_t group = static_cast<std::int64_t>(s.ep) * request_.etp.value_or(1);
  const std::int64_t together = group / std::gcd(group, rank);
  std::int64_t dp = whole(most) / together * together;
  while (dp > 0 && !stage_divides(dp * rank, s.pp)) dp -= together;
  return static_cast<int>(dp);
}

void SearchSpace::add_full(std::vector<Structure>& out, Structure s) const {
  const std::int64_t split = whole(s.gpus());
  if (gpus_ % split != 0) return;
  s.dp = static_cast<int>(gpus_ / split);
  if (request_.dp && s.dp != *request_.dp) return;
  // Ranks of an expert group are in one stage.
  const std::int64_t stage = gpus_ / s.pp;
  const std::int64_t group = static_cast<std::int64_t>(s.ep) * request_.etp.value_or(1);
  if (stage % group == 0 && stage_divides(stage, s.pp)) out.push_back(s);
}

void SearchSpace::add_partial(std::vector<Structure>& out, Structure s) const {
  const std::int64_t split = whole(s.gpus());
  std::int64_t last = gpus_;
  std::vector<double> counts;
  const auto most = static_cast<double>(gpus_ / split);
  partial_replicas(s.pp, most, counts);
  for (const double replicas : counts) {
    s.dp = whole_replicas(s, std::min(replicas, most));
    const std::int64_t busy = s.dp * split;
    if (busy < 1 || busy >= last) continue;
    out.push_back(s);
    last = busy;
  }
}

void SearchSpace::partial_replicas(int pp, double most, std::vector<double>& out) const {
  out = {most};
  const double micro = request_.micro_batch.value_or(1);
  const double usual = wanted_ / micro, largest = largest_ / micro;
  if (request_.global_batch) {
    // Most replicas that share the batch evenly. Fewer have more micro-batches to fill a pipeline.
    auto count = std::lower_bound(divisors_.begin(), divisors_.end(), std::ceil(usual / most));
    for (int i = 0; i < kMostShares && count != divisors_.end(); ++i, ++count) {
      out.push_back(usual / *count);
    }
    // Where the model fits no smaller batch, a multiple of it.
    if (most > usual) out.push_back(usual * std::floor(most / usual));
    std::sort(out.begin(), out.end(), std::greater<>());
    return;
  }
  // As many as share the usual or the largest batch evenly, in few groups of pp micro-batches, or
  // in few micro-batches at all.
  constexpr double kManyGroups = 2;
  for (const double batch : {usual, largest}) {
    out.push_back(std::floor(batch / std::ceil(batch / most)));
    for (double groups = 1; groups <= kManyGroups; ++groups) {
      if (groups * pp * most >= batch) out.push_back(std::floor(batch / (groups * pp)));
      if (groups * most >= batch) out.push_back(std::floor(batch / groups));
    }
  }
  for (double few = 1; few < std::min(most, kFewReplicas); ++few) out.push_back(few);
  std::sort(out.begin(), out.end(), std::greater<>());
}

std::vector<Structure> SearchSpace::partitions() const {
  std::vector<Structure> out;
  const int experts = language_.moe ? static_cast<int>(language_.moe->experts) : 1;
  for (const int cp : context_degrees()) {
    for (const int tp : tensor_degrees()) {
      // Ulysses partitions the heads of a tensor rank among the context ranks.
      if (context_kind() == ContextKind::ulysses && !divides(language_.heads, 1.0 * tp * cp))
        continue;
      Structure s = request_.or_default();
      s.tp = tp;
      s.cp = cp;
      s.dp = 1;
      const double most = std::min<double>(request_.pp.value_or(kMostStages),
                                           std::floor(request_.gpus / (1.0 * tp * cp)));
      for (s.pp = request_.pp.value_or(1); s.pp <= most; ++s.pp) {
        if (request_.recompute_layers.value_or(0) > std::ceil(layers_ / s.pp)) break;
        if (!pipeline_divides(s.pp)) continue;
        for (s.ep = request_.ep.value_or(1); s.ep <= request_.ep.value_or(experts); ++s.ep) {
          if (request_.ep || experts % s.ep == 0) out.push_back(s);
        }
      }
    }
  }
  return out;
}

std::vector<Structure> SearchSpace::structures() const {
  std::vector<Structure> out;
  for (const Structure& s : partitions()) {
    add_full(out, s);
    if (idle_ == Idle::some) add_partial(out, s);
  }
  return out;
}

void SearchSpace::virtual_stages(const Structure& structure, double micro_batches,
                                 std::vector<int>& out) const {
  out.clear();
  if (request_.vp) return out.push_back(*request_.vp);
  out.push_back(1);
  const int pp = structure.pp;
  if (pp == 1 || micro_batches < pp) return;
  const double most = std::ceil(layers_ / pp);
  for (int v = 2; v <= most && v <= kMostStagesPerRank; ++v) {
    const double slots = static_cast<double>(v) * pp;
    if (std::ceil(layers_ / slots) * v <= most) out.push_back(v);
  }
}

double SearchSpace::most_virtual_stages(const Structure& structure, double micro_batches) const {
  if (request_.vp) return *request_.vp;
  if (structure.pp == 1 || micro_batches < structure.pp) return 1;
  return std::min<double>(kMostStagesPerRank, std::ceil(layers_ / structure.pp));
}

Layout SearchSpace::layout(const Structure& s, const BatchChoice& batch, int vp, Sharding sharding,
                           Recompute recompute) const {
  Layout l;
  static_cast<LayoutDegrees&>(l) = s;
  l.vp = vp;
  l.micro_batch = batch.micro_batch;
  l.global_batch = batch.global_batch;
  l.sharding = sharding;
  l.recompute = recompute;
  l.context_kind = context_kind();
  if (recompute != Recompute::full) l.recompute_layers = request_.recompute_layers.value_or(0);
  l.sequence_parallel = request_.sequence_parallel;
  return l;
}

}  // namespace trcost::planner
