// SPDX-License-Identifier: Apache-2.0
// Number formats of a spreadsheet that show a number as the page does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::report {

struct ShownNumber {
  double value = 0;
  std::string format;  ///< `"~$"#,##0`
};

/// Returns the number and format of a cell for a value that the page shows as `words`: 84,873 as
/// `"$"#,##0` for `$84.9k`, 312 for `312` under a heading in TFLOP/s, 27.5 as `"d"` for `27.5 d`.
/// None for words with no number or several.
std::optional<ShownNumber> shown_number(double value, std::string_view words);

/// Returns a duration in days, below two days in hours, and below a minute in seconds.
ShownNumber shown_duration(double seconds);

}  // namespace trcost::report
