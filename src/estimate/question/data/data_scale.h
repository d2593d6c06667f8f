// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Whether the tokens are so few that the run can only adapt trained weights: less than a quarter
/// of the compute-optimal ones.
bool is_adaptation(const ResolvedWork& work, const Amounts& amounts);

/// Says so where the tokens are far fewer than the model would take from scratch: an assumption
/// that the run adapts trained weights, and a warning where the question may be one of
/// pre-training, that is, where the whole language model learns from a token budget.
void note_data_scale(const ResolvedWork& work, const Amounts& amounts, Notes& notes);

}  // namespace trcost::estimation
