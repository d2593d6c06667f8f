// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cost of a training: rows of dollars, and their sum.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/derivation.h"

namespace trcost {

/// Purpose of a row of the bill.
enum class Part : std::uint8_t {
  compute,     ///< rent of accelerator-hours
  servers,     ///< owning: depreciation of the machines
  network,     ///< owning: depreciation of their network
  capital,     ///< owning: cost of the capital in both
  colocation,  ///< owning: the building
  support,     ///< owning: support and warranty
  idle,        ///< owning: unused hours
  energy,
  experiments,  ///< compute before the final run
  evaluation,   ///< compute for evaluation
  dataset,
  checkpoints,
  weights,
  egress,
};

/// Key for machines, name for people, and name as a part of an hour of an owned accelerator, if
/// any.
struct PartWords {
  std::string_view key;
  std::string_view name;
  std::string_view of_hour = {};
};
/// One row per part, in its order.
inline constexpr std::array kPartWords = {
    PartWords{"compute", "compute"},
    PartWords{"servers", "servers, depreciation", "servers"},
    PartWords{"network", "network, depreciation", "network"},
    PartWords{"capital", "cost of capital", "capital"},
    PartWords{"colocation", "colocation", "colocation"},
    PartWords{"support", "support", "support"},
    PartWords{"idle", "idle time per hour in use", "idle hours"},
    PartWords{"energy", "energy", "energy"},
    PartWords{"experiments", "experiments"},
    PartWords{"evaluation", "evaluation"},
    PartWords{"dataset", "dataset"},
    PartWords{"checkpoints", "full checkpoints"},
    PartWords{"weights", "weights-only checkpoints"},
    PartWords{"egress", "egress"},
};
static_assert(kPartWords.size() == static_cast<std::size_t>(Part::egress) + 1);

enum class Unit : std::uint8_t { gpu_hour, kwh, gb_month, gb };
/// `GPU-hour`, `kWh`, `GB-month`, `GB`.
std::string_view unit_name(Unit unit);

/// A quantity that an uncertain input scales, as a factor of its value in the estimate.
enum class Driver : std::uint8_t {
  hours,        ///< GPU-hours
  days,         ///< wall-clock time
  rent,         ///< price of a GPU-hour
  capital,      ///< owning: server and network per GPU-hour in use
  colocation,   ///< owning: space per GPU-hour in use
  electricity,  ///< owning: energy per GPU-hour
  dataset,      ///< bytes of the dataset x price of storage
  checkpoints,  ///< bytes of the checkpoints x price of storage
  egress,       ///< bytes that leave x their price
  experiments,  ///< compute before the final run, as a multiple of it
  evaluation,
};
inline constexpr std::size_t kDriverCount = 11;

/// Each driver goes as factor^exponent.
class Exponents {
 public:
  constexpr Exponents() = default;
  /// GPU-hours and days together, for a change of the time that the cluster works.
  static constexpr Exponents time(double exponent) {
    return Exponents().with(Driver::hours, exponent).with(Driver::days, exponent);
  }
  [[nodiscard]] constexpr Exponents with(Driver driver, double exponent) const {
    Exponents out = *this;
    out.values_[static_cast<std::size_t>(driver)] = exponent;
    return out;
  }
  constexpr double operator[](Driver driver) const {
    return values_[static_cast<std::size_t>(driver)];
  }
  constexpr bool operator==(const Exponents&) const = default;

 private:
  std::array<double, kDriverCount> values_{};
};

/// Dollars that scale as a product of powers of the drivers.
struct Term {
  double usd = 0;  ///< at unchanged drivers
  Exponents moves;
};

/// One row of the bill. An unknown unit price or amount is empty, never 0.
struct LineItem {
  Part part = Part::compute;
  std::string round;  ///< the stage that it belongs to. Empty if there is only one
  double quantity = 0;
  Unit unit = Unit::gpu_hour;
  std::optional<double> unit_price;  ///< USD per unit
  std::optional<double> amount;      ///< USD
  bool included = true;              ///< part of the total; energy of rented GPUs is not
  std::string source;
  std::string date;              ///< YYYY-MM-DD or as precise as is known
  std::vector<Term> terms = {};  ///< sum to an amount that is known and part of the total
};

/// The row's name for people, `instructions: compute`. Energy of rented GPUs is named as included
/// in the rent.
std::string item_name(const LineItem& item);

/// Identity of a row: no bill has two of a part in one round.
struct ItemKey {
  std::string part;  ///< its key
  std::string round;
  auto operator<=>(const ItemKey&) const = default;
};
/// Parses an item_name(), as in documents before 0.2. An unknown name is a part of its own.
ItemKey parse_item_name(std::string_view item_name);

/// Dollars as a sum of terms, merged if their exponents are equal. The total of a bill, its
/// elasticities and its draws come from this one sum.
class Dollars {
 public:
  void add(const Term& term);
  [[nodiscard]] std::span<const Term> terms() const { return terms_; }
  [[nodiscard]] double total() const;
  /// d ln(total) / d ln(driver) = sum of usd x exponent / total, or 0 if the total is 0.
  [[nodiscard]] Exponents elasticities() const;
  void scale(double factor);

 private:
  std::vector<Term> terms_;
};

namespace scenario {
enum class PriceClass : std::uint8_t;
}  // namespace scenario

/// Availability of a purchase price of the machines.
enum class Purchase : std::uint8_t { priced, unpriced, not_for_sale };

/// Doubts about a price per hour. `--strict` accepts none of them.
struct PriceDoubts {
  bool imputed = false;       ///< derived from other prices, for want of quotes in the class
  bool other_class = false;   ///< the maker's own price, of another class than the others
  bool other_region = false;  ///< of any region, for want of a price in the one that was set
  bool stale = false;  ///< over 90 days old, of a hyperscaler over a year, or of a guessed date
};

/// Total commitment behind a reserved price.
struct Obligation {
  double gpus = 0;
  double hours = 0;  ///< of the commitment
  double usd = 0;    ///< cost of all accelerators in these hours, used or not
};

/// Years of owning that a mean price per hour stands for: the default of `trcost tco`.
inline constexpr double kOwnedYears = 3;

/// Machines that are bought for a run.
struct OwnedMachines {
  double gpus = 0;  ///< in them: whole machines, at least what the run uses
  double usd = 0;   ///< cash for them and their network
  /// An hour in use on average over kOwnedYears, as `trcost tco` has it.
  std::optional<double> mean_per_gpu_hour;
};

struct CostResult {
  bool own = false;                       ///< the machines are owned, not rented
  std::optional<OwnedMachines> machines;  ///< with own, if their price is known
  std::optional<double> price_per_gpu_hour;
  std::optional<scenario::PriceClass> price_class;  ///< of the rent. Empty if given or owned
  PriceDoubts doubts;                               ///< about the rent
  std::optional<Obligation> obligation;             ///< of a reserved price. Empty for several
  Purchase purchase = Purchase::priced;             ///< whether owning could be priced
  std::string price_date;                           ///< of the rows behind the price
  std::string provider;                             ///< sellers of these rows, comma-separated
  std::optional<double> total;  ///< sum of the included items, empty when one is unknown
  std::optional<double> per_million_tokens;
  std::vector<LineItem> items;
  std::optional<double> break_even_utilization;  ///< with own: at equal cost of renting
  std::optional<double> rent_per_gpu_hour;       ///< with own: the rent of that comparison
  std::string rent_source;                       ///< of that rent, in words
};

/// Evidence behind the price of an hour, the best first.
enum class PriceEvidence : std::uint8_t {
  quotes,     ///< the median of several sellers, a price that the user set, or an owned machine
  one_quote,  ///< one seller's, or its maker's in another class
  old,        ///< stale
  estimated,  ///< imputed
};
PriceEvidence price_evidence(const CostResult& cost);
/// Evidence of a rent by its comma-separated sellers, none for a price that the user set.
PriceEvidence price_evidence(const PriceDoubts& doubts, std::string_view sellers);

/// Electricity and carbon of a training.
struct EnergyResult {
  std::optional<double> kwh;             ///< of the run with its experiments and evaluation
  std::optional<double> co2_kg;          ///< of that electricity
  std::optional<double> tokens_per_mwh;  ///< tokens of the run over all of `kwh`
  std::optional<double> tokens_per_second_per_megawatt;  ///< steps alone, rated power
  std::optional<double> site_megawatts;  ///< peak power of the cluster: rated power x PUE
};

inline constexpr std::string_view kStaffNote =
    "staff is not included: 29 to 49% of the development cost of frontier models "
    "(Cottier et al., arXiv:2405.21015)";

}  // namespace trcost
