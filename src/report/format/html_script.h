// SPDX-License-Identifier: Apache-2.0
// The scripts of a page of HTML, which is complete without them: no network, no storage.
#pragma once

#include <string_view>

#include "quantity/layers.h"

namespace trcost::report {

/// Sorts the rows of `table.sort` by a click on a head, and filters them by words.
extern const std::string_view kTableScript;
/// Draws the strip of inputs below what_if_data() and computes with its cells.
extern const std::string_view kWhatIfScript;

}  // namespace trcost::report
