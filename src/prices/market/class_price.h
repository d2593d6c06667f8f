// SPDX-License-Identifier: Apache-2.0
// What the sellers of a class ask, and how much a seller's offer can be relied on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "prices/market/price_rows.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// Sellers whose newest quarter decides: with four the median does not hang on one of them.
inline constexpr std::size_t kEnoughSellers = 4;

/// Of what time offers are, seen from the book's newest row.
enum class Recency : std::uint8_t {
  none,    ///< there is no offer
  recent,  ///< the newest one is of the last year, and its date known
  old,     ///< of the last two years, or of a guessed date in them
  past,    ///< older, or undated: prices have moved since
};

/// The offers that decide, each seller once; empty where the class has none.
struct Offers {
  PriceRows rows;
  int months = 0;  ///< of `recent` ones: within how many before their newest
  Recency recency = Recency::none;
  std::string_view newest = {};  ///< first day of the newest row; empty: not known
  [[nodiscard]] bool recent() const { return recency == Recency::recent; }
};
Offers offers_of(const Market& market, std::string_view accelerator);

/// Of spot prices and blocks: what the newest row says is the market, since it moves with what is
/// idle.
bool newest_row_decides(const Market& market);

/// Their median; `rule` says how many of whom and of when. `offers` must not be empty.
PriceQuote offered_price(const Market& market, std::string_view accelerator, Offers offers);

/// Whether the offers make a market price by themselves: recent ones of three sellers, or of two
/// that agree; of an index one is a market, and spot prices and blocks are what the newest rows
/// say.
bool is_market_price(const Market& market, const Offers& offers);

}  // namespace trcost::prices
