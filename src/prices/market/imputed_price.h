// SPDX-License-Identifier: Apache-2.0
// The price of a chip that nobody of a class sells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prices/market/class_price.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// The chip whose price says most of another's.
struct Sibling {
  std::string_view name;
  double factor = 1;            ///< the other's price over its, at those who price both
  std::vector<double> factors;  ///< of each of them
  std::string sellers;          ///< their names
  std::string list;             ///< what they ask for both
  PriceRows rows;               ///< likewise
  Offers offers;                ///< of the sibling
};
/// The chip with a market price in the class that most sellers of any class price beside this one,
/// on demand or for a term, both rows within half a year; of those the one nearest in price; of
/// spot prices and blocks the one with the newest row. Empty where there is none.
std::optional<Sibling> nearest_sibling(const Market& market, std::string_view accelerator);

/// What the class asks for the sibling, times the median over sellers of their own ratio.
PriceQuote scaled_price(const Market& market, std::string_view accelerator, const Sibling& sibling,
                        const PriceQuote& theirs);

/// Both of it; empty where there is no sibling.
std::optional<PriceQuote> sibling_price(const Market& market, std::string_view accelerator);

/// From another class that sells it so, times the median over chips that both classes sell of the
/// ratio of their prices. Empty where there is none.
std::optional<PriceQuote> other_class_price(const Market& market, std::string_view accelerator);

/// Spread of ln(price / imputed price): what leaving out chips whose market price is known gives
/// (test_price_classes.cpp checks it).
inline constexpr double kImputedSigma = 0.25;

}  // namespace trcost::prices
