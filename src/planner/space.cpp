// SPDX-License-Identifier: Apache-2.0
#include "planner/space.h"

#include <algorithm>
#include <cmath>

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
// A given batch is left only for a layout that is much faster; a default one is a round number.
constexpr double kGivenBatchPenalty = 0.5;
constexpr double kFreeDeviation = 0.125;
constexpr double kDeviationPenalty = 2;

bool divides(double whole, double part) { return std::fmod(whole, part) == 0; }

}  // namespace

SearchSpace::SearchSpace(const StepModel& model, const PlanRequest& request)
    : model_(model),
      request_(request),
      language_(model.workload().language),
      stack_(*model.platform().stack),
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
    recomputes_ = {Recompute::none, Recompute::selective, Recompute::full};
  }
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

std::vector<int> SearchSpace::context_degrees() const {
  if (request_.cp) return {*request_.cp};
  std::vector<int> degrees{1};
  if (!stack_.context_parallel) return degrees;
  const double seq = model_.workload().seq_length;
  for (int c = 2; seq / c >= kLeastTokensPerContextRank && c <= gpus_; c *= 2) degrees.push_back(c);
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
  for (s.ep = 2; s.ep <= experts && s.ep <= stage; ++s.ep) {
    if (experts % s.ep == 0 && stage % s.ep == 0) out.push_back(s);
  }
}

std::vector<Structure> SearchSpace::structures() const {
  std::vector<Structure> out;
  const int most = request_.pp ? *request_.pp : kMostStages;
  for (const int cp : context_degrees()) {
    for (const int tp : tensor_degrees()) {
      const std::int64_t left = gpus_ / (static_cast<std::int64_t>(tp) * cp);
      if (gpus_ % (static_cast<std::int64_t>(tp) * cp) != 0) continue;
      for (int pp = request_.pp.value_or(1); pp <= most && pp <= left; ++pp) {
        if (left % pp == 0 && pipeline_divides(pp)) add_structures(out, tp, cp, pp);
      }
    }
  }
  return out;
}

void SearchSpace::batches(double dp, std::vector<BatchChoice>& out) const {
  out.clear();
  const bool given = request_.global_batch.has_value();
  const double wanted = std::max(1.0, given ? *request_.global_batch : request_.batch_hint);
  const auto add = [&](double micro) {
    const double unit = micro * dp;
    const double batch = unit * std::max(1.0, std::round(wanted / unit));
    const double off = std::abs(batch / wanted - 1);
    double penalty = 1;
    if (given && off > 0) penalty += kGivenBatchPenalty + kDeviationPenalty * off;
    if (!given) penalty += kDeviationPenalty * std::max(0.0, off - kFreeDeviation);
    out.push_back({micro, batch, penalty});
  };
  if (request_.micro_batch) return add(*request_.micro_batch);
  const double share = std::max(1.0, std::round(wanted / dp));
  double micro = 1;
  for (; micro <= share; micro *= 2) add(micro);
  // All of a replica's sequences at once, where that is not a power of two.
  if (micro != 2 * share && share <= 64) add(share);
}

void SearchSpace::virtual_stages(const Structure& structure, double micro_batches,
                                 std::vector<int>& out) const {
  out.clear();
  if (request_.vp) return out.push_back(*request_.vp);
  out.push_back(1);
  const int pp = structure.pp;
  // The interleaved schedule works on groups of pp micro-batches (arXiv:2104.04473, section 2.2).
  if (pp == 1 || !stack_.virtual_pipeline || !divides(micro_batches, pp)) return;
  for (int v = 2; static_cast<double>(v) * pp <= std::ceil(language_.layers / pp) * pp; ++v) {
    const double slots = static_cast<double>(v) * pp;
    if (language_.layers >= 0.95 * slots * std::ceil(language_.layers / slots)) out.push_back(v);
  }
}

Layout SearchSpace::layout(const Structure& s, const BatchChoice& batch, int vp, Sharding sharding,
                           Recompute recompute) const {
  Layout l;
  l.tp = s.tp;
  l.pp = s.pp;
  l.vp = vp;
  l.cp = s.cp;
  l.ep = s.ep;
  l.dp = s.dp;
  l.micro_batch = batch.micro_batch;
  l.global_batch = batch.global_batch;
  l.sharding = sharding;
  l.recompute = recompute;
  l.sequence_parallel = request_.sequence_parallel;
  return l;
}

}  // namespace trcost
