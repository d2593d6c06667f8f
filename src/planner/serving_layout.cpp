// SPDX-License-Identifier: Apache-2.0
#include "planner/serving_layout.h"

#include <algorithm>
#include <cmath>

#include "trcost/serving_point.h"

namespace trcost::planner {
namespace {

// Engines give every rank whole heads, and replicate keys if there are fewer of them than ranks.
bool heads_divide(const ServedModel& model, int tp) {
  const auto multiple = [](double a, double b) { return std::fmod(a, b) == 0; };
  if (!multiple(model.heads, tp)) return false;
  return multiple(model.kv_heads, tp) || multiple(tp, model.kv_heads);
}

// Orders choices that reach the request first, else by how near they come.
bool better(const ServingChoice& a, const ServingChoice& b, const ServingSearch& search) {
  if (a.reached != b.reached) return a.reached;
  if (a.reached) return a.point.output_per_gpu > b.point.output_per_gpu;
  if (search.tokens_per_second_per_user || search.least_per_user) {
    return a.point.tpot_seconds < b.point.tpot_seconds;
  }
  return a.point.most_sequences > b.point.most_sequences;
}

std::optional<ServingChoice> at_layout(const ServingModel& model, const ServingLayout& layout,
                                       const ServingSearch& search) {
  ServingLoad load = search.load;
  const double most = std::floor(model.at({load.input_tokens, load.output_tokens}).most_sequences);
  if (most < 1) return std::nullopt;
  bool reached = load.concurrency.value_or(most) <= most;
  std::optional<double> per_user = search.tokens_per_second_per_user;
  const bool free = !per_user && !load.concurrency;
  if (free && search.least_per_user && model.at(load).user_rate() < *search.least_per_user) {
    per_user = search.least_per_user;
  }
  if (per_user) {
    load.concurrency = concurrency_at_speed(model, load, *per_user);
    reached = load.concurrency >= 1;
    if (!reached) load.concurrency = 1;
  }
  if (load.concurrency) load.concurrency = std::min(*load.concurrency, most);
  return ServingChoice{layout, load.concurrency, model.at(load), reached};
}

}  // namespace

double concurrency_at_speed(const ServingModel& model, ServingLoad load, double per_user) {
  const auto fast = [&](double concurrency) {
    load.concurrency = concurrency;
    return model.at(load).tpot_seconds * per_user <= 1;
  };
  load.concurrency = 1;
  double low = 0;
  double high = std::floor(model.at(load).most_sequences) + 1;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fast(middle) ? low : high) = middle;
  }
  return low;
}

std::vector<int> replica_sizes(const ServingSearch& search) {
  if (search.gpus) return {*search.gpus};
  if (search.tp && search.dp) return {*search.tp * *search.dp};
  std::vector<int> sizes;
  for (int gpus = 1; gpus <= search.most_gpus; gpus *= 2) sizes.push_back(gpus);
  return sizes;
}

std::vector<ServingLayout> serving_layouts(const ServedModel& model, const ServingSearch& search,
                                           int gpus) {
  std::vector<ServingLayout> out;
  for (int tp = 1; tp <= gpus; ++tp) {
    if (gpus % tp != 0 || (search.tp && tp != *search.tp)) continue;
    const int dp = gpus / tp;
    if (search.dp && dp != *search.dp) continue;
    // Copies of a whole dense model are separate replicas, unless the GPUs or copies are given.
    if (dp > 1 && model.experts <= 0 && !search.dp && !search.gpus) continue;
    if (!search.tp && !heads_divide(model, tp)) continue;
    const int ep = search.ep.value_or(model.experts > 0 && dp > 1 ? gpus : 1);
    out.push_back({gpus, tp, ep, dp});
  }
  return out;
}

std::optional<ServingChoice> choose_serving(const ServedModel& model, const ServingChip& chip,
                                            const Engine& engine, WeightFormat format,
                                            double cache_bytes, const ServingSearch& search) {
  std::optional<ServingChoice> best;
  const auto consider = [&](int gpus) {
    for (const ServingLayout& layout : serving_layouts(model, search, gpus)) {
      const ServingModel prepared(model, chip, engine, format, cache_bytes, layout);
      const auto choice = at_layout(prepared, layout, search);
      if (choice && (!best || better(*choice, *best, search))) best = choice;
    }
  };
  for (const int gpus : replica_sizes(search)) consider(gpus);
  return best;
}

std::optional<int> smallest_replica(const ServedModel& model, const ServingChip& chip,
                                    const Engine& engine, WeightFormat format, double cache_bytes,
                                    ServingSearch search) {
  constexpr int kMost = 1024;
  search.gpus = std::nullopt;
  search.most_gpus = kMost;
  for (const int gpus : replica_sizes(search)) {
    for (const ServingLayout& layout : serving_layouts(model, search, gpus)) {
      const ServingModel replica(model, chip, engine, format, cache_bytes, layout);
      if (replica.most_sequences(search.load) >= 1) return gpus;
    }
  }
  return std::nullopt;
}

}  // namespace trcost::planner
