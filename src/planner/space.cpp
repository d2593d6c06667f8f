// SPDX-License-Identifier: Apache-2.0
#include "planner/space.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trcost {
namespace {

// Longest pipelines in published runs have 64 stages (arXiv:2205.05198, table 3).
constexpr int kMostStages = 128;
// Share of the stages' slots that have to hold a layer when the layers do not divide evenly: Llama
// 3.1 405B puts 126 layers into 16 stages of 8, 0.984.
constexpr double kLeastBalance = 0.85;
// Context parallelism pays only where a rank keeps thousands of tokens (arXiv:2407.21783, 3.3.2: 16
// ranks at 131,072 tokens).
constexpr double kLeastTokensPerContextRank = 4096;
// A given batch is left only for a layout that is much faster.
constexpr double kGivenBatchPenalty = 0.5;
constexpr double kGivenDeviationPenalty = 2;
// A default one stands for what published runs use, which differ by a factor of two at the same number
// of tokens: anything within that factor is as good, and every number of replicas up to the largest
// batch has a multiple within it. Beyond it more sequences per step train no faster, as beyond the
// critical batch size (arXiv:1812.06162, equation 2.11), so that they outweigh no layout within it.
constexpr double kFreeGrowth = 1.4142135623730951;
constexpr double kBeyondPenalty = 1.05;
// From so many micro-batches on the nearest whole number is as good as any.
constexpr double kManyMicroBatches = 4;
constexpr double kManyGroups = 4;
constexpr double kNear = 0.125;

bool divides(double whole, double part) { return std::fmod(whole, part) == 0; }

}  // namespace

SearchSpace::SearchSpace(const StepModel& model, const PlanRequest& request, Idle idle)
    : model_(model),
      request_(request),
      language_(model.workload().language),
      stack_(*model.platform().stack),
      idle_(idle),
      gpus_(std::llround(request.gpus)) {
  if (request.sharding) {
    shardings_ = {*request.sharding};
  } else {
    for (int i = 0; i < 4; ++i) {
      if (stack_.shardings[static_cast<std::size_t>(i)]) shardings_.push_back(Sharding(i));
    }
    if (shardings_.empty()) shardings_ = {Sharding::none};
  }
  if (request.recompute) {
    recomputes_ = {*request.recompute};
  } else {
    recomputes_ = {Recompute::none, Recompute::selective};
    if (!request.recompute_layers) recomputes_.push_back(Recompute::full);
  }
  largest_batch_ = request.global_batch.value_or(
      std::max(kFreeGrowth * std::max(1.0, request.batch_hint), least_batch()));
}

std::vector<int> SearchSpace::tensor_degrees() const {
  if (request_.tp) return {*request_.tp};
  std::vector<int> degrees{1};
  if (!stack_.tensor_parallel) return degrees;
  const double domain = model_.platform().system->usable_per_domain;
  for (int t = 2; t <= domain && t <= gpus_; t *= 2) {
    const bool heads = divides(language_.heads, t) &&
                       (divides(language_.kv_heads, t) || language_.kv_heads == 1 || language_.mla);
    if (heads && divides(language_.ffn, t) && divides(domain, t)) degrees.push_back(t);
  }
  return degrees;
}

ContextKind SearchSpace::context_kind() const {
  return request_.context_kind.value_or(stack_.context_kind);
}

std::vector<int> SearchSpace::context_degrees() const {
  if (request_.cp) return {*request_.cp};
  std::vector<int> degrees{1};
  if (!stack_.context_parallel) return degrees;
  const double seq = model_.workload().seq_length;
  for (int c = 2; seq / c >= kLeastTokensPerContextRank && c <= gpus_; c *= 2) {
    if (context_kind() == ContextKind::ring || divides(language_.heads, c)) degrees.push_back(c);
  }
  return degrees;
}

bool SearchSpace::pipeline_divides(int pp) const {
  if (request_.pp) return pp == *request_.pp;
  if (pp == 1) return true;
  if (!stack_.pipeline_parallel || pp > language_.layers) return false;
  return language_.layers >= kLeastBalance * pp * std::ceil(language_.layers / pp);
}

void SearchSpace::add_structures(std::vector<Structure>& out, int tp, int cp, int pp) const {
  const std::int64_t rest = gpus_ / (static_cast<std::int64_t>(tp) * cp * pp);
  Structure s{tp, pp, cp, 1, static_cast<int>(rest)};
  if (request_.dp && s.dp != *request_.dp) return;
  if (request_.ep) {
    s.ep = *request_.ep;
    out.push_back(s);
    return;
  }
  out.push_back(s);
  if (!language_.moe) return;
  const int experts = static_cast<int>(language_.moe->experts);
  const std::int64_t stage = rest * tp * cp;
  const std::int64_t etp = request_.etp.value_or(1);
  for (s.ep = 2; s.ep <= experts && s.ep <= stage; ++s.ep) {
    if (experts % s.ep == 0 && stage % (s.ep * etp) == 0) out.push_back(s);
  }
}

void SearchSpace::add_partial(std::vector<Structure>& out, Structure s) const {
  const std::int64_t rank = static_cast<std::int64_t>(s.tp) * s.cp, split = rank * s.pp;
  std::int64_t last = gpus_;
  const auto add = [&](double replicas, std::int64_t together) {
    const auto most = static_cast<std::int64_t>(std::min(replicas, static_cast<double>(gpus_ / split)));
    const std::int64_t dp = most / together * together, busy = dp * split;
    if (busy >= last || 2 * busy <= gpus_) return;
    s.dp = static_cast<int>(dp);
    out.push_back(s);
    last = busy;
  };
  const double batch = largest_batch_ / request_.micro_batch.value_or(1);
  const int experts = language_.moe ? static_cast<int>(language_.moe->experts) : 1;
  for (s.ep = request_.ep.value_or(1); s.ep <= request_.ep.value_or(experts); ++s.ep) {
    if (experts % s.ep != 0) continue;
    const std::int64_t group = static_cast<std::int64_t>(s.ep) * request_.etp.value_or(1);
    const std::int64_t together = group / std::gcd(group, rank);
    last = gpus_;
    const auto replicas = static_cast<double>(gpus_ / split);
    add(replicas, together);
    if (request_.global_batch) {
      double m = std::ceil(batch / replicas);
      while (m < batch && !divides(batch, m)) ++m;
      add(batch / m, together);
      continue;
    }
    // As many as leave each of them one more group of pp micro-batches, or one micro-batch at all.
    const double groups = std::floor(batch / (replicas * s.pp)) + 1;
    if (groups <= kManyGroups) add(std::floor(batch / (groups * s.pp)), together);
    add(batch, together);
  }
}

std::vector<Structure> SearchSpace::structures() const {
  std::vector<Structure> out;
  const int most = request_.pp ? *request_.pp : kMostStages;
  for (const int cp : context_degrees()) {
    for (const int tp : tensor_degrees()) {
      const std::int64_t left = gpus_ / (static_cast<std::int64_t>(tp) * cp);
      const bool divides_gpus = gpus_ % (static_cast<std::int64_t>(tp) * cp) == 0;
      if (!divides_gpus && idle_ == Idle::none) continue;
      // Ulysses deals the heads of a tensor rank out among the context ranks.
      if (context_kind() == ContextKind::ulysses && !divides(language_.heads, 1.0 * tp * cp)) continue;
      for (int pp = request_.pp.value_or(1); pp <= most && pp <= left; ++pp) {
        if (!pipeline_divides(pp)) continue;
        if (divides_gpus && left % pp == 0) add_structures(out, tp, cp, pp);
        if (idle_ == Idle::some) add_partial(out, {tp, pp, cp, 1, 1});
      }
    }
  }
  return out;
}

double SearchSpace::batch_penalty(double global_batch) const {
  if (request_.global_batch) {
    const double off = std::abs(global_batch / *request_.global_batch - 1);
    return off > 0 ? 1 + kGivenBatchPenalty + kGivenDeviationPenalty * off : 1;
  }
  if (global_batch > largest_batch_) return kBeyondPenalty * global_batch / largest_batch_;
  const double growth = global_batch / std::max(1.0, request_.batch_hint);
  return 1 + std::max(0.0, 1 / kFreeGrowth - growth);
}

double SearchSpace::least_batch() const {
  double pp = 1;
  if (request_.pp) {
    pp = *request_.pp;
  } else if (stack_.pipeline_parallel) {
    pp = std::min<double>(kMostStages, language_.layers);
  }
  const double replica = pp * tensor_degrees().back() * context_degrees().back();
  return request_.gpus / replica * request_.micro_batch.value_or(1);
}

void SearchSpace::batches(const Structure& s, std::vector<BatchChoice>& out) const {
  out.clear();
  const bool given = request_.global_batch.has_value();
  const double wanted = std::max(1.0, given ? *request_.global_batch : request_.batch_hint);
  const double dp = s.dp, pp = s.pp;
  const auto add = [&](double micro, double m) {
    const double batch = micro * dp * m;
    out.push_back({micro, batch, batch_penalty(batch)});
  };
  const bool groups = !given && pp > 1 && stack_.virtual_pipeline;
  const auto add_all = [&](double micro) {
    const double share = wanted / (micro * dp);
    const double nearest = std::max(1.0, std::round(share));
    const double below = std::floor(share / pp) * pp, above = below + pp;
    const double whole = share - below < above - share && below > 0 ? below : above;
    // Whole groups of p micro-batches are as good as the nearest number, where they are that near.
    if (groups && std::abs(whole / share - 1) <= kNear) return add(micro, whole);
    add(micro, nearest);
    if (given || divides(share, 1)) return;
    const double other = share > nearest ? nearest + 1 : nearest - 1;
    if (other >= 1 && share < kManyMicroBatches) add(micro, other);
    if (!groups || nearest == whole) return;
    if (below > 0 && below != other) add(micro, below);
    if (above != other) add(micro, above);
  };
  if (request_.micro_batch) return add_all(*request_.micro_batch);
  const double share = std::max(1.0, std::round(wanted / dp));
  const double most = given ? share : std::max(share, std::floor(largest_batch_ / dp));
  double micro = 1;
  for (; micro <= most; micro *= 2) add_all(micro);
  // All of a replica's sequences at once, where that is not a power of two.
  if (micro != 2 * share && share <= 64) add(share, 1);
}

void SearchSpace::virtual_stages(const Structure& structure, double micro_batches,
                                 std::vector<int>& out) const {
  out.clear();
  if (request_.vp) return out.push_back(*request_.vp);
  out.push_back(1);
  const int pp = structure.pp;
  if (pp == 1 || !stack_.virtual_pipeline || micro_batches < pp) return;
  const double most = std::ceil(language_.layers / pp);
  for (int v = 2; v <= most; ++v) {
    const double slots = static_cast<double>(v) * pp;
    if (std::ceil(language_.layers / slots) * v <= most) out.push_back(v);
  }
}

double interleaving_group(double pp, double micro_batches) {
  for (double group = pp; group <= micro_batches; ++group) {
    const double rest = std::fmod(micro_batches, group);
    if (rest == 0 || rest >= pp) return group;
  }
  return 0;
}

MemoryUse planned_memory(const StepModel& model, const Layout& layout) {
  MemoryUse use = model.memory(layout);
  const double p = layout.pp, v = layout.vp, m = layout.micro_batches();
  if (v == 1 || divides(m, p)) return use;
  const double group = interleaving_group(p, m);
  if (group == 0) return use;
  const double counted = micro_batches_in_flight(p, v, m);
  const double held = std::min(m, ((v - 1) * group + 2 * (p - 1) + 1) / v);
  if (held <= counted) return use;
  const double more = use.activations * (held / counted - 1);
  use.activations += more;
  use.total += more;
  use.fits = use.total <= use.capacity;
  return use;
}

Layout SearchSpace::layout(const Structure& s, const BatchChoice& batch, int vp, Sharding sharding,
                           Recompute recompute) const {
  Layout l;
  l.tp = s.tp;
  l.pp = s.pp;
  l.vp = vp;
  l.cp = s.cp;
  l.ep = s.ep;
  l.etp = request_.etp.value_or(0);
  l.dp = s.dp;
  l.micro_batch = batch.micro_batch;
  l.global_batch = batch.global_batch;
  l.sharding = sharding;
  l.recompute = recompute;
  l.context_kind = context_kind();
  if (recompute != Recompute::full) l.recompute_layers = request_.recompute_layers.value_or(0);
  l.sequence_parallel = request_.sequence_parallel;
  return l;
}

}  // namespace trcost
