// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Resolves tokens, samples and batch of a resolved work. Throws Error (usage) for contradictions,
/// Error (data) if the tokens of an image are unknown.
Amounts resolve_amounts(const Scenario& scenario, const ResolvedWork& work, Notes& notes);

/// Ratio tokens / D*(N), with D* the compute-optimal tokens of N active parameters.
double ratio_to_optimal(const ResolvedWork& work, const Amounts& amounts);

/// Whether the tokens are less than a quarter of the compute-optimal ones, so that the run can only
/// adapt trained weights.
bool is_adaptation(const ResolvedWork& work, const Amounts& amounts);

/// Notes that the run adapts trained weights if is_adaptation(). Warns if the whole language model
/// learns from a token budget, since the question may be one of pre-training.
void note_data_scale(const ResolvedWork& work, const Amounts& amounts, Notes& notes);

}  // namespace trcost::estimation
