// SPDX-License-Identifier: Apache-2.0
#include "planner/request.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/layout/layout.h"
#include "planner/space.h"
#include "trcost/error.h"

namespace trcost::planner {
namespace {

[[noreturn]] void throw_usage(std::string message, std::string hint, std::string flag) {
  throw Error(ErrorKind::usage, std::move(message), std::move(hint), std::move(flag));
}

/// `1, 2, 4 or 8`: the divisors of a number up to `most`.
std::string divisor_list(std::int64_t number, std::int64_t most) {
  std::string text, last;
  for (std::int64_t d = 1, shown = 0; d <= number && d <= most && shown < 24; ++d) {
    if (number % d != 0) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = std::to_string(d);
    ++shown;
  }
  return text.empty() ? last : text + " or " + last;
}

void check_divides(int degree, double whole, const std::string& flag, std::string_view what) {
  if (std::fmod(whole, degree) == 0) return;
  throw_usage(fmt::format("{} {} does not divide the {} {}", flag.substr(2), degree, whole, what),
              "allowed here: " + divisor_list(std::llround(whole), std::llround(whole)), flag);
}

std::string dimension_flag(std::string_view dimension) {
  return fmt::format("--{}", dimension);
}

// Number of units of a model that a dimension partitions.
struct PartitionedCount {
  double count;
  std::string_view unit;
};

PartitionedCount count_to_partition(const Dimension& dimension, const StepModel& model) {
  const LanguageModel& m = model.workload().language;
  switch (dimension.partitions) {
    case PartitionedUnit::nothing:
      break;
    case PartitionedUnit::heads:
      return {static_cast<double>(m.heads), "attention heads"};
    case PartitionedUnit::layers:
      return {model.pipeline_layers().count(), "layers"};
    case PartitionedUnit::tokens:
      return {model.workload().seq_length, "tokens of a sequence"};
    case PartitionedUnit::experts:
      return {m.moe ? static_cast<double>(m.moe->experts) : 1, "experts"};
    case PartitionedUnit::expert_channels:
      return {m.moe ? static_cast<double>(m.moe->expert_ffn) : 1, "channels of an expert"};
  }
  return {std::numeric_limits<double>::infinity(), ""};
}

bool partitions_experts(const Dimension& dimension) {
  return dimension.partitions == PartitionedUnit::experts ||
         dimension.partitions == PartitionedUnit::expert_channels;
}

// Checks that each degree divides, or at least does not exceed, the units that it partitions.
void check_degrees(const StepModel& model, const PlanRequest& r) {
  for (const Dimension& each : kDimensions) {
    const int degree = (r.*each.given).value_or(1);
    if (degree == 1) continue;
    const std::string flag = dimension_flag(each.name);
    if (partitions_experts(each) && !model.workload().language.moe) {
      throw_usage(fmt::format("{} {} needs a model with experts", each.name, degree),
                  fmt::format("leave {} out", flag), flag);
    }
    const PartitionedCount whole = count_to_partition(each, model);
    if (each.evenly) {
      check_divides(degree, whole.count, flag, whole.unit);
    } else if (degree > whole.count) {
      throw_usage(
          fmt::format("{} {} is more than the {} {}", each.name, degree, whole.count, whole.unit),
          fmt::format("at most {}", whole.count), flag);
    }
  }
}

void check_gpus(const PlanRequest& r) {
  if (!(r.gpus >= 1) || r.gpus > kMostGpus || r.gpus != std::floor(r.gpus)) {
    throw_usage(fmt::format("{} is not a number of GPUs", r.gpus),
                "a whole number from 1 to 10000000", "--gpus");
  }
  std::vector<std::pair<std::string_view, int>> given;
  for (const Dimension& each : kDimensions) {
    if (!(r.*each.given)) continue;
    const int degree = *(r.*each.given);
    if (degree < 1)
      throw_usage(fmt::format("{} {} is below 1", each.name, degree), {},
                  dimension_flag(each.name));
    if (each.of_gpus) given.emplace_back(each.name, degree);
  }
  const double product = r.product();
  const std::string chain = product_words(r);
  const bool full = r.open() == 0;
  if (full && product < r.gpus) return;  // the rest stay idle
  if (full && product > r.gpus) {
    const double others = product / *r.dp;
    const double dp = r.gpus / others;
    throw_usage(fmt::format("{} = {}, but there are {} GPUs", chain, product, r.gpus),
                dp >= 1 && dp == std::floor(dp) ? fmt::format("dp {} would multiply to them", dp)
                                                : fmt::format("{} GPUs would do", product),
                "--dp");
  }
  if (std::fmod(r.gpus, product) != 0) {
    // The error names the first degree whose product with those before it does not divide.
    std::string flag = "--gpus";
    double so_far = 1;
    for (const auto& [name, degree] : given) {
      so_far *= degree;
      if (std::fmod(r.gpus, so_far) == 0) continue;
      flag = dimension_flag(name);
      break;
    }
    const bool several = given.size() > 1;
    throw_usage(fmt::format("{}{} does not divide the {} GPUs", chain,
                            several ? fmt::format(" = {}", product) : "", r.gpus),
                fmt::format("{} has to be one of {}", several ? "the product" : "it",
                            divisor_list(std::llround(r.gpus), std::llround(r.gpus))),
                flag);
  }
}

// Checks that groups of experts are within a stage.
void check_experts(const PlanRequest& r) {
  const int ep = r.ep.value_or(1), etp = r.etp.value_or(1);
  const double stage = r.gpus_at_work() / r.pp.value_or(1);
  if (etp > 1) check_divides(etp, stage / ep, "--etp", "GPUs that hold one of the expert groups");
  if (ep > 1) check_divides(ep, stage, "--ep", "GPUs of a pipeline stage");
}

void check_recompute(double layers, const PlanRequest& r) {
  if (!r.recompute_layers) return;
  const double most = std::ceil(layers / r.pp.value_or(1));
  if (*r.recompute_layers < 0 || *r.recompute_layers > most) {
    throw_usage(fmt::format("a stage has {} layers, of which {} cannot recompute", most,
                            *r.recompute_layers),
                fmt::format("from 0 to {}", most), "--recompute-layers");
  }
  if (r.recompute == Recompute::full && *r.recompute_layers != most) {
    throw_usage(fmt::format("--recompute full repeats all {} layers of a stage, not {}", most,
                            *r.recompute_layers),
                "leave one of the two out, or set --recompute none or selective",
                "--recompute-layers");
  }
}

void check_stages(double layers, const PlanRequest& r) {
  const int vp = r.vp.value_or(1);
  if (vp > 1 && r.pp == 1) {
    throw_usage(fmt::format("vp {} needs a pipeline", vp), "leave --vp out, or raise --pp", "--vp");
  }
  if (r.pp && static_cast<double>(vp) * *r.pp > std::ceil(layers / *r.pp) * *r.pp) {
    throw_usage(
        fmt::format("pp {} x vp {} are more stages than the {} layers fill", *r.pp, vp, layers),
        fmt::format("vp at most {}", std::ceil(layers / *r.pp)), "--vp");
  }
}

void check_key_heads(const LanguageModel& model, const PlanRequest& r) {
  if (!r.tp || tensor_divides(model, *r.tp)) return;
  std::vector<int> allowed;
  for (int tp = 1; tp <= model.heads; ++tp) {
    if (tensor_divides(model, tp)) allowed.push_back(tp);
  }
  throw_usage(
      fmt::format("tp {} and the {} key heads: neither divides the other", *r.tp, model.kv_heads),
      fmt::format("allowed here: {}", fmt::join(allowed, ", ")), "--tp");
}

void check_model(const StepModel& model, const PlanRequest& r) {
  check_degrees(model, r);
  check_key_heads(model.workload().language, r);
  const double layers = model.pipeline_layers().count();
  check_stages(layers, r);
  const Stack& stack = *model.platform().stack;
  if (r.cp && r.context_kind.value_or(stack.context_kind) == ContextKind::ulysses) {
    check_divides(*r.cp, model.workload().language.heads / r.tp.value_or(1), "--cp",
                  "attention heads of a tensor rank (--context-kind ring takes any)");
  }
  check_experts(r);
  check_recompute(layers, r);
}

double data_parallel_ranks(const PlanRequest& r) {
  return r.dp ? *r.dp : r.complete() ? r.gpus / r.product() : 1;
}

void check_batch(const PlanRequest& r) {
  if (r.micro_batch && !(*r.micro_batch >= 1)) {
    throw_usage(fmt::format("a micro-batch of {} sequences is below 1", *r.micro_batch), {},
                "--micro-batch");
  }
  if (!r.global_batch) return;
  const double batch = *r.global_batch;
  if (!(batch >= 1)) {
    throw_usage(fmt::format("a global batch of {} sequences is below 1", batch), {},
                "--global-batch");
  }
  const double dp = data_parallel_ranks(r);
  const double unit = dp * r.micro_batch.value_or(1);
  if (std::fmod(batch, unit) == 0) return;
  const double below = std::floor(batch / unit) * unit;
  throw_usage(
      fmt::format("a global batch of {} sequences does not split over dp {} x micro-batch {}",
                  batch, dp, r.micro_batch.value_or(1)),
      below > 0 ? fmt::format("{} or {} would", below, below + unit)
                : fmt::format("{} would", unit),
      "--global-batch");
}

}  // namespace

std::string beyond_stack(const PlanRequest& request, const Stack& stack) {
  std::vector<std::string> parts;
  for (const Dimension& each : kDimensions) {
    const int degree = (request.*each.given).value_or(1);
    if (degree > 1 && !stack.can(each)) parts.push_back(fmt::format("{} {}", each.name, degree));
  }
  // A single rank has nothing to shard over.
  const bool alone = request.open() == 0 && request.dp == 1 && request.cp == 1;
  if (request.sharding && !stack.can(*request.sharding) && !alone) {
    parts.push_back(fmt::format("sharding {}", sharding_name(*request.sharding)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool PlanRequest::complete() const {
  return tp && pp && (product() == gpus || open() <= 1);
}

double PlanRequest::gpus_at_work() const {
  return open() == 0 ? product() : gpus;
}

void assume_no_virtual_stages(PlanRequest& request) {
  if (request.tp && request.pp && request.dp && !request.vp) request.vp = 1;
}

bool splits_over_gpus(const PlanRequest& r) {
  const double product = r.product();
  const bool idle = r.open() == 0 && product <= r.gpus;
  if (!idle && !divides(r.gpus, product)) return false;
  const double ep = r.ep.value_or(1), stage = r.gpus_at_work() / r.pp.value_or(1);
  if (!divides(stage, ep) || !divides(stage / ep, r.etp.value_or(1))) return false;
  const double sequences = data_parallel_ranks(r) * r.micro_batch.value_or(1);
  return !r.global_batch || divides(*r.global_batch, sequences);
}

void check_request(const StepModel& model, const PlanRequest& request) {
  check_gpus(request);
  check_model(model, request);
  check_batch(request);
}

}  // namespace trcost::planner
