// SPDX-License-Identifier: Apache-2.0
// Cost of an accelerator-hour on owned machines.
#pragma once

#include <array>
#include <numbers>
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

/// Fall of ln(value) of a machine per year ahead: 0.14 orders of magnitude, Epoch AI's method
/// (github.com/epoch-research/training-cost-trends, cost_analysis_standalone.py; Cottier et al.,
/// arXiv:2405.21015).
inline constexpr double kDepreciationPerYear = 0.14 * std::numbers::ln10;
/// Fall of ln(price) of a chip per year of its age until now: the median of 38 later quotes, new
/// and used, of 17 chips (data/calibration/resale.csv: Epoch AI, Hardware prices.csv @263c40a, and
/// used cards of 2026). Prices held better than the method expects.
inline constexpr double kPastFallPerYear = 0.12;
/// Standard deviation of ln(price of a used chip) per year of its age: of those quotes about
/// kPastFallPerYear.
inline constexpr double kFallSigmaPerYear = 0.15;
/// Standard deviation of ln(price of a new machine) per year of the quote's age: of the 15 quotes
/// of that file that are at most two years after the first. They have no trend.
inline constexpr double kQuoteAgeSigma = 0.14;
/// Share of the network in the cluster's cost (Epoch AI, cost_analysis_standalone.py; Cottier et
/// al., arXiv:2405.21015).
inline constexpr double kNetworkShare = 0.19;

/// Purchase price of the server per accelerator, without the cluster's network.
struct PurchasePrice {
  std::optional<double> usd_per_gpu;
  bool for_sale = true;  ///< false: only its maker's cloud rents it
  std::string source;
  PriceDate date;           ///< of the quote. Empty for a price that the user set
  double machine_gpus = 1;  ///< sold together
};

/// Age of a machine's price on the answer's day. A new machine costs what was quoted, which gets
/// less certain with the quote's age. Its value falls from the purchase on.
struct PriceAge {
  double before_purchase = 0;  ///< years from the quote to the purchase, at least 0
  double since_purchase = 0;   ///< years
};
/// Age on `as_of` (YYYY-MM-DD). A quote of a month or half-year counts from its middle, and an
/// undated price is of the day of purchase.
PriceAge price_age(const PriceDate& quote, std::string_view as_of, double years_since_purchase);

/// Accelerators of a node, or of a rack that is sold as one.
double accelerators_of_quote(const System& system);

/// Prices that the user sets.
struct GivenPurchase {
  std::optional<double> chip_usd;
  std::optional<double> node_usd;  ///< of accelerators_of_quote()
};

/// Returns the user's price, else the newer price of a whole machine in the book (without those of
/// hyperscalers) or the system's file, else the newer price of a chip in its file or the book.
/// Quotes after `as_of` (YYYY-MM-DD) are not used. Without it all are.
/// Prices of chips are multiplied by server_price_multiple. Quotes of H100 and A100 machines are
/// well below that, which is why a quote comes first.
PurchasePrice server_price(const Accelerator& accelerator, const System& system,
                           const PriceBook& book, const GivenPurchase& given = {},
                           std::string_view as_of = {});

/// Accelerators that are bought for `gpus`: whole machines.
double gpus_in_whole_machines(const PurchasePrice& price, double gpus);

/// price x r / 8766: economic depreciation per hour at a fall of ln(price) by r per year.
double depreciation_per_hour(double usd, double fall_per_year = kDepreciationPerYear);
/// price x exp(-r years): the value of the machine at that age.
double depreciated_price(double usd, double years, double fall_per_year = kDepreciationPerYear);
/// -ln(1 - share): the fall of ln(price) of a yearly share.
double fall_of_share(double share_per_year);
/// Standard deviation of ln(value of a machine): of the quote and its age, unless the user gave the
/// price, and of the years in use.
double purchase_sigma(const PriceAge& age, bool price_given);
/// share / (1 - share) of the server's cost.
double network_cost(double server_cost, double network_share = kNetworkShare);
/// book value x rate / 8766: cost of capital per hour at a yearly rate, in addition to depreciation
/// (Jorgenson, Capital Theory and Investment Behavior, American Economic
/// Review 53, 1963: user cost of capital = price x (rate + depreciation)).
double capital_per_hour(double book_value, double rate);

struct OwnershipInputs {
  std::optional<double> server_usd_per_gpu;  ///< as quoted
  PriceAge age;
  double fall_per_year = kDepreciationPerYear;   ///< of ln(value), ahead
  double past_fall_per_year = kPastFallPerYear;  ///< since the purchase
  double support_rate = 0;  ///< per year, of the servers' price on the day of the purchase
  /// Per year, of the book value.
  double capital_rate = default_number(Field::cost_capital_rate);
  std::optional<double> system_watts_per_gpu;
  double mean_draw = 1;  ///< share of that power, on average
  double pue = default_number(Field::cost_pue);
  std::optional<double> usd_per_kwh;
  double colocation_usd_per_kw_month = default_number(Field::cost_colocation);
  double utilization = default_number(Field::cost_utilization);  ///< share of the hours in use
  bool purchase_given = false;  ///< the user set the price of the machine
  double energy_sigma = 0;      ///< standard deviation of ln(cost of energy)
};

/// USD per accelerator-hour in use. Empty where an input is unknown.
struct OwnershipCost {
  std::array<std::optional<double>, kPartWords.size()> standing_parts{};  ///< of standing_costs()
  std::optional<double> energy;
  std::optional<double> idle;  ///< standing cost of the unused hours
  std::optional<double> total;

  [[nodiscard]] const std::optional<double>& of(Part part) const {
    return standing_parts[static_cast<std::size_t>(part)];
  }
  /// Cost of an hour, used or not. Empty if a part is unknown.
  [[nodiscard]] std::optional<double> standing() const;
};

/// A part of the cost of an hour that is paid whether the machine is in use or not: a row of the
/// bill, and a term of idle hours and break-even.
struct StandingCost {
  Part part;
  std::string_view name;  ///< in formulas
  Driver driver;
  std::string_view source;  ///< empty: that of the purchase price
};
std::span<const StandingCost> standing_costs();

/// `(server + network + capital + colocation + support)`, without parts that cost nothing.
std::string standing_names(const OwnershipCost& cost);

OwnershipCost compute_ownership(const OwnershipInputs& inputs);

/// standing / utilisation - standing: cost of idle hours per hour in use.
double idle_cost(double standing, double utilization);
/// The utilisation that idle_cost() was computed with.
double implied_utilization(double standing, double idle);

/// Cash per accelerator on the day of the purchase, server and network. Empty where no price is
/// known.
std::optional<double> cash_per_gpu(const OwnershipInputs& inputs);

/// The utilisation at which owning costs as much per used hour as renting:
/// (server + network + capital + colocation + support) / (rent - energy). Above 1 renting is
/// cheaper at any load. Empty if unknown, or if the energy alone costs more than the rent.
std::optional<double> break_even_utilization(const OwnershipCost& cost,
                                             double rent_usd_per_gpu_hour);

std::vector<Derivation> derive_ownership(const OwnershipInputs& inputs, const OwnershipCost& cost,
                                         const PurchasePrice& price);
/// Empty where an hour of owning is not known.
std::optional<Derivation> derive_break_even(const OwnershipCost& cost, double rent_usd_per_gpu_hour,
                                            std::string_view rent_source);

}  // namespace trcost::cost
