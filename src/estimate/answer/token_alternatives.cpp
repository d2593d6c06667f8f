// SPDX-License-Identifier: Apache-2.0
#include "trcost/estimate.h"

#include <algorithm>
#include <cmath>

#include "catalog/runs/runs.h"
#include "quantity/layers.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

// Fewer times the compute-optimal tokens are about the same answer.
constexpr double kClearlyMore = 1.5;
// A smaller trainable share of the parameters is an adapter, not a model.
constexpr double kWhole = 0.5;

// The model nearest in size, preferring the same modality, and mixtures of experts for one.
TokenExample nearest_example(const TokenBudget& budget, const ModelSummary& model) {
  const double params = model.params_total;
  const bool vision = model.params_vision > 0;
  const BudgetModel* best = nullptr;
  double least = 0;
  for (const BudgetModel& each : budget.models) {
    constexpr double kOtherModality = 1e6, kOtherKind = 1e3;
    const double ratio = each.params / params;
    const double distance = std::max(ratio, 1 / ratio) *
                            (each.vision == vision ? 1 : kOtherModality) *
                            (each.mixture == model.sparse() ? 1 : kOtherKind);
    if (best != nullptr && distance >= least) continue;
    least = distance;
    best = &each;
  }
  return {best->name, best->params, best->tokens, best->source};
}

// Published budgets that are clearly larger than compute-optimal tokens. None if tokens or samples
// are given, for stages, and if the language model is not trained as a whole.
std::vector<TokenBudget> clearly_larger_budgets(const Scenario& scenario, const Catalog& catalog,
                                                const Estimate& optimal) {
  const ModelSummary& model = optimal.model;
  if (!optimal.tokens.compute_optimal || !scenario.stages.empty()) return {};
  if (model.params_trainable.value_or(0) < kWhole * model.params_total) return {};
  std::vector<TokenBudget> budgets = load_token_budgets(catalog);
  std::erase_if(budgets, [&](const TokenBudget& budget) {
    return budget.tokens < kClearlyMore * optimal.tokens.total;
  });
  return budgets;
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

std::optional<TokenExample> token_example(const Scenario& scenario, const Catalog& catalog,
                                          const Estimate& optimal) {
  const std::vector<TokenBudget> larger = clearly_larger_budgets(scenario, catalog, optimal);
  if (larger.empty()) return std::nullopt;
  return nearest_example(larger.front(), optimal.model);
}

std::optional<PublishedHours> published_hours(const Catalog& catalog, const Estimate& estimate) {
  if (!estimate.tokens.published || estimate.model.from_size) return std::nullopt;
  constexpr std::string_view kWholeRun = "pretrain";  // also with post-training
  for (const catalog::PublishedRun& run : catalog.runs().runs) {
    const bool whole = run.stage.starts_with(kWholeRun) && run.verified && run.gpu_hours;
    if (!whole || !quantity::same_folded(run.name, estimate.model.name)) continue;
    return PublishedHours{*run.gpu_hours, run.accelerator, run.source};
  }
  return std::nullopt;
}

std::optional<UnseenError> unseen_error(const Catalog& catalog, const Estimate& estimate) {
  const auto& quality = estimate.performance.quality;
  if (!quality || quality->own) return std::nullopt;
  const std::string_view kind = estimate.rollout                   ? "rounds"
                                : estimate.model.params_vision > 0 ? "vision"
                                                                   : "throughput";
  for (const catalog::UnseenErrorRow& row : catalog::load_unseen_errors(catalog)) {
    if (row.kind == kind) return UnseenError{row.sources, row.median_error, row.tenth_factor};
  }
  return std::nullopt;
}

std::vector<TokenAlternative> token_alternatives(const Scenario& scenario, const Catalog& catalog,
                                                 const Estimate& optimal) {
  std::vector<TokenAlternative> out;
  for (const TokenBudget& budget : clearly_larger_budgets(scenario, catalog, optimal)) {
    std::optional<TokenAlternative> found =
        priced_budget(scenario, catalog, optimal, budget.tokens);
    if (!found) continue;
    found->example = nearest_example(budget, optimal.model);
    out.push_back(std::move(*found));
  }
  return out;
}

}  // namespace trcost
