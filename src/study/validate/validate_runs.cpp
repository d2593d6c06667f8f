// SPDX-License-Identifier: Apache-2.0
#include "study/validate/validate_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "catalog/hardware/hardware.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/statistics.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/numbers.h"

namespace trcost::study {

namespace {

[[noreturn]] void unknown(std::string what) {
  throw Error(ErrorKind::no_answer, std::move(what));
}

// The catalog's name of a published model, or empty.
std::string catalog_model(const Catalog& catalog, std::string_view name) {
  return catalog.entry_of(CatalogKind::models, name);
}

std::string catalog_accelerator(const Catalog& catalog, const std::string& published) {
  std::string found = catalog.entry_of(CatalogKind::accelerators, published);
  if (found.empty()) unknown(fmt::format("the catalog has no accelerator {}", published));
  return found;
}

double reported_hours(const PublishedRun& run) {
  if (run.gpu_hours) return *run.gpu_hours;
  if (run.implied_gpu_hours) return *run.implied_gpu_hours;
  unknown("the GPU-hours were not published");
}

// Some published token counts include those of the model that training continued from.
void refuse_impossible(const Catalog& catalog, const PublishedRun& run, const std::string& chip) {
  const std::optional<double> peak = peak_flops(catalog.accelerator(chip), Precision::bf16);
  const double params = run.params_active.value_or(run.params_total.value_or(0));
  if (peak && 6 * params * *run.tokens > reported_hours(run) * kSecondsPerHour * *peak) {
    unknown("the published tokens would take more than the peak: they count a parent model's");
  }
}

void replay_run(Estimator& estimator, const Catalog& catalog, RunReplay& row) {
  const PublishedRun& run = *row.run;
  const Scenario scenario = run_scenario(catalog, run);
  row.accelerator = std::string(scenario.text(Field::hardware_accelerator));
  row.model = scenario.has(Field::model_name)
                  ? std::string(scenario.text(Field::model_name))
                  : format_number(*scenario.number(Field::model_params), NumberKind::count);
  row.reported = reported_hours(run);
  refuse_impossible(catalog, run, row.accelerator);
  const Estimate estimate = estimator.run(scenario).front();
  row.predicted = estimate.gpu_hours;
  row.range = estimate.range.gpu_hours;
  row.error = row.predicted / row.reported - 1;
  row.inside = row.range.p10 <= row.reported && row.reported <= row.range.p90;
}

// The letters that a name begins with: Llama2-7B and LLaMA-13B are one family.
std::string model_family(const PublishedRun& run) {
  const std::string name = folded(run.name);
  const auto end = std::ranges::find_if(name, [](char c) { return c < 'a' || c > 'z'; });
  return std::string(name.begin(), end);
}

double middle(const std::vector<double>& values, std::size_t without) {
  std::vector<double> others;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != without) others.push_back(values[i]);
  }
  return others.empty() ? 0 : median(std::move(others));
}

// One vote per family: the mean of its runs. The constant between steps and bill is the median
// vote, without a left-out family the median of the others.
void add_votes(RunValidation& out) {
  std::map<std::string, std::pair<double, int>> families;
  for (const RunReplay& row : out.rows) {
    if (!row.problem.empty()) continue;
    auto& [sum, count] = families[model_family(*row.run)];
    sum += portable_log(row.predicted / row.reported);
    ++count;
  }
  if (families.empty()) return;
  std::vector<double> votes, sizes, left, left_sizes;
  for (const auto& [name, sum] : families) votes.push_back(sum.first / sum.second);
  const double used = middle(votes, votes.size());
  for (std::size_t i = 0; i < votes.size(); ++i) {
    sizes.push_back(std::fabs(votes[i]));
    left.push_back(votes[i] - (middle(votes, i) - used) - used);
    left_sizes.push_back(std::fabs(left.back()));
  }
  out.families = static_cast<int>(families.size());
  out.factor = portable_exp(median(std::move(sizes)));
  out.bias = portable_exp(used);
  out.left_out_factor = portable_exp(median(std::move(left_sizes)));
  out.left_out_bias = portable_exp(median(std::move(left)));
}

void summarise(RunValidation& out) {
  std::vector<double> ratios;
  std::vector<double> errors;
  for (const RunReplay& row : out.rows) {
    if (!row.problem.empty()) continue;
    ++out.replayed;
    if (row.inside) ++out.inside;
    if (row.reported < row.range.p10) ++out.below;
    if (row.reported > row.range.p90) ++out.above;
    ratios.push_back(row.reported / row.predicted);
    errors.push_back(std::fabs(row.error));
  }
  if (out.replayed == 0) return;
  out.coverage = static_cast<double>(out.inside) / out.replayed;
  out.median_ratio = median(std::move(ratios));
  out.median_error = median(std::move(errors));
  add_votes(out);
}

}  // namespace

Scenario run_scenario(const Catalog& catalog, const PublishedRun& run) {
  if (!run.tokens) unknown("the number of tokens was not published");
  if (run.accelerator.empty()) unknown("the hardware was not published");
  Scenario scenario;
  const std::string accelerator = catalog_accelerator(catalog, run.accelerator);
  scenario.set_text(Field::hardware_accelerator, accelerator);
  const std::string model = catalog_model(catalog, run.name);
  if (!model.empty()) {
    scenario.set_text(Field::model_name, model);
  } else if (run.params_active && run.params_total && *run.params_active < *run.params_total) {
    unknown("a mixture of experts whose shape the catalog does not have");
  } else if (run.params_total) {
    scenario.set_number(Field::model_params, *run.params_total);
  } else {
    unknown("the parameters were not published");
  }
  scenario.set_number(Field::data_tokens, *run.tokens);
  if (run.seq_length) scenario.set_number(Field::data_seq_length, *run.seq_length);
  if (run.gpus) {
    scenario.set_number(Field::hardware_gpus, *run.gpus);
  } else if (run.wall_days) {
    scenario.set_number(Field::hardware_deadline, *run.wall_days * kSecondsPerDay);
  }
  // Otherwise the chip's usual one: bf16, or fp16 where it has no bf16.
  if (run.precision) scenario.set_text(Field::train_precision, precision_name(*run.precision));
  return scenario;
}

RunValidation validate_runs(const Catalog& catalog) {
  RunValidation out;
  EstimateOptions options;
  options.assumptions = false;
  Estimator estimator(catalog, options);
  for (const PublishedRun& run : catalog.runs().runs) {
    if (!run.text_pretraining || !run.tokens) continue;
    RunReplay row;
    row.run = &run;
    try {
      replay_run(estimator, catalog, row);
    } catch (const Error& error) {
      row.problem = error.message;
    }
    out.rows.push_back(std::move(row));
  }
  summarise(out);
  return out;
}

}  // namespace trcost::study
