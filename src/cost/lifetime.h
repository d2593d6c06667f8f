// SPDX-License-Identifier: Apache-2.0
// Cost of accelerators over years, rented or owned.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cost/ownership.h"
#include "quantity/layers.h"

namespace trcost::cost {

/// Standard deviation per square root of a year of ln(rent): rents of the same chips rose by 33 to
/// 53 % from autumn 2025 to autumn 2026 in the price book, ln 0.29 to 0.43.
inline constexpr double kRentDriftSigma = 0.3;
/// Years of use, and the share of their hours in use.
struct YearsOfUse {
  double years = 3;
  double utilization = 1;
  [[nodiscard]] double hours() const;       ///< in all
  [[nodiscard]] double used_hours() const;  ///< in use
};

/// Hours of a rent that are paid per accelerator. On demand (`term_years` 0) these are the used
/// ones. A term is paid in whole, used or not, and renewed until the years are covered.
double paid_hours(const YearsOfUse& use, double term_years);

/// Mean of (1 + growth)^n over the paid hours. On demand, n is the number of whole years passed.
/// For a term, it is that number at the start of the term, which fixes the price.
double mean_price_factor(const YearsOfUse& use, double term_years, double growth);

/// Standard deviation of ln(rent over the years): that of the price, and the mean of a drift that
/// begins when the first term ends (variance of the mean of a random walk: a third of its last).
double rent_sigma(double price_sigma, const YearsOfUse& use, double term_years);

/// A part of the cost, USD per accelerator. Parts sum to the total. The resale value is negative.
struct LifetimePart {
  std::string_view name;
  double usd = 0;
};

/// Cost of owning an accelerator for years, bought new at the quoted price.
struct LifetimeOwnership {
  std::vector<LifetimePart> parts;  ///< servers, network, resale, capital, space, energy, support
  double sigma = 0;                 ///< standard deviation of ln(total)
  [[nodiscard]] double usd(std::string_view part) const;
  [[nodiscard]] double total() const;
  /// Paid whether the accelerator is in use or not: all but the energy.
  [[nodiscard]] double fixed() const { return total() - usd("energy"); }
};

/// Purchase of server and network, less their value after the years (Epoch AI's depreciation), cost
/// of capital on the falling book value (price x rate x (1 - exp(-r years)) / r), space,
/// energy of the used hours, and support. Empty if a price or the power is unknown.
std::optional<LifetimeOwnership> own_for_years(const OwnershipInputs& inputs,
                                               const YearsOfUse& use);

/// The utilization at which fixed costs and energy equal the on-demand rent of the used hours. All
/// are USD per accelerator over the years, `energy` and `rent` at full use. Above 1 renting is
/// cheaper at any load. Empty if the energy alone costs more than the rent.
std::optional<double> break_even_use(double fixed, double energy, double rent);

}  // namespace trcost::cost
