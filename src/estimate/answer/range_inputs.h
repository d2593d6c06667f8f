// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "estimate/question/question.h"
#include "estimate/range/range.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Answers the same question on the same platform and cluster with another value of a field,
/// without a range.
using Trial = std::function<Estimate(const FieldInfo& field, double value)>;

/// Inputs of the range of a round: default spreads (model.md 10) and given ranges. A given speed
/// has no spread. Throws Error (usage) for a range of a field whose effect has steps.
RangeInputs range_inputs(const Question& question, const UsefulTime& useful, bool speed_given,
                         const Trial& trial, const Estimate& out);

}  // namespace trcost::estimation
