// SPDX-License-Identifier: Apache-2.0
// What an accelerator-hour costs whoever owns the machine.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "trcost/bill.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::cost {

/// Standard deviation of ln(price of a server): the spread of the quotes of an 8-GPU H100 server.
inline constexpr double kPurchaseSigma = 0.20;

/// Constants of Epoch AI's method (github.com/epoch-research/training-cost-trends,
/// cost_analysis_standalone.py; Cottier et al., arXiv:2405.21015).
inline constexpr double kDepreciationPerYear = 0.14;  ///< orders of magnitude of price per year
inline constexpr double kNetworkShare = 0.19;         ///< of the cluster's cost

/// Purchase price of the server per accelerator, without the cluster's network.
struct PurchasePrice {
  std::optional<double> usd_per_gpu;
  bool for_sale = true;  ///< false: only its maker's cloud has it
  std::string source;
  PriceDate date;  ///< of the quote; empty for a price that the user gave
};

/// How the price of a machine falls from its quote to the answer's day, counted once: a quote that
/// is older than the purchase has fallen by then to what the buyer paid, and what he paid falls
/// since the purchase. Before its own day no quote is thought higher than it is.
struct PriceAge {
  double before_purchase = 0;  ///< years from the quote to the purchase, at least 0
  double since_purchase = 0;   ///< years
  [[nodiscard]] double years() const { return before_purchase + since_purchase; }
};
/// `as_of`: YYYY-MM-DD. A quote of a month or half-year counts from its middle; a price without a
/// date is that of the day of purchase.
PriceAge price_age(const PriceDate& quote, std::string_view as_of, double years_since_purchase);

/// From, in this order: the user's price of a chip; the price of a whole machine, the newer one of
/// the book (those that hyperscalers pay left out) and of the system's file; a chip's price, of its
/// file or of the book. Chips are multiplied by their server_price_multiple: quotes of machines lie
/// well below that for H100 and A100, so a quote comes first wherever there is one.
PurchasePrice server_price(const Accelerator& accelerator, const System& system,
                           const PriceBook& book, std::optional<double> given_chip_usd = {});

/// price x r x ln 10 / 8766: economic depreciation per hour at r orders of magnitude per year.
double depreciation_per_hour(double usd, double oom_per_year = kDepreciationPerYear);
/// price x 10^(-r years): what the machine is worth after that age.
double depreciated_price(double usd, double years, double oom_per_year = kDepreciationPerYear);
/// share / (1 - share) of the server's cost.
double network_cost(double server_cost, double network_share = kNetworkShare);
/// book value x rate / 8766: what the money in a machine costs per hour at a yearly rate, beside
/// the value that it loses (Jorgenson, Capital Theory and Investment Behavior, American Economic
/// Review 53, 1963: user cost of capital = price x (rate + depreciation)).
double capital_per_hour(double book_value, double rate);

struct OwnershipInputs {
  std::optional<double> server_usd_per_gpu;  ///< as quoted
  PriceAge age;
  double support_rate = 0;  ///< per year, of the servers' price on the day of the purchase
  /// Per year, of the book value.
  double capital_rate = default_number(Field::cost_capital_rate);
  std::optional<double> system_watts_per_gpu;
  double mean_draw = 1;  ///< share of that power, on average
  double pue = default_number(Field::cost_pue);
  std::optional<double> usd_per_kwh;
  double colocation_usd_per_kw_month = default_number(Field::cost_colocation);
  double utilization = default_number(Field::cost_utilization);  ///< share of the hours in use
};

/// USD per accelerator-hour in use. Empty where an input is unknown.
struct OwnershipCost {
  std::array<std::optional<double>, kPartWords.size()> standing_parts{};  ///< of standing_costs()
  std::optional<double> energy;
  std::optional<double> idle;  ///< all of it but the energy, of the hours that nobody uses
  std::optional<double> total;

  [[nodiscard]] const std::optional<double>& of(Part part) const {
    return standing_parts[static_cast<std::size_t>(part)];
  }
  /// Paid whether the machine is in use or not; empty where a part is unknown.
  [[nodiscard]] std::optional<double> standing() const;
};

/// What of an hour is paid whether the machine is in use or not: rows of the bill, of which idle
/// hours and break-even are sums.
struct StandingCost {
  Part part;
  std::string_view name;  ///< in formulas
  Driver driver;
  std::string_view source;  ///< empty: where the purchase price is from
  std::optional<double> (*usd)(const OwnershipInputs& inputs);
};
std::span<const StandingCost> standing_costs();

/// `(server + network + capital + colocation + support)`; what costs nothing is left out.
std::string standing_names(const OwnershipCost& cost);

OwnershipCost compute_ownership(const OwnershipInputs& inputs);

/// standing / utilisation - standing: what idle hours cost for each hour in use.
double idle_cost(double standing, double utilization);
/// The utilisation that idle_cost() was computed with.
double utilization_of(double standing, double idle);

/// Cash per accelerator on the day of the purchase, server and network. Empty where no price is
/// known.
std::optional<double> cash_per_gpu(const OwnershipInputs& inputs);

/// The utilisation at which owning costs as much per used hour as renting:
/// (server + network + capital + colocation + support) / (rent - energy). Above 1: renting is
/// cheaper however busy the cluster is. Empty when unknown, or when the energy alone costs more
/// than the rent.
std::optional<double> break_even_utilization(const OwnershipCost& cost,
                                             double rent_usd_per_gpu_hour);

std::vector<Derivation> derive_ownership(const OwnershipInputs& inputs, const OwnershipCost& cost,
                                         const PurchasePrice& price);
/// Empty where an hour of owning is not known.
std::optional<Derivation> derive_break_even(const OwnershipCost& cost, double rent_usd_per_gpu_hour,
                                            std::string_view rent_source);

}  // namespace trcost::cost
