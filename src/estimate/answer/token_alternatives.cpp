// SPDX-License-Identifier: Apache-2.0
#include "trcost/estimate.h"

#include <algorithm>
#include <cmath>

#include "catalog/runs/runs.h"
#include "quantity/layers.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

// Fewer times the compute-optimal tokens are about the same answer.
constexpr double kClearlyMore = 1.5;
// A smaller trainable share of the parameters is an adapter, not a model.
constexpr double kWhole = 0.5;

// The model nearest in size, preferring the same modality.
TokenExample nearest_example(const TokenBudget& budget, double params, bool vision) {
  const BudgetModel* best = nullptr;
  double least = 0;
  for (const BudgetModel& each : budget.models) {
    constexpr double kOtherModality = 100;
    const double ratio = each.params / params;
    const double distance =
        std::max(ratio, 1 / ratio) * (each.vision == vision ? 1 : kOtherModality);
    if (best != nullptr && distance >= least) continue;
    least = distance;
    best = &each;
  }
  return {best->name, best->params, best->tokens, best->source};
}

std::optional<TokenAlternative> priced_budget(const Scenario& scenario, const Catalog& catalog,
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

}  // namespace trcost::estimation

namespace trcost {

std::vector<TokenAlternative> token_alternatives(const Scenario& scenario, const Catalog& catalog,
                                                 const Estimate& optimal) {
  std::vector<TokenAlternative> out;
  const ModelSummary& model = optimal.model;
  if (!optimal.tokens.compute_optimal || !scenario.stages.empty()) return out;
  if (model.params_trainable.value_or(0) < kWhole * model.params_total) return out;
  for (const TokenBudget& budget : load_token_budgets(catalog)) {
    if (budget.tokens < kClearlyMore * optimal.tokens.total) continue;
    std::optional<TokenAlternative> found =
        priced_budget(scenario, catalog, optimal, budget.tokens);
    if (!found) continue;
    found->example = nearest_example(budget, model.params_total, model.params_vision > 0);
    out.push_back(std::move(*found));
  }
  return out;
}

}  // namespace trcost
