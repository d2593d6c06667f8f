// SPDX-License-Identifier: Apache-2.0
// What serve does not answer. Each throws Error with the next step.
#pragma once

#include "planner/serving_layout.h"
#include "quantity/layers.h"
#include "trcost/serving.h"

namespace trcost::study {

/// A question that makes no sense, whatever the platform.
void refuse_question(const ServingQuestion& question, const ServedModel& model);
/// Degrees that do not go with each other or with the model.
void refuse_layout(const ServingSearch& search, const ServedModel& model);
/// No layout holds the weights and one request, or none divides the heads as asked. `smallest`: the
/// smallest replica that would.
[[noreturn]] void refuse_to_fit(const ServedModel& model, const ServingRow& row,
                                const ServingSearch& search, std::optional<int> smallest);
/// The load or the speed asked for is out of reach of the best layout.
[[noreturn]] void refuse_load(const ServingQuestion& question, const ServingChoice& choice,
                              const ServingRow& row, const Engine& engine);

}  // namespace trcost::study
