// SPDX-License-Identifier: Apache-2.0
// The price of a chip that nobody of a class sells.
#pragma once

#include <optional>
#include <string_view>

#include "cost/price_rows.h"

namespace trcost {

/// From the chip's nearest sibling: the price that the class asks for it, times the median over
/// sellers of any class of their own price of the one over their price of the other, on demand or
/// for a term, both rows within half a year. The sibling is the chip with a market price in the
/// class of the last year that most sellers price beside it, of those the one nearest in price; of
/// spot prices and blocks the one with the newest row. Empty where there is none with `sellers`
/// ratios.
std::optional<PriceQuote> sibling_price(const Market& market, std::string_view accelerator,
                                        std::size_t sellers = 1);

/// From another class that sells it so, times the median over chips that both classes sell of the
/// ratio of their prices. Empty where there is none.
std::optional<PriceQuote> other_class_price(const Market& market, std::string_view accelerator);

/// Spread of ln(price / imputed price): what leaving out chips whose market price is known gives
/// (test_price_classes.cpp checks it).
inline constexpr double kImputedSigma = 0.25;

}  // namespace trcost
