// SPDX-License-Identifier: Apache-2.0
#include "estimate/data_scale.h"

#include <fmt/format.h>

#include "trcost/tokens.h"

namespace trcost {
namespace {

// Fewer than a quarter of the compute-optimal tokens. There, by the law itself, a model of less than
// half the parameters reaches the same loss with a tenth less compute, so nobody who starts from
// scratch would choose the larger one.
constexpr double kAdaptation = 0.25;

// tokens / D*(N), D* = the compute-optimal tokens of N active parameters (optimal_tokens()).
double of_optimal(const ResolvedWork& work) {
  return work.tokens.total / optimal_tokens(work.params.active);
}

}  // namespace

bool is_adaptation(const ResolvedWork& work) { return of_optimal(work) < kAdaptation; }

void note_data_scale(const Scenario& scenario, const ResolvedWork& work, Notes& notes) {
  if (!notes.wanted() || !work.tokens_given || work.workload.contrastive_batch > 0) return;
  const double optimal = optimal_tokens(work.params.active);
  const double ratio = of_optimal(work);
  if (!is_adaptation(work)) return;
  const std::string numbers =
      fmt::format("{} tokens are {} of the {} that are compute-optimal for {} parameters",
                  format_number(work.tokens.total, NumberKind::count),
                  format_number(ratio, NumberKind::fraction, 2),
                  format_number(optimal, NumberKind::count),
                  format_number(work.params.active, NumberKind::count));
  const bool whole = work.workload.language_training == Training::full;
  notes.add({"data.scale",
             fmt::format("adaptation, {} of compute-optimal",
                         format_number(ratio, NumberKind::fraction, 2)),
             "",
             numbers + (whole ? ": the weights are taken to be trained already"
                              : "; the language model is trained already"),
             "Hoffmann et al. refit by Epoch AI (arXiv:2404.10102)"});
  if (!whole || scenario.has(Field::data_samples)) return;
  notes.warn("adaptation scale: " + numbers +
             "; enough to adapt trained weights, but a model trained from scratch on them would be "
             "undertrained");
}

}  // namespace trcost
