// SPDX-License-Identifier: Apache-2.0
// What an accelerator-hour costs whoever owns the machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/derivation.h"
#include "trcost/hardware.h"
#include "trcost/prices.h"

namespace trcost {

/// Constants of Epoch AI's method (github.com/epoch-research/training-cost-trends,
/// cost_analysis_standalone.py; Cottier et al., arXiv:2405.21015).
inline constexpr double kDepreciationPerYear = 0.14;  ///< orders of magnitude of price per year
inline constexpr double kNetworkShare = 0.19;         ///< of the cluster's cost

/// Purchase price of the server per accelerator, without the cluster's network.
struct PurchasePrice {
  std::optional<double> usd_per_gpu;
  std::string source;
  std::string date;
};

/// From, in this order: the user's price of a chip; the price of a whole machine, the newer one of the
/// book (those that hyperscalers pay left out) and of the system's file; a chip's price, of its file or
/// of the book. Chips are multiplied by their server_price_multiple: quotes of machines
/// lie well below that for H100 and A100, so a quote comes first wherever there is one.
PurchasePrice server_price(const Accelerator& accelerator, const System& system,
                           const PriceBook& book, std::optional<double> given_chip_usd = {});

/// price x r x ln 10 / 8766: economic depreciation per hour at r orders of magnitude per year.
double depreciation_per_hour(double usd, double oom_per_year = kDepreciationPerYear);
/// price x 10^(-r years): what the machine is worth after that age.
double depreciated_price(double usd, double years, double oom_per_year = kDepreciationPerYear);
/// share / (1 - share) of the server's cost.
double network_cost(double server_cost, double network_share = kNetworkShare);

struct OwnershipInputs {
  std::optional<double> server_usd_per_gpu;      ///< when bought
  double age_years = 0;                          ///< since then
  std::optional<double> system_watts_per_gpu;
  double mean_draw = kUsualMeanDraw;
  double pue = 1.25;
  std::optional<double> usd_per_kwh;
  double colocation_usd_per_kw_month = 150;
  double utilization = 0.8;                      ///< share of the hours in use
};

/// USD per accelerator-hour in use. Empty where an input is unknown.
struct OwnershipCost {
  std::optional<double> server;
  std::optional<double> network;
  std::optional<double> energy;
  std::optional<double> colocation;
  std::optional<double> idle;   ///< server, network and colocation of the hours that nobody uses
  std::optional<double> total;
};
OwnershipCost compute_ownership(const OwnershipInputs& inputs);

/// The utilisation at which owning costs as much per used hour as renting:
/// (server + network + colocation) / (rent - energy). Above 1: renting is cheaper however busy the
/// cluster is. Empty when unknown, or when the energy alone costs more than the rent.
std::optional<double> break_even_utilization(const OwnershipCost& cost, double rent_usd_per_gpu_hour);

std::vector<Derivation> derive_ownership(const OwnershipInputs& inputs, const OwnershipCost& cost,
                                         const PurchasePrice& price);
/// Empty where an hour of owning is not known.
std::optional<Derivation> derive_break_even(const OwnershipCost& cost, double rent_usd_per_gpu_hour,
                                            std::string_view rent_source);

}  // namespace trcost
