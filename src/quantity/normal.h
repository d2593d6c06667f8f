// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution, the same bytes on every machine.
#pragma once

#include "quantity/layers.h"

namespace trcost::quantity {

/// The inverse of the standard normal distribution function, p in (0, 1); Wichura's algorithm AS
/// 241 (1988, doi:10.2307/2347330), about 16 digits. Uses +, -, x, / and square roots only.
double inverse_normal(double p);
/// Share of the standard normal distribution above x, relative error below 1.2e-7 (Numerical
/// Recipes, 2nd edition, section 6.2, erfcc).
double normal_above(double x);

}  // namespace trcost::quantity
