// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "catalog/regions.h"
#include "cost/goodput.h"
#include "cost/ownership.h"
#include "cost/prices.h"
#include "cost/storage.h"
#include "estimate/platform.h"
#include "trcost/energy.h"
#include "trcost/estimate.h"

namespace trcost {

/// What of the wall-clock time is steps.
struct UsefulTime {
  FailureInputs failures;
  GoodputResult goodput;
  bool goodput_given = false;
  double goodput_share = 1;
  double production_overhead = 1;
  [[nodiscard]] double share() const { return goodput_share * production_overhead; }
};
/// `busy_seconds`: all steps, without interruption.
UsefulTime resolve_useful_time(const Scenario& scenario, const ResolvedWork& work,
                               const System& system, double gpus, double busy_seconds);
void note_useful_time(const Scenario& scenario, const UsefulTime& useful, Notes& notes);

/// Prices and rates that do not depend on the layout; prepared once per platform and scenario.
struct Rates {
  bool own = false;
  PriceQuote price;         ///< with own: the rent to compare with
  PriceQuote on_demand;     ///< with spot: what an uninterrupted hour costs
  PriceQuote storage_price;
  PriceQuote egress_price;
  PurchasePrice purchase;
  OwnershipInputs ownership_inputs;
  OwnershipCost ownership;
  double pue = 1.25;
  double draw = 0.75;
  SystemPower power;        ///< of the whole system per accelerator
  std::optional<double> usd_per_kwh;
  std::optional<double> kg_co2_per_kwh;
  std::string electricity_source;
  std::string electricity_date;
};
Rates resolve_rates(const Scenario& scenario, const Catalog& catalog, const Platform& platform,
                    Notes& notes);

/// What the energy of an estimate is made from.
EnergyInputs energy_inputs(const Scenario& scenario, const Rates& rates,
                           const Estimate& estimate);

/// What the storage of an estimate is made from.
StorageInputs storage_inputs(const Scenario& scenario, const ResolvedWork& work,
                             const Estimate& estimate);

/// Fills energy and cost of an estimate whose GPU-hours are known.
void add_money(const Scenario& scenario, const ResolvedWork& work, const Rates& rates,
               Estimate& out);

/// Says so where spot, with the work that its interruptions lose, costs more than on-demand.
void warn_about_spot(const UsefulTime& useful, const Rates& rates, const Estimate& out,
                     Notes& notes);

/// Estimates another scenario on the same platform, without a range.
using Reestimate = std::function<Estimate(const Scenario&)>;

/// What the range of a round is drawn from, its own spreads (model.md 10) and those that the user gave.
/// Throws Error (usage) for a range of a field that has steps.
RangeInputs range_inputs(const Scenario& scenario, const ResolvedWork& work, const Rates& rates,
                         const UsefulTime& useful, const Reestimate& estimate, const Estimate& out);

}  // namespace trcost
