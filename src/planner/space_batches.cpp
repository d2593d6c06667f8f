// SPDX-License-Identifier: Apache-2.0
// Batches that a search considers, and penalties of batches and layouts.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "catalog/layout/layout.h"
#include "planner/batch.h"
#include "planner/space.h"

namespace trcost::planner {
namespace {

// Weights of the search are choices that tests/planner checks by their effect: a larger cluster is
// never slower, and published layouts rank near the top.
//
// Deviation within which a batch is the given one. Farther ones are for models that fit no other
// way, so that one more GPU never decides between a given batch and a faster one.
constexpr double kSameBatch = 1e-4;
constexpr double kDeviationPenalty = 2;
// Weight of a batch's cost in tokens. It is small so that a larger cluster never takes longer.
// Batches are limited by a bound that grows with the cluster, so that the best time only falls.
constexpr double kTokenWeight = 0.2;
// Growth of the usual batch within which most numbers of replicas have a multiple.
constexpr double kFreeGrowth = 1.25;
// Penalty of batches above the bound, which are for models that fit no other way.
constexpr double kTooLarge = 100;
// Length of a sequence that no published run partitions for speed (arXiv:2407.21783, table 4).
constexpr double kShortSequence = 8192;
// Number of micro-batches from which the nearest whole number is as good as any.
constexpr double kManyMicroBatches = 4;
// Distance within which whole groups of p micro-batches are as good as the nearest number.
constexpr double kNear = 0.125;
// Micro-batches per stage that fill a pipeline, beyond which a longer batch is not worth its
// tokens.
constexpr double kFullPipeline = 4;
// Largest micro-batch over the sequences of a replica.
constexpr double kLargerMicroBatch = 4;

// Published layouts have as few kinds of parallelism as they can, degrees that are powers of two,
// and few stages on a rank: Llama 3 (arXiv:2407.21783, table 4), Megatron-LM (arXiv:2104.04473,
// table 1).
constexpr double kTensor = 0.004;
constexpr double kPipeline = 0.014;
constexpr double kContext = 0.005;
constexpr double kOddDegree = 0.004;
constexpr double kStagesPerRank = 0.001;  // for each doubling
constexpr double kIdle = 0.014;
constexpr double kWideShards = 0.014;  // in place of a pipeline
// Most in all, so that a larger cluster takes no more than 2 % longer than a smaller one.
constexpr double kMost = 0.018;

// The largest divisor of a whole number up to each power of two, into `out`, and its largest parts.
void divisors_near_powers(double whole, std::vector<double>& out) {
  constexpr double kLargest = 64, kMostParts = 8;
  const auto add = [&](double divisor) {
    if (std::ranges::find(out, divisor) == out.end()) out.push_back(divisor);
  };
  for (double power = 1; power <= std::min(whole, kLargest); power *= 2) {
    double divisor = power;
    while (!divides(whole, divisor)) --divisor;
    add(divisor);
  }
  for (double power = 2 * kLargest; power <= whole && divides(whole, power); power *= 2) add(power);
  for (double parts = 1; parts <= kMostParts; ++parts) {
    if (divides(whole, parts)) add(whole / parts);
  }
}

bool power_of_two(double x) {
  const auto whole = static_cast<std::uint64_t>(x);
  return static_cast<double>(whole) == x && is_power_of_two(whole);
}

bool power_of_two(int degree) {
  return is_power_of_two(static_cast<std::uint64_t>(degree));
}

}  // namespace

namespace {

double complexity(const LayoutDegrees& s, int vp, double gpus) {
  double more = 0;
  if (s.tp > 1) more += kTensor;
  if (s.pp > 1) more += kPipeline;
  if (s.cp > 1) more += kContext;
  if (!power_of_two(s.tp) || !power_of_two(s.pp) || !power_of_two(s.cp)) more += kOddDegree;
  for (int v = 1; v < vp; v *= 2) more += kStagesPerRank;
  if (s.gpus() < gpus) more += kIdle;
  return more;
}

}  // namespace

double complexity_penalty(const Structure& s, int vp, double gpus) {
  return 1 + std::min(kMost, complexity(s, vp, gpus));
}

double layout_penalty(const Layout& l, double gpus, double domain) {
  const bool wide = l.sharding == Sharding::parameters && l.dp * l.cp * l.tp > domain;
  const double more = complexity(l, l.vp, gpus) + (wide && l.pp == 1 ? kWideShards : 0);
  return 1 + std::min(kMost, more);
}

double SearchSpace::largest_batch() const {
  const double domain = model_.platform().system->usable_per_domain;
  double tp = 1;
  for (const int each : tensor_degrees()) {
    if (request_.tp || each <= domain) tp = each;
  }
  const double cp = context_degrees().back();
  const double micro = request_.micro_batch.value_or(1);
  // One micro-batch of the finest tensor split for each GPU fills every pipeline: m = p.
  const double long_sequence =
      std::min(cp, std::max(1.0, model_.workload().seq_length / kShortSequence));
  const double filled = request_.gpus / (tp * long_sequence) * micro;
  double pp = 1;
  if (request_.pp) {
    pp = *request_.pp;
  } else {
    pp = std::min<double>(kMostStages, layers_);
  }
  const double least = request_.gpus / (tp * cp * pp) * micro;
  return std::max({kFreeGrowth * wanted_, filled, least});
}

double SearchSpace::batch_penalty(double global_batch) const {
  if (request_.global_batch) {
    const double off = std::abs(global_batch / *request_.global_batch - 1);
    return off <= kSameBatch ? 1 + off : kTooLarge * (1 + kDeviationPenalty * off);
  }
  const double cost = batch_cost(global_batch, wanted_, critical_);
  if (global_batch <= wanted_) return cost;
  return global_batch <= largest_ ? 1 + kTokenWeight * (cost - 1) : kTooLarge * cost;
}

void SearchSpace::micro_batch_counts(double share, double most, const Structure& s,
                                     std::vector<double>& out) const {
  const bool given = request_.global_batch.has_value();
  const double nearest = std::max(1.0, std::round(share)), pp = s.pp;
  out = {nearest};
  if (given) return;
  const auto add = [&](double m) {
    if (m >= 1 && std::find(out.begin(), out.end(), m) == out.end()) out.push_back(m);
  };
  if (pp > 1 && stack_.can(dimension_of(&LayoutDegrees::vp))) {
    const double below = std::floor(share / pp) * pp, above = below + pp;
    const double whole = share - below < above - share && below > 0 ? below : above;
    if (std::abs(whole / share - 1) <= kNear) {
      out = {whole};
    } else {
      add(below);
      add(above);
    }
  }
  if (share < kManyMicroBatches && !divides(share, 1)) {
    add(std::floor(share));
    add(std::ceil(share));
  }
  // Larger batches shorten the bubble or the exchange of gradients.
  for (double m = 1; m <= kFullPipeline * pp; m *= 2) {
    if (m > share) add(m);
  }
  if (share < kFullPipeline * pp) add(std::floor(most));
}

void SearchSpace::micro_batches(const Structure& s, std::vector<double>& out) const {
  out.clear();
  if (request_.micro_batch) return out.push_back(*request_.micro_batch);
  const double share = std::max(1.0, std::round(wanted_ / s.dp));
  const double most =
      request_.global_batch
          ? share
          : std::max({1.0, kLargerMicroBatch * wanted_ / s.dp, std::floor(largest_ / s.dp)});
  if (request_.global_batch && divides(wanted_, s.dp)) return divisors_near_powers(share, out);
  for (double micro = 1; micro <= most; micro *= 2) out.push_back(micro);
  // All of a replica's sequences at once, if that is not a power of two, and either whole number
  // next to the usual share, and the largest within free growth, which costs little if the host
  // limits the speed.
  const double exact = wanted_ / s.dp;
  for (const double all : {std::floor(exact), std::ceil(exact), std::floor(kFreeGrowth * exact)}) {
    const bool known = divides(64, all) || std::ranges::find(out, all) != out.end();
    if (all >= 1 && all <= 64 && !known) out.push_back(all);
  }
}

double SearchSpace::largest_micro_batch(const Structure& s) const {
  const double exact = wanted_ / s.dp;
  return request_.micro_batch.value_or(
      std::ceil(std::max({1.0, kLargerMicroBatch * exact, largest_ / s.dp})));
}

void SearchSpace::batches(const Structure& s, std::vector<BatchChoice>& out) const {
  out.clear();
  std::vector<double> micros, counts;
  micro_batches(s, micros);
  for (const double micro : micros) {
    const double share = wanted_ / (micro * s.dp);
    if (!request_.micro_batch && !request_.global_batch && !power_of_two(micro)) {
      counts = {1};
    } else {
      micro_batch_counts(share, largest_ / (micro * s.dp), s, counts);
    }
    for (const double m : counts) {
      const double batch = micro * s.dp * m;
      const double off = std::abs(batch / wanted_ - 1);
      if (request_.batch_range && off > *request_.batch_range) continue;
      out.push_back({micro, batch, batch_penalty(batch)});
    }
  }
}

double SearchSpace::least_bubble(const Structure& s, double micro_batch) const {
  const double replica = micro_batch * s.dp;
  const bool given = request_.global_batch.has_value();
  if (!given && request_.micro_batch.value_or(1) * s.dp > largest_) return 0;
  const double most = given ? std::round(wanted_ / replica) : largest_ / replica;
  const double m = std::max(1.0, std::floor(most));
  return (s.pp - 1) / (most_virtual_stages(s, m) * m);
}

double SearchSpace::least_stretch(double waiting, double penalty) const {
  const double stretch = (1 + waiting) * penalty;
  // Larger batches than largest_ have smaller bubbles and this penalty.
  return request_.global_batch ? stretch : std::min(stretch, std::max(penalty, kTooLarge));
}

double SearchSpace::least_penalty(const Structure& s) const {
  const double least = request_.micro_batch.value_or(1) * s.dp;
  if (request_.global_batch) {
    return batch_penalty(least * std::max(1.0, std::round(wanted_ / least)));
  }
  return least > wanted_ ? batch_penalty(least) : 1;
}

}  // namespace trcost::planner
