// SPDX-License-Identifier: Apache-2.0
#include "study/validate_vision.h"

#include <algorithm>
#include <map>

#include "catalog/csv.h"
#include "quantity/quantity.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

namespace trcost {
namespace {

constexpr std::string_view kLeftOut = "efficiency/vision_left_out.csv";

// The repository or site in front of a source: what several rows have in common.
std::string vote_of(std::string_view source) {
  constexpr std::string_view kHost = "github.com/";
  if (source.starts_with(kHost)) source.remove_prefix(kHost.size());
  std::size_t end = source.find(' ');
  std::size_t slash = source.find('/');
  if (slash != std::string_view::npos) slash = source.find('/', slash + 1);
  end = std::min(end, slash);
  return std::string(source.substr(0, end));
}

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

bool selected(const ReplayableRun& run, const ValidationFilter& filter) {
  const auto part = [](const std::string& text, const std::string& wanted) {
    return text.find(wanted) != std::string::npos;
  };
  const auto same = [&](std::string_view path, const std::string& wanted) {
    return wanted.empty() ||
           (run.scenario + " ").find(std::string(path) + "=" + wanted + " ") != std::string::npos;
  };
  return part(run.source, filter.source) && part(run.title + " " + run.scenario, filter.model) &&
         same("hardware.accelerator", filter.accelerator) && same("efficiency.stack", filter.stack);
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

void weigh(std::vector<VisionReplay>& rows) {
  std::map<std::string, int> sizes;
  const auto counts = [](const VisionReplay& row) { return row.problem.empty() && row.run->fit; };
  for (const VisionReplay& row : rows) sizes[row.source] += counts(row) ? 1 : 0;
  for (VisionReplay& row : rows) {
    if (counts(row)) row.weight = 1.0 / sizes[row.source];
  }
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
