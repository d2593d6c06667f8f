// SPDX-License-Identifier: Apache-2.0
// GPU-hours become rows of dollars. Knows no parallelism.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cost/bill_terms.h"
#include "cost/ownership.h"
#include "cost/storage.h"
#include "prices/market/price_quote.h"
#include "quantity/layers.h"
#include "trcost/bill.h"

namespace trcost::cost {

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
  Purchase purchase = Purchase::priced;
  std::optional<double> kwh;  ///< facility; with own the final run alone, since
                              ///< experiments and evaluation carry their energy
  std::optional<double> usd_per_kwh;
  std::string_view electricity_source;
  std::string_view electricity_date;
  const StorageUse* storage = nullptr;
  const PriceQuote* storage_price = nullptr;
  const PriceQuote* egress_price = nullptr;
  BillTerms terms;
};

/// Fills `out`, reusing its memory. Included items sum to `total`, which is checked in every build
/// type to 1e-9 relative (std::logic_error otherwise). Staff is never part of it: `kStaffNote`.
void make_bill(const BillInputs& inputs, CostResult& out);

/// Sets the total of the items, of one round or of several, and what of it a million tokens cost.
void sum_bill(CostResult& cost, double tokens);

/// Throws std::logic_error unless the included items sum to `total`.
void check_bill(const CostResult& cost);

/// The included items of a bill whose total is known, by what moves them.
Dollars dollars_of(const CostResult& cost);

/// total = sum of the included items; and dollars per million tokens.
std::vector<Derivation> derive_bill(const CostResult& cost, double tokens);

}  // namespace trcost::cost
