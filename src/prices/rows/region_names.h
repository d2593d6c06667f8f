// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantity/layers.h"

namespace trcost::prices {

/// Whether two names of regions differ in case and spaces only: `East US` is `eastus`, but AWS's
/// us-east-1 lies elsewhere than Google's us-east1.
bool same_region_name(std::string_view a, std::string_view b);

}  // namespace trcost::prices
