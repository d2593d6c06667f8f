// SPDX-License-Identifier: Apache-2.0
// Settings with which a training that is too large for its GPUs fits on them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "quantity/layers.h"
#include "trcost/layout.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Returns the memory that a scenario needs if it fits.
using FitsMemory = std::function<std::optional<MemoryUse>(const Scenario&)>;

/// Returns a clause that names up to three settings with which `scenario` fits, each of which was
/// tried. Empty if none does.
std::string memory_remedies(const Scenario& scenario, const FitsMemory& fits);

}  // namespace trcost::estimation
