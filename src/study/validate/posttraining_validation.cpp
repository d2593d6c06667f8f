// SPDX-License-Identifier: Apache-2.0
#include "study/validate/replay.h"

#include <algorithm>
#include <map>
#include <utility>

#include "catalog/layout/layout.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "text/csv.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

namespace trcost::study {

namespace {

constexpr std::string_view kRoundLeftOut = "serving/posttraining_left_out.csv";

bool selected_round(const PosttrainingReplay& row, const ValidationFilter& filter) {
  const auto same = [](const std::string& value, const std::string& wanted) {
    return wanted.empty() || value == wanted;
  };
  return row.run->source.find(filter.source) != std::string::npos &&
         (row.model + " " + row.run->title).find(filter.model) != std::string::npos &&
         same(row.accelerator, filter.accelerator) && same(row.framework, filter.stack) &&
         same(row.method, filter.task);
}

// A round is predicted in seconds in steady state, a whole run in GPU-hours.
PosttrainingReplay replay_round(Estimator& estimator, const ReplayableRun& run) {
  PosttrainingReplay row;
  row.run = &run;
  row.source = run.source;
  row.whole = run.unit != MeasuredUnit::round_seconds;
  try {
    const Scenario scenario = replay_scenario(run);
    row.model = scenario.text(Field::model_name);
    row.accelerator = scenario.text(Field::hardware_accelerator);
    row.framework = scenario.text(Field::rollout_framework);
    row.method = scenario.text(Field::train_method);
    row.placement = scenario.text(Field::rollout_placement);
    const Estimate e = estimator.run(scenario).front();
    row.measured = *run.measured;
    if (row.whole) {
      row.predicted = e.gpu_hours;
      row.range = e.range.gpu_hours;
    } else {
      const double wide = portable_exp(kNormalP90 * e.performance.quality->sigma);
      row.predicted = e.performance.step_seconds;
      row.range = {row.predicted / wide, row.predicted, row.predicted * wide};
    }
    judge(row);
  } catch (const Error& error) {
    row.problem = error.message;
  }
  return row;
}

void add_left_out(const Catalog& catalog, std::vector<PosttrainingReplay>& rows) {
  if (!catalog.has_file(kRoundLeftOut)) return;
  const CsvTable table(catalog.file(kRoundLeftOut), kRoundLeftOut);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto found = std::ranges::find_if(
        rows, [&](const PosttrainingReplay& r) { return r.run->id == table.text(i, "id"); });
    if (found == rows.end()) continue;
    found->left_out = table.required_number(i, "predicted");
    found->left_out_sigma = table.required_number(i, "sigma");
  }
}

// Every round has the same weight.
RowError error_of_round(const PosttrainingReplay& row) {
  return {row.error, 1, row.run->id, ratio(row.left_out, row.measured), row.left_out_sigma};
}

std::vector<ValidationSummary> round_summaries(
    const std::vector<const PosttrainingReplay*>& rounds) {
  constexpr std::pair<const char*, std::string PosttrainingReplay::*> kDimensions[] = {
      {"framework", &PosttrainingReplay::framework},
      {"model", &PosttrainingReplay::model},
      {"accelerator", &PosttrainingReplay::accelerator},
      {"placement", &PosttrainingReplay::placement}};
  std::vector<ValidationSummary> out;
  for (const auto& [dimension, member] : kDimensions) {
    std::map<std::string_view, std::vector<RowError>> parts;
    for (const PosttrainingReplay* row : rounds) {
      parts[row->*member].push_back(error_of_round(*row));
    }
    for (const auto& [value, errors] : parts) {
      out.push_back(summarise(errors, dimension, std::string(value)));
    }
  }
  return out;
}

}  // namespace

PosttrainingValidation validate_posttraining(const Catalog& catalog,
                                             const ValidationFilter& filter) {
  PosttrainingValidation out;
  EstimateOptions options;
  options.assumptions = false;
  Estimator estimator(catalog, options);
  for (const ReplayableRun& run : catalog.runs().posttraining_runs) {
    PosttrainingReplay row = replay_round(estimator, run);
    if (selected_round(row, filter)) out.rows.push_back(std::move(row));
  }
  add_left_out(catalog, out.rows);
  std::vector<const PosttrainingReplay*> rounds;
  std::vector<const Replay*> runs;
  std::vector<RowError> errors;
  for (PosttrainingReplay& row : out.rows) {
    if (!row.problem.empty()) continue;
    if (row.whole) runs.push_back(&row);
    if (row.whole || !row.run->fit) continue;
    row.weight = 1;
    rounds.push_back(&row);
    errors.push_back(error_of_round(row));
  }
  out.runs = count_votes(runs);
  if (errors.empty()) return out;
  out.all = summarise(errors, "all", "all");
  out.summaries = round_summaries(rounds);
  return out;
}

}  // namespace trcost::study
