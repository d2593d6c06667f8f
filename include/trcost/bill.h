// SPDX-License-Identifier: Apache-2.0
// GPU-hours become rows of dollars. Knows no parallelism.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/derivation.h"
#include "trcost/energy.h"
#include "trcost/line_item.h"
#include "trcost/ownership.h"
#include "trcost/prices.h"
#include "trcost/storage.h"

namespace trcost {

/// What is known of buying the machines.
enum class Purchase : std::uint8_t { priced, unpriced, not_for_sale };

/// What a price per hour is worth as evidence; `--strict` wants none of these.
struct PriceDoubts {
  bool imputed = false;      ///< nobody of the class asks that price
  bool other_class = false;  ///< its maker's own price, beside another class of others
  bool stale = false;        ///< made from a row older than a year, or of a guessed date
};

/// What a reserved price binds to.
struct Obligation {
  double hours = 0;  ///< of the commitment
  double usd = 0;    ///< that all accelerators cost in it, used or not
};

struct CostResult {
  bool own = false;                   ///< the machines are owned, not rented
  std::optional<double> capital_usd;  ///< with own: the cash that the machines take
  std::optional<double> price_per_gpu_hour;
  std::optional<PriceClass> price_class;  ///< of the rent; empty where it is given or owned
  PriceDoubts doubts;                     ///< about the rent
  std::optional<Obligation> obligation;   ///< of a reserved price
  Purchase purchase = Purchase::priced;   ///< whether owning could be priced
  std::string price_date;                 ///< of the rows that the price is made from
  std::string provider;                   ///< whose rows, comma-separated
  std::optional<double> total;            ///< sum of the included items, empty when one is unknown
  std::optional<double> per_million_tokens;
  std::vector<LineItem> items;
  std::optional<double> break_even_utilization;  ///< with own: where owning equals renting
  std::optional<double> rent_per_gpu_hour;       ///< with own: the rent that it is compared with
  std::string rent_source;                       ///< which rent that is, in words
};

/// What is billed. Pointers stay the caller's and may be null where they do not apply.
struct BillInputs {
  double gpu_hours = 0;
  double tokens = 0;
  bool own = false;
  const PriceQuote* price = nullptr;         ///< rented; with own: what break-even compares with
  const OwnershipCost* ownership = nullptr;  ///< with own
  std::string_view ownership_source;         ///< where the purchase price comes from
  std::string_view ownership_date;
  std::optional<double> capital_usd;  ///< with own
  double gpus = 0;
  double term_hours = 0;  ///< that a reserved price binds for; 0: none
  Purchase purchase = Purchase::priced;
  std::optional<double> kwh;  ///< facility; with own the final run alone, since
                              ///< experiments and evaluation carry their energy
  std::optional<double> usd_per_kwh;
  std::string_view electricity_source;
  std::string_view electricity_date;
  const StorageUse* storage = nullptr;
  bool storage_included = false;  ///< part of the total, else shown apart
  const PriceQuote* storage_price = nullptr;
  const PriceQuote* egress_price = nullptr;
  double experiments = 0;  ///< compute of the experiments / of the final run
  double evaluation = 0;   ///< compute of evaluation / of the final run
};

/// Fills `out`, reusing its memory. Included items sum to `total`, which is checked in every build
/// type to 1e-9 relative (std::logic_error otherwise). Staff is never part of it: `kStaffNote`.
void make_bill(const BillInputs& inputs, CostResult& out);

/// Throws std::logic_error unless the included items sum to `total`.
void check_bill(const CostResult& cost);

inline constexpr std::string_view kStaffNote =
    "staff is not included: 29 to 49 % of the development cost of frontier models "
    "(Cottier et al., arXiv:2405.21015)";

/// The included items of a bill whose total is known, by what moves them.
Dollars dollars_of(const CostResult& cost);

/// total = sum of the included items; and dollars per million tokens.
std::vector<Derivation> derive_bill(const CostResult& cost, double tokens);

}  // namespace trcost
