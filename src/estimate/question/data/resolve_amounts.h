// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Resolves tokens, samples and batch of a resolved work. Throws Error (usage) for contradictions,
/// Error (data) if the tokens of an image are unknown.
Amounts resolve_amounts(const Scenario& scenario, const ResolvedWork& work, Notes& notes);

}  // namespace trcost::estimation
