// SPDX-License-Identifier: Apache-2.0
#include "trcost/validate_vision.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "catalog/csv.h"
#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/quantity.h"

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
double hours_at(const VisionRun& run, const Scenario& scenario, const Estimate& estimate) {
  const double amount = run.unit.starts_with("padded_tokens")
                            ? estimate.tokens.total / padding_of(estimate)
                            : scenario.number_or(Field::data_samples, 0) *
                                  scenario.number_or_default(Field::data_epochs);
  return amount / *run.measured / kSecondsPerHour;
}

bool selected(const VisionRun& run, const ValidationFilter& filter) {
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
  const VisionRun& run = *row.run;
  const Scenario scenario = vision_scenario(run);
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
  row.error = row.predicted / row.measured - 1;
  row.inside = row.range.p10 <= row.measured && row.measured <= row.range.p90;
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

SourceVotes votes_of(const std::vector<VisionReplay>& rows, bool contrastive) {
  struct Sum {
    double log = 0;
    int rows = 0;
    int inside = 0;
  };
  std::map<std::string, Sum> sources;
  SourceVotes out;
  for (const VisionReplay& row : rows) {
    if (row.weight == 0 || row.contrastive != contrastive) continue;
    Sum& sum = sources[row.source];
    sum.log += portable_log(row.predicted / row.measured);
    sum.rows += 1;
    sum.inside += row.inside ? 1 : 0;
    out.rows += 1;
  }
  if (sources.empty()) return out;
  std::vector<double> votes, sizes;
  for (const auto& [source, sum] : sources) {
    votes.push_back(sum.log / sum.rows);
    sizes.push_back(std::abs(votes.back()));
    out.coverage +=
        static_cast<double>(sum.inside) / sum.rows / static_cast<double>(sources.size());
  }
  out.sources = static_cast<int>(sources.size());
  out.factor = portable_exp(middle(std::move(sizes)));
  out.bias = portable_exp(middle(std::move(votes)));
  return out;
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

Scenario vision_scenario(const VisionRun& run) {
  if (run.scenario.empty() || !run.measured) {
    throw Error(ErrorKind::no_answer, run.why_not.empty() ? "not measured" : run.why_not);
  }
  Scenario scenario;
  std::string_view rest = run.scenario;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size() - 1);
    scenario.set(require_field(pair.substr(0, equals)), pair.substr(equals + 1), run.id);
  }
  return scenario;
}

VisionValidation validate_vision(const Catalog& catalog, const ValidationFilter& filter) {
  VisionValidation out;
  EstimateOptions options;
  options.assumptions = false;
  Estimator estimator(catalog, options);
  for (const VisionRun& run : catalog.runs().vision_runs) {
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
  out.vision = votes_of(out.rows, false);
  out.contrastive = votes_of(out.rows, true);
  read_left_out(catalog, out);
  return out;
}

}  // namespace trcost
