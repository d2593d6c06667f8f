// SPDX-License-Identifier: Apache-2.0
// What every document begins with, whatever command wrote it.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/report.h"

namespace trcost::report {

/// `trcost 0.2.0, price book of 2026-10-26`; without prices where the date is empty.
std::string made_by(std::string_view price_data_date = {});

}  // namespace trcost::report
