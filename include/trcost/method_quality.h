// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace trcost {

/// The name of the method and how good it is near a scenario, from the residuals of the published
/// rows nearest to it.
struct MethodQuality {
  std::string_view name;      ///< e.g. `analytic`
  double sigma = 0;           ///< standard deviation of ln(predicted/measured)
  double median_error = 0;    ///< median |predicted/measured - 1|
  int rows = 0;               ///< published rows behind it
  std::string_view family;    ///< which rows, in words
  bool measured = false;      ///< the chip has rows of its own
  bool own = false;           ///< the rows are steps that the user measured (trcost calibrate)
};

}  // namespace trcost
