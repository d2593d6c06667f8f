// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "estimate/question/question.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Resolves the task of a scenario that usual_recipe() has adapted. Throws as resolve_work(),
/// resolve_amounts() and prepare() do.
Task resolve_task(const Scenario& scenario, const Catalog& catalog, std::string_view accelerator,
                  Notes& notes);

/// Resolves the given cluster, deadline, speed and degrees.
FixedLayout resolve_fixed_layout(const Scenario& scenario, const Amounts& amounts);

/// Warns of a requested layout that the stack does not support.
void note_abilities(const Task& task, Notes& notes);

}  // namespace trcost::estimation
