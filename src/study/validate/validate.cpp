// SPDX-License-Identifier: Apache-2.0
#include "study/validate/validate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "catalog/layout/layout.h"
#include "catalog/runs/runs.h"
#include "catalog/software/stacks.h"
#include "performance/training/step_model.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "study/validate/first_predictions.h"
#include "trcost/error.h"
#include "trcost/scenario.h"

namespace trcost::study {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool selected_row(const ThroughputRow& row, const ValidationFilter& filter) {
  const auto same = [](std::string_view wanted, std::string_view is) {
    return wanted.empty() || wanted == is;
  };
  return same(filter.accelerator, row.accelerator) && same(filter.stack, row.stack) &&
         same(filter.task, word_of(kTasks, row.task)) && contains(row.source, filter.source) &&
         contains(row.model, filter.model);
}

// Predicts a row, or records why it cannot be predicted.
ValidationRow replay_throughput(const Catalog& catalog, const ThroughputRow& row,
                                bool default_tuning) {
  ValidationRow result;
  result.measured = &row;
  try {
    const Workload workload = row_workload(catalog, row);
    const StepModel model(workload, row_platform(catalog, row, default_tuning));
    const PlanRequest request = row_request(row, workload);
    result.planned = !row_layout_known(row);
    const Plan chosen = plan(model, request);
    result.layout = chosen.layout;
    result.layers = model.pipeline_layers().count();
    result.time = chosen.time;
    result.predicted =
        result.layout.global_batch * row.seq_length / (result.time.seconds * result.layout.gpus());
    result.error = result.predicted / row.tokens_per_second_per_gpu - 1;
  } catch (const Error& error) {
    result.problem = error.message;
  }
  return result;
}

// The smallest value that has at least `share` of the weight at or below it.
double weighted_quantile(std::vector<std::pair<double, double>> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const auto& [value, weight] : values) total += weight;
  double seen = 0;
  for (const auto& [value, weight] : values) {
    seen += weight;
    if (seen >= share * total) return value;
  }
  return values.back().first;
}

std::string task_family(const ThroughputRow& row) {
  return row.task == RowTask::pretrain ? "pre-training" : "fine-tuning";
}

std::vector<ValidationSummary> throughput_summaries(const std::vector<ValidationRow>& rows,
                                                    const Catalog& catalog) {
  using Key = std::string (*)(const ValidationRow&, const Catalog&);
  static constexpr std::pair<std::string_view, Key> dimensions[] = {
      {"accelerator",
       [](const ValidationRow& r, const Catalog&) { return r.measured->accelerator; }},
      {"stack",
       [](const ValidationRow& r, const Catalog&) {
         return r.measured->stack.empty() ? std::string("not published") : r.measured->stack;
       }},
      {"precision",
       [](const ValidationRow& r, const Catalog&) {
         return std::string(precision_name(r.measured->precision));
       }},
      {"architecture",
       [](const ValidationRow& r, const Catalog& c) {
         return std::string(c.run_model(r.measured->model).language.moe ? "MoE" : "dense");
       }},
      {"task", [](const ValidationRow& r, const Catalog&) { return task_family(*r.measured); }},
      {"tuning",
       [](const ValidationRow& r, const Catalog&) {
         return std::string(r.measured->tuning ? tuning_name(*r.measured->tuning) : "not stated");
       }},
      {"layout", [](const ValidationRow& r,
                    const Catalog&) { return std::string(r.planned ? "planned" : "known"); }},
      {"source", [](const ValidationRow& r, const Catalog&) { return r.measured->source; }},
  };
  std::vector<ValidationSummary> result;
  for (const auto& [name, key] : dimensions) {
    std::map<std::string, std::vector<RowError>> sets;
    for (const ValidationRow& row : rows) {
      if (row.problem.empty()) sets[key(row, catalog)].push_back(row_error(row));
    }
    for (const auto& [value, members] : sets) {
      result.push_back(summarise(members, std::string(name), value));
    }
  }
  return result;
}

constexpr double kOutside = 2 / 0.2;  // penalty of an interval score at 80 %

std::optional<LeftOut> left_out_errors(const std::vector<RowError>& rows) {
  LeftOut out;
  std::vector<std::pair<double, double>> sizes, signs, widths;
  double total = 0;
  for (const RowError& row : rows) {
    if (!row.left_out) continue;
    ++out.rows;
    const double half = kNormalP90 * row.sigma;
    const double beyond = std::max(0.0, std::abs(portable_log(*row.left_out)) - half);
    total += row.weight;
    out.score += row.weight * (2 * half + kOutside * beyond);
    if (beyond == 0) out.inside += row.weight;
    sizes.emplace_back(std::abs(*row.left_out - 1), row.weight);
    signs.emplace_back(*row.left_out - 1, row.weight);
    widths.emplace_back(portable_exp(2 * half), row.weight);
  }
  if (out.rows == 0) return std::nullopt;
  out.score /= total;
  out.inside /= total;
  out.median = weighted_quantile(sizes, 0.5);
  out.p90 = weighted_quantile(std::move(sizes), 0.9);
  out.bias = weighted_quantile(std::move(signs), 0.5);
  out.width = weighted_quantile(std::move(widths), 0.5);
  return out;
}

}  // namespace

bool row_layout_known(const ThroughputRow& row) {
  return row.layout_known;
}

Workload row_workload(const Catalog& catalog, const ThroughputRow& row) {
  Workload workload;
  workload.language = catalog.run_model(row.model).language;
  workload.seq_length = row.seq_length;
  workload.attention_length = row.seq_length;
  workload.attention = row.attention;
  if (row.kernels == Kernels::plain && row.attention == Attention::flash) {
    workload.attention = Attention::masked;
  }
  workload.optimizer = find_value(kOptimizers, row.optimizer).value_or(Optimizer::adamw);
  if (row.task == RowTask::lora || row.task == RowTask::lora_embeddings) {
    workload.language_training = Training::lora;
    workload.train_embeddings = row.task == RowTask::lora_embeddings;
  } else if (row.task == RowTask::qlora) {
    workload.language_training = Training::qlora;
    workload.train_embeddings = false;
  }
  return workload;
}

std::string_view stack_of(const ThroughputRow& row) {
  return row.stack.empty() ? field_info(Field::efficiency_stack).fallback
                           : std::string_view(row.stack);
}

namespace {

// The stack at the release that is the last word of the row's version.
const Stack& row_stack(const Catalog& catalog, const ThroughputRow& row) {
  const std::string name(stack_of(row));
  const Stack& stack = catalog.stack(name);
  const std::string release = row.version.substr(row.version.rfind(' ') + 1);
  return release_year(stack.releases, release) ? catalog.stack(name + "@" + release) : stack;
}

}  // namespace

void set_row_tuning(Platform& platform, const ThroughputRow& row, bool default_tuning) {
  const Tuning usual = platform.stack->usual;
  set_tuning(platform, default_tuning ? usual : row.tuning.value_or(usual));
  // The ring exchange of keys and values overlaps with attention kernels in any case.
  if (!default_tuning && !row.overlaps) platform.overlap = {.context = 1};
}

Platform row_platform(const Catalog& catalog, const ThroughputRow& row, bool default_tuning) {
  const Accelerator& accelerator = catalog.accelerator(row.accelerator);
  const System& system = catalog.system(row.system.empty() ? accelerator.system : row.system);
  const Stack& stack = row_stack(catalog, row);
  Platform platform;
  platform.accelerator = &accelerator;
  platform.system = &system;
  platform.efficiency = &catalog.efficiency(accelerator);
  platform.stack = &stack;
  platform.precision = row.precision;
  platform.kernels = row.kernels;
  set_row_tuning(platform, row, default_tuning);
  return platform;
}

// Published layouts omit degrees of 1 of the dimensions that split the model.
void assume_other_splits(Degrees& given) {
  for (const Dimension& each : kDimensions) {
    std::optional<int>& degree = given.*each.given;
    if (each.of_gpus && !makes_replicas(each) && !degree) degree = 1;
  }
}

PlanRequest row_request(const ThroughputRow& row, const Workload& workload) {
  PlanRequest request;
  request.gpus = row.gpus;
  request.memory_margin = 0;  // measured layouts were found by trial
  request.global_batch = row.global_batch;
  // Unpublished batches: about two million tokens, at least one sequence per GPU.
  request.batch_hint = std::max(row.gpus, std::round(2e6 / row.seq_length));
  static_cast<Degrees&>(request) = row;
  if (row.tp && row.pp) assume_other_splits(request);
  // Published layouts name interleaving if there is any, except in record submissions.
  const bool shown = row.tuning == Tuning::showcase;
  if (!shown) assume_no_virtual_stages(request);
  if (!row.ep && !workload.language.moe) request.ep = 1;
  request.micro_batch = row.micro_batch;
  request.sharding = row.sharding;
  request.recompute = row.recompute;
  return request;
}

std::optional<double> ratio(std::optional<double> predicted, double measured) {
  if (!predicted) return std::nullopt;
  return *predicted / measured;
}

RowError row_error(const ValidationRow& row) {
  const ThroughputRow& m = *row.measured;
  return {row.error,        m.weight,
          m.group,          ratio(m.left_out, m.tokens_per_second_per_gpu),
          m.left_out_sigma, !m.left_out.has_value()};
}

ValidationSummary summarise(const std::vector<RowError>& rows, std::string dimension,
                            std::string value) {
  ValidationSummary summary;
  summary.dimension = std::move(dimension);
  summary.value = std::move(value);
  std::vector<std::pair<double, double>> sizes;
  std::vector<std::pair<double, double>> signs;
  std::set<std::string_view> groups;
  summary.apart = static_cast<int>(std::ranges::count_if(rows, &RowError::apart));
  const bool fitted = summary.apart < static_cast<int>(rows.size());
  for (const RowError& row : rows) {
    if (fitted && row.apart) continue;
    sizes.emplace_back(std::abs(row.error), row.weight);
    signs.emplace_back(row.error, row.weight);
    groups.insert(row.group);
  }
  summary.left_out = left_out_errors(rows);
  summary.rows = static_cast<int>(rows.size());
  summary.groups = static_cast<int>(groups.size());
  summary.median = weighted_quantile(sizes, 0.5);
  summary.p90 = weighted_quantile(std::move(sizes), 0.9);
  summary.bias = weighted_quantile(std::move(signs), 0.5);
  return summary;
}

ValidationResult validate(const Catalog& catalog, const ValidationFilter& filter) {
  ValidationResult result;
  for (const ThroughputRow& row : catalog.runs().throughput) {
    if (!selected_row(row, filter)) continue;
    result.rows.push_back(replay_throughput(catalog, row, filter.default_tuning));
  }
  std::vector<RowError> predicted;
  for (const ValidationRow& row : result.rows) {
    if (row.problem.empty()) predicted.push_back(row_error(row));
  }
  result.all = summarise(predicted, "all", "all");
  result.summaries = throughput_summaries(result.rows, catalog);
  if (!filter.selects()) {
    const FirstPredictions first = first_predictions(catalog);
    if (const FirstSummary* speed = find_summary(first, "throughput")) {
      result.first_median = speed->median;
      result.first_sources = speed->sources;
      result.first_date = speed->date;
    }
  }
  return result;
}

}  // namespace trcost::study
