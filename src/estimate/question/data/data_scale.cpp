// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/data/data_scale.h"

#include <fmt/format.h>

#include "trcost/tokens.h"

namespace trcost::estimation {
namespace {

// Fewer than a quarter of the compute-optimal tokens. There, by the law itself, a model of less
// than half the parameters reaches the same loss with a tenth less compute, so nobody who starts
// from scratch would choose the larger one.
constexpr double kAdaptation = 0.25;

// tokens / D*(N), D* = the compute-optimal tokens of N active parameters (optimal_tokens()).
double of_optimal(const ResolvedWork& work, const Amounts& amounts) {
  return amounts.tokens.total / optimal_tokens(work.params.active);
}

}  // namespace

bool is_adaptation(const ResolvedWork& work, const Amounts& amounts) {
  return of_optimal(work, amounts) < kAdaptation;
}

void note_data_scale(const ResolvedWork& work, const Amounts& amounts, Notes& notes) {
  if (!notes.wanted() || !amounts.tokens_given || work.workload.contrastive_batch > 0) return;
  const double optimal = optimal_tokens(work.params.active);
  const double ratio = of_optimal(work, amounts);
  if (!is_adaptation(work, amounts)) return;
  const std::string numbers = fmt::format(
      "{} tokens are {} of the {} that are compute-optimal for {} parameters",
      format_number(amounts.tokens.total, NumberKind::count),
      format_number(ratio, NumberKind::fraction, 2), format_number(optimal, NumberKind::count),
      format_number(work.params.active, NumberKind::count));
  const bool whole = work.workload.language_training == Training::full;
  notes.add({"data.scale",
             fmt::format("adaptation, {} of compute-optimal",
                         format_number(ratio, NumberKind::fraction, 2)),
             "",
             numbers + (whole ? ": the weights are taken to be trained already"
                              : "; the language model is trained already"),
             "Hoffmann et al. refit by Epoch AI (arXiv:2404.10102)"});
  if (!whole || amounts.samples) return;
  notes.warn("adaptation scale: " + numbers +
             "; enough to adapt trained weights, but a model trained from scratch on them would be "
             "undertrained");
}

}  // namespace trcost::estimation
