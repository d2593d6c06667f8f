// SPDX-License-Identifier: Apache-2.0
// What is said of an answer beside its figures.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "estimate/cluster/execution.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Warns of memory that does not fit or is tight, of less than one step, of a given MFU that no
/// chip reaches.
void warn_about_plan(const Task& task, const Estimate& out, Notes& notes);

/// The second-best layout and by how much it is slower.
std::string runner_up_text(const Plan& plan);

/// What the planner looked at and what the price is made of, for who asks how it went.
void trace_choices(const Execution& execution, const PriceQuote& price, const Estimate& out,
                   const std::function<void(std::string_view)>& trace);

}  // namespace trcost::estimation
