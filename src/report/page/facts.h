// SPDX-License-Identifier: Apache-2.0
// Lines of the question and of the run that answers it.
#pragma once

#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "trcost/report.h"

namespace trcost::report {

/// Returns the question as it was understood.
std::vector<Fact> question_facts(const Report& report);
/// Returns how one platform runs it: cluster, layout, speed, energy, storage, method.
std::vector<Fact> run_facts(const Estimate& estimate);
/// Returns the data pipeline, or nothing without images.
std::vector<Fact> pipeline_facts(const Estimate& estimate);

}  // namespace trcost::report
