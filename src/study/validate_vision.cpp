// SPDX-License-Identifier: Apache-2.0
#include "study/validate_vision.h"

#include <algorithm>

#include "catalog/csv.h"
#include "quantity/quantity.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

namespace trcost {
namespace {

constexpr std::string_view kLeftOut = "efficiency/vision_left_out.csv";

double padding_of(const Estimate& estimate) {
  for (const WaterfallTerm& term : estimate.waterfall) {
    if (term.term == "padding") return term.share;
  }
  return 1;
}

// GPU-hours that the scenario's samples take at a published rate.
double hours_at(const ReplayableRun& run, const Scenario& scenario, const Estimate& estimate) {
  const double amount = run.unit.starts_with("padded_tokens")
                            ? estimate.tokens.total / padding_of(estimate)
                            : scenario.number_or(Field::data_samples, 0) *
                                  scenario.number_or_default(Field::data_epochs);
  return amount / *run.measured / kSecondsPerHour;
}

void replay(Estimator& estimator, VisionReplay& row) {
  const ReplayableRun& run = *row.run;
  const Scenario scenario = replay_scenario(run);
  row.accelerator = scenario.text(Field::hardware_accelerator);
  row.model = scenario.text(Field::model_name);
  const Estimate estimate = estimator.run(scenario).front();
  row.contrastive = row.model.starts_with("clip-");
  const bool whole = run.unit == "gpu_hours";
  const double steps = estimate.performance.goodput * estimate.performance.production_overhead;
  row.measured = whole ? *run.measured : hours_at(run, scenario, estimate);
  row.predicted = whole ? estimate.gpu_hours : estimate.gpu_hours * steps;
  const double share = row.predicted / estimate.gpu_hours;
  row.range = {estimate.range.gpu_hours.p10 * share, estimate.range.gpu_hours.p50 * share,
               estimate.range.gpu_hours.p90 * share};
  judge(row);
}

void read_left_out(const Catalog& catalog, VisionValidation& out) {
  if (!catalog.has_file(kLeftOut)) return;
  const CsvTable table(catalog.file(kLeftOut), kLeftOut);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.text(i, "model") != "vision") continue;
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
    if (!selected(run, filter)) continue;
    VisionReplay row;
    row.run = &run;
    row.source = vote_of(run.source);
    try {
      replay(estimator, row);
    } catch (const Error& error) {
      row.problem = error.message;
    }
    out.rows.push_back(std::move(row));
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
    return votes_of(chosen);
  };
  out.vision = votes(false);
  out.contrastive = votes(true);
  read_left_out(catalog, out);
  return out;
}

}  // namespace trcost
