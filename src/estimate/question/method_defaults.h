// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Fills in the data of a post-training method, in `adapted`: rollouts as samples of the policy, or
/// the usual number of examples. False for pre-training and for fine-tuning on given data. Throws
/// Error (usage) for fields that contradict the method.
bool method_defaults(const Scenario& scenario, const Catalog& catalog, Notes& notes,
                     Scenario& adapted);

}  // namespace trcost::estimation
