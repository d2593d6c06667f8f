// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::quantity {

/// First and last day of a date, YYYY-MM-DD.
struct DateSpan {
  std::string first, last;
};
/// The days of a year from 1990 to 2100, of a half of it, of a month or of a day that exists:
/// `2026`, `2026-H1`, `2026-02`, `2026-02-28`. Empty for another text.
std::optional<DateSpan> date_span(std::string_view text);

}  // namespace trcost::quantity
