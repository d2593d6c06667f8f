// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/sweep/axis.h"
#include "trcost/scenario.h"

namespace trcost::cli {

/// Notes the files that a scenario names (models, chips, systems) as read. A sweep reads them row
/// by row while its output grows in place, which has to be refused before the first.
void note_named_files(const Scenario& scenario);
void note_named_files(const SweepAxis& axis);

}  // namespace trcost::cli
