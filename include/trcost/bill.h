// SPDX-License-Identifier: Apache-2.0
// What a training costs: rows of dollars, and their sum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/line_item.h"

namespace trcost {

enum class PriceClass : std::uint8_t;

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

inline constexpr std::string_view kStaffNote =
    "staff is not included: 29 to 49 % of the development cost of frontier models "
    "(Cottier et al., arXiv:2405.21015)";

}  // namespace trcost
