// SPDX-License-Identifier: Apache-2.0
// What a seller asks beside others of its class.
#pragma once

#include <string_view>

#include "prices/market/class_price.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// The price that recent offers of one or two sellers make. A seller that is known to ask a fifth
/// more or less than its class, over two other chips at least, counts at the level of the class:
/// its offer over the median ratio of its own prices to the class's. Taken as it is, a dear
/// seller's one offer would make the ranking of the chips. Such a price is imputed, since nobody
/// asks it; sellers whose level is in line or not known stand as they are. `offers` must not be
/// empty.
PriceQuote few_offers_price(const Market& market, std::string_view accelerator, Offers offers);

}  // namespace trcost::prices
