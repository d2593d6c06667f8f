// SPDX-License-Identifier: Apache-2.0
#include "study/validate/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/hardware/efficiency.h"
#include "catalog/runs/runs.h"
#include "performance/training/step_model.h"
#include "quantity/quantity.h"
#include "text/csv.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "workload/workload.h"

namespace trcost::study {

namespace {

constexpr std::string_view kLeftOut = "efficiency/vision_left_out.csv";

// GPU-hours of the scenario at the published rate.
double hours_at_rate(const ReplayableRun& run, const Scenario& scenario, const Estimate& estimate) {
  double amount = 0;  // in the unit of the rate
  switch (run.unit) {
    case MeasuredUnit::tokens:
      amount = estimate.tokens.total;
      break;
    case MeasuredUnit::padded_tokens: {
      const std::string_view padding = step_term_name(StepTerm::padding);
      const auto found = std::ranges::find(estimate.waterfall, padding, &WaterfallTerm::term);
      amount = estimate.tokens.total / (found == estimate.waterfall.end() ? 1 : found->share);
      break;
    }
    case MeasuredUnit::samples:
      amount = scenario.number_or(Field::data_samples, 0) *
               scenario.number_or_default(Field::data_epochs);
      break;
    default:
      throw Error(ErrorKind::no_answer,
                  fmt::format("{} is no rate per GPU", word_of(kMeasuredUnits, run.unit)));
  }
  return amount / *run.measured / kSecondsPerHour;
}

VisionReplay replay_vision(const Catalog& catalog, Estimator& estimator, const ReplayableRun& run) {
  VisionReplay row;
  row.run = &run;
  row.source = source_site(run.source);
  try {
    const Scenario scenario = replay_scenario(run);
    row.accelerator = scenario.text(Field::hardware_accelerator);
    row.model = scenario.text(Field::model_name);
    const Estimate estimate = estimator.run(scenario).front();
    row.contrastive = is_contrastive(catalog.model(row.model));
    const bool whole = run.unit == MeasuredUnit::gpu_hours;
    const double steps = estimate.performance.goodput * estimate.performance.production_overhead;
    row.measured = whole ? *run.measured : hours_at_rate(run, scenario, estimate);
    row.predicted = whole ? estimate.gpu_hours : estimate.gpu_hours * steps;
    const double share = row.predicted / estimate.gpu_hours;
    row.range = {estimate.range.gpu_hours.p10 * share, estimate.range.gpu_hours.p50 * share,
                 estimate.range.gpu_hours.p90 * share};
    judge(row);
  } catch (const Error& error) {
    row.problem = error.message;
  }
  return row;
}

void read_left_out(const Catalog& catalog, VisionValidation& out) {
  if (!catalog.has_file(kLeftOut)) return;
  const CsvTable table(catalog.file(kLeftOut), kLeftOut);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (required_one_of(table, i, "model", kModelFamilies) != ModelFamily::vision) continue;
    out.left_out_factor = table.required_number(i, "factor");
    out.left_out_bias = table.required_number(i, "bias");
  }
}

}  // namespace

VisionValidation validate_vision(const Catalog& catalog, const ValidationFilter& filter) {
  VisionValidation out;
  EstimateOptions options;
  options.assumptions = false;
  Estimator estimator(catalog, options);
  for (const ReplayableRun& run : catalog.runs().vision_runs) {
    if (selected(run, filter)) out.rows.push_back(replay_vision(catalog, estimator, run));
  }
  weigh(out.rows);
  std::vector<RowError> errors;
  for (const VisionReplay& row : out.rows) {
    if (row.weight > 0) errors.push_back({row.error, row.weight, row.source});
  }
  out.all = summarise(errors, "all", "all");
  const auto votes = [&](bool contrastive) {
    std::vector<const Replay*> chosen;
    for (const VisionReplay& row : out.rows) {
      if (row.weight > 0 && row.contrastive == contrastive) chosen.push_back(&row);
    }
    return count_votes(chosen);
  };
  out.vision = votes(false);
  out.contrastive = votes(true);
  read_left_out(catalog, out);
  return out;
}

}  // namespace trcost::study
