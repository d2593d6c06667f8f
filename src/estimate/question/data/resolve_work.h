// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Resolves the model, what learns of it and what a sequence of the data holds. Throws Error
/// (usage) for contradictions.
ResolvedWork resolve_work(const Scenario& scenario, const Catalog& catalog, Notes& notes);

}  // namespace trcost::estimation
