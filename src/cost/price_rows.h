// SPDX-License-Identifier: Apache-2.0
// Sums over price rows that every way of choosing a price shares.
#pragma once

#include <string>
#include <vector>

#include "trcost/price_book.h"

namespace trcost {

inline constexpr double kListSigma = 0.10;   ///< one provider's list price (model.md 10: contract)
inline constexpr double kWidestSigma = 0.6;  ///< of ln(price), whatever the quotes

/// To a millionth of a dollar, so that a mean of two prices has no digits of binary rounding.
double median_price(std::vector<double> prices);

/// `Lambda 8x $2.99 (2025-H2)`.
std::string describe_row(const PriceRow& row);

}  // namespace trcost
