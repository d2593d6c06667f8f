// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "estimate/question/work/notes.h"
#include "performance/training/step_model.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::estimation {

/// Resolves the chip with its system, stack and number format. Throws Error (no_answer) if the chip
/// lacks the requested format, naming those that it has.
Platform resolve_platform(const Scenario& scenario, const Catalog& catalog,
                          std::string_view accelerator, Notes& notes);

/// Bytes/s each way that copies to the host's memory reach: as given, or from the lanes of the
/// system; empty if the system's file does not state them.
std::optional<double> host_bandwidth(const Scenario& scenario, const System& system, Notes& notes);

}  // namespace trcost::estimation
