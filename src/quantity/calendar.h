// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantity/layers.h"

namespace trcost::quantity {

/// Days of a month (1 to 12) of the Gregorian calendar.
int days_in_month(int year, int month);

/// True for a year from 1990 to 2100, a half of it, a month or a day that exists: `2026`,
/// `2026-H1`, `2026-02`, `2026-02-28`.
bool is_date(std::string_view text);

}  // namespace trcost::quantity
