// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Resolves the data of contrastive training into `out`, whose model is a pair of towers: one pair
/// of image and text is one sequence, and nothing is packed. The batch is part of the loss.
void resolve_pairs(const Scenario& scenario, ResolvedWork& out, Notes& notes);

/// Resolves the amounts of contrastive training.
Amounts resolve_pair_amounts(const Scenario& scenario, const ResolvedWork& work, Notes& notes);

}  // namespace trcost::estimation
