// SPDX-License-Identifier: Apache-2.0
// What a commitment is worth where only providers of another kind sell it.
#pragma once

#include <optional>
#include <string_view>

#include "trcost/prices.h"

namespace trcost {

/// The chosen on-demand price times the share of their own on-demand price that providers ask under a
/// commitment: the median over providers whose verified rows have both, each with its newest row of
/// the commitment and the on-demand row nearest to it in date. Where some rows of a provider have the
/// same date, only such pairs count, since prices move. Empty where nobody publishes both, or
/// `on_demand` has no price.
std::optional<PriceQuote> discounted_price(const PriceBook& book, std::string_view accelerator,
                                           Commitment commitment, const PriceQuote& on_demand);

/// The chosen on-demand price times the discount that is usual on other accelerators: the median over
/// them of what discounted_price finds for each. With a warning, since nobody sells this one so. Empty
/// where the book has no discount at all, or `on_demand` has no price.
std::optional<PriceQuote> usual_discount_price(const PriceBook& book, std::string_view accelerator,
                                               Commitment commitment, const PriceQuote& on_demand);

}  // namespace trcost
