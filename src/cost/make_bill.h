// SPDX-License-Identifier: Apache-2.0
// The bill: GPU-hours, energy and bytes to rows of dollars.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cost/ownership.h"
#include "cost/storage.h"
#include "prices/market/price_quote.h"
#include "quantity/layers.h"
#include "trcost/bill.h"

namespace trcost::cost {

/// Terms of a bill other than the run and its prices.
struct BillTerms {
  double experiments = 0;  ///< compute before the final run, as a multiple of it
  double evaluation = 0;   ///< compute for evaluation, likewise
  double epochs = 1;
  double text_bytes_per_token = 0;
  double full_kept = 0;  ///< checkpoints that a run can continue from
  double weights_kept = 0;
  double egress_bytes = 0;
  double term_hours = 0;          ///< duration of the commitment of a reserved price
  bool storage_included = false;  ///< storage is part of the total: the user set a field of it
  [[nodiscard]] double beyond() const { return experiments + evaluation; }
};

/// Quantities and prices of a bill. Pointers are not owned, and null if they do not apply.
struct BillInputs {
  double gpu_hours = 0;
  double tokens = 0;
  bool own = false;
  const PriceQuote* price = nullptr;         ///< rent. With own: only for the break-even
  const OwnershipCost* ownership = nullptr;  ///< with own
  std::string_view ownership_source;         ///< of the purchase price
  std::string_view ownership_date;
  std::optional<OwnedMachines> machines;  ///< with own
  bool old_quote = false;                 ///< with own: the purchase price is older than a year
  double gpus = 0;
  Purchase purchase = Purchase::priced;
  std::optional<double> kwh;  ///< facility. With own: of the final run alone, since experiments
                              ///< and evaluation include their energy
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

/// Sets the total of the items, of one round or of several, and the cost per million tokens.
void sum_bill(CostResult& cost, double tokens);

/// Throws std::logic_error unless the included items sum to `total`.
void check_bill(const CostResult& cost);

/// Dollars of the included items by driver. The total of the bill must be known.
Dollars included_dollars(const CostResult& cost);

/// Explains every item, their sum, and the cost per million tokens.
std::vector<Derivation> derive_bill(const CostResult& cost, double tokens);

}  // namespace trcost::cost
