// SPDX-License-Identifier: Apache-2.0
// What a term takes off the prices of a class.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prices/market/price_rows.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// Share of the on-demand price that sellers of the class ask under a commitment: the median over
/// sellers, of each the median over chips of its own prices of one day, or what it publishes as its
/// discount.
struct TermShare {
  double share = 1;
  std::vector<double> of_sellers;
  std::string list;  ///< `Hyperstack 78 %, Nebius 65 %`
};
/// Empty where no seller of the class publishes both prices or a discount.
std::optional<TermShare> term_share(const Market& market);

/// The class's on-demand price times the share: imputed, since nobody of the class asks it.
PriceQuote discounted(const PriceQuote& on_demand, const TermShare& share,
                      std::string_view accelerator, const Market& market);

}  // namespace trcost::prices
