// SPDX-License-Identifier: Apache-2.0
// A number of a page in a cell of a sheet: a number still, looking as it does on the page.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::report {

struct ShownNumber {
  double value = 0;
  std::string format;  ///< of a spreadsheet: `"~$"#,##0`
};

/// How a cell shows `value` where people read `words`: `$84.9k` is 84,873 as `"$"#,##0`; `312`
/// under a heading in TFLOP/s is 312, whatever the base unit; `27.5 d` of seconds is 27.5 `"d"`.
/// None for words that hold more than one number, or none.
std::optional<ShownNumber> shown_number(double value, std::string_view words);

/// A duration, `value` in seconds: hours, below a minute seconds.
ShownNumber shown_duration(double value);

}  // namespace trcost::report
