// SPDX-License-Identifier: Apache-2.0
// Prices of an hour, a kilowatt-hour and a gigabyte.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cost/energy.h"
#include "cost/ownership.h"
#include "estimate/question/work/notes.h"
#include "performance/training/step_model.h"
#include "prices/market/price_quote.h"
#include "prices/rows/regions.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Prices and rates that do not depend on the layout; prepared once per platform and scenario.
struct Rates {
  bool own = false;
  std::optional<PriceQuote> listed;  ///< an hour in the book; empty if the user gave its price
  PriceQuote on_demand;              ///< with spot: price of an uninterrupted hour
  PriceQuote storage_price;
  PriceQuote egress_price;
  PurchasePrice purchase;
  OwnershipInputs ownership_inputs;
  OwnershipCost ownership;
  double pue = default_number(Field::cost_pue);
  double draw = 1;    ///< mean share of the rated power
  SystemPower power;  ///< of the whole system per accelerator
  std::optional<double> usd_per_kwh;
  std::optional<double> kg_co2_per_kwh;
  std::string electricity_source;
  std::string electricity_date;
};

/// Warns of a --node-price far from the newest quote: a price per GPU typed as that of a machine
/// makes owning look several times too cheap.
void warn_about_node_price(const Scenario& scenario, const Catalog& catalog,
                           const performance::Platform& platform, const cost::PurchasePrice& price,
                           Notes& notes);

/// Warns of a purchase price that was quoted over a year before. `whose` follows its name in words.
void warn_about_old_quote(std::string_view whose, const PurchasePrice& price, const PriceAge& age,
                          Notes& notes);

/// Resolves prices and rates. Throws Error (usage) for fields that exclude each other, Error (data)
/// if owning needs an electricity price that the region lacks.
std::shared_ptr<const Rates> resolve_rates(const Scenario& scenario, const Catalog& catalog,
                                           const Platform& platform, Notes& notes);

/// Price of an hour as the user gave it, else from the book. With Rates::own it is the rent to
/// compare with.
std::shared_ptr<const PriceQuote> price_of(const Scenario& scenario, const Accelerator& accelerator,
                                           const std::shared_ptr<const Rates>& rates);

}  // namespace trcost::estimation
