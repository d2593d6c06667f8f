// SPDX-License-Identifier: Apache-2.0
// What an hour, a kilowatt-hour and a gigabyte cost.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cost/energy.h"
#include "cost/ownership.h"
#include "estimate/question/platform.h"
#include "prices/market/price_quote.h"
#include "prices/rows/regions.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Prices and rates that do not depend on the layout; prepared once per platform and scenario.
struct Rates {
  bool own = false;
  std::optional<PriceQuote> listed;  ///< an hour in the book; empty where the user gave its price
  PriceQuote on_demand;              ///< with spot: what an uninterrupted hour costs
  PriceQuote storage_price;
  PriceQuote egress_price;
  PurchasePrice purchase;
  OwnershipInputs ownership_inputs;
  OwnershipCost ownership;
  double pue = default_number(Field::cost_pue);
  double draw = 1;    ///< mean, of the power
  SystemPower power;  ///< of the whole system per accelerator
  std::optional<double> usd_per_kwh;
  std::optional<double> kg_co2_per_kwh;
  std::string electricity_source;
  std::string electricity_date;
};

}  // namespace trcost::estimation
