// SPDX-License-Identifier: Apache-2.0
#include "trcost/estimate.h"

#include <algorithm>
#include <cmath>

#include "catalog/data_file.h"
#include "catalog/strict_json.h"
#include "trcost/error.h"

namespace trcost {
namespace {

constexpr std::string_view kFile = "runs/token_budgets.json";
// Less than that many times the compute-optimal tokens is the same answer.
constexpr double kClearlyMore = 1.5;
// Below that share of the parameters an adapter learns, not a model.
constexpr double kWhole = 0.5;

// The nearest in size; one of the same modality before one that is not.
TokenExample nearest_example(const JsonValue& models, double params, bool vision) {
  TokenExample best;
  double least = 0;
  for (const JsonValue& value : models.array()) {
    ObjectReader row = value.object();
    TokenExample each;
    each.name = row.required_text("name");
    const bool same = (row.required_text("modality") == "vl") == vision;
    each.params = row.required_number("params", 1e6, 1e14);
    each.tokens = row.required_number("tokens", 1e9, 1e15);
    each.source = row.required_text("source");
    row.finish();
    constexpr double kOtherModality = 100;
    const double ratio = each.params / params;
    const double distance = std::max(ratio, 1 / ratio) * (same ? 1 : kOtherModality);
    if (!best.name.empty() && distance >= least) continue;
    least = distance;
    best = std::move(each);
  }
  return best;
}

std::optional<TokenAlternative> priced(const Scenario& scenario, const Catalog& catalog,
                                       const Estimate& optimal, double tokens) {
  Scenario other = scenario;
  other.set_number(Field::data_tokens, tokens);
  Estimate found;
  try {
    Estimator(catalog, {.assumptions = false, .derivations = false, .range = false})
        .run_one(other, optimal.accelerator, found);
  } catch (const Error&) {
    return std::nullopt;  // no cluster finishes by the deadline
  }
  TokenAlternative out;
  out.tokens = tokens;
  out.accelerator = found.accelerator;
  out.gpus = found.gpus;
  out.gpu_hours = found.gpu_hours;
  out.wall_clock_seconds = found.wall_clock_seconds;
  out.total_usd = found.cost.total;
  if (!std::isfinite(out.gpu_hours) || !std::isfinite(out.total_usd.value_or(0))) {
    return std::nullopt;
  }
  return out;
}

}  // namespace

std::vector<TokenAlternative> token_alternatives(const Scenario& scenario, const Catalog& catalog,
                                                 const Estimate& optimal) {
  std::vector<TokenAlternative> out;
  const ModelSummary& model = optimal.model;
  if (!optimal.tokens.compute_optimal || !scenario.stages.empty()) return out;
  if (model.params_trainable.value_or(0) < kWhole * model.params_total) return out;
  const JsonValue root = read_data_file(catalog, kFile);
  ObjectReader reader = root.object();
  for (const std::string_view key : {"schema_version", "note", "retrieved"}) reader.accept(key);
  for (const JsonValue& value : reader.required_value("budgets").array()) {
    ObjectReader row = value.object();
    const double tokens = row.required_number("tokens", 1e9, 1e15);
    const JsonValue models = row.required_value("models");
    row.finish();
    if (tokens < kClearlyMore * optimal.tokens.total) continue;
    std::optional<TokenAlternative> found = priced(scenario, catalog, optimal, tokens);
    if (!found) continue;
    found->example = nearest_example(models, model.params_total, model.params_vision > 0);
    out.push_back(std::move(*found));
  }
  reader.finish();
  return out;
}

}  // namespace trcost
