// SPDX-License-Identifier: Apache-2.0
// What no engine serves. Each throws Error (usage) that names `flag`.
#pragma once

#include <string_view>

#include "quantity/layers.h"
#include "workload/served_model.h"

namespace trcost::performance {

/// A prompt and an answer longer than the model's context, where that is known.
void check_context(const ServedModel& model, double prompt, double answer, std::string_view flag);
/// Tokens that are guessed without the share that is accepted, or that share without a guess.
void check_speculation(double drafted, double acceptance);
/// A tensor-parallel degree that heads do not divide into.
void check_tensor_parallel(const ServedModel& model, int tp, std::string_view flag);

}  // namespace trcost::performance
