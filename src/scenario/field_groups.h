// SPDX-License-Identifier: Apache-2.0
// The words of the groups of fields.
#pragma once

#include "quantity/choice.h"
#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::scenario {

/// In the order of the table of fields.
inline constexpr Choice<FieldGroup> kFieldGroups[] = {{"model", FieldGroup::model},
                                                      {"train", FieldGroup::train},
                                                      {"data", FieldGroup::data},
                                                      {"rollout", FieldGroup::rollout},
                                                      {"hardware", FieldGroup::hardware},
                                                      {"layout", FieldGroup::layout},
                                                      {"efficiency", FieldGroup::efficiency},
                                                      {"cost", FieldGroup::cost},
                                                      {"range", FieldGroup::range}};

}  // namespace trcost::scenario
