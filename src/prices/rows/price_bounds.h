// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"

namespace trcost::prices {

/// What an accelerator-hour can cost, USD: the book's prices run from 0.07 (V100 spot, Verda
/// 2025-11) to 27 (GB200 on demand, Azure 2026-09). Beyond lie placeholders and prices of whole
/// machines.
inline constexpr double kCheapestHour = 0.01;
inline constexpr double kDearestHour = 100;

}  // namespace trcost::prices
