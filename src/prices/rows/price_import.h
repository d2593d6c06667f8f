// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::prices {

/// What the table itself does not say.
struct PriceImportOptions {
  std::string provider;                         ///< empty: a column says it
  std::optional<ProviderClass> provider_class;  ///< empty: the provider's, specialist if not known
  std::string date;                             ///< YYYY-MM-DD or coarser; empty: a column says it
  std::string source;                           ///< where the table comes from
  std::string book_date;                        ///< rows dated later are refused
  const Catalog* catalog = nullptr;             ///< whose accelerators they are; required
};

/// A row that was not taken over.
struct RefusedRow {
  std::size_t line = 0;
  std::string what;  ///< instance and region
  std::string why;
};

struct PriceImport {
  std::string format;          ///< `SkyPilot catalog` or `gpuhunt catalog`
  std::vector<PriceRow> rows;  ///< per accelerator and hour, sorted
  std::vector<RefusedRow> refused;
  std::size_t undated = 0;              ///< of them, for want of a date
  std::size_t without_accelerator = 0;  ///< CPU instances, left out
};

/// Reads a catalog table of SkyPilot (github.com/skypilot-org/skypilot-catalog, vms.csv) or gpuhunt
/// (github.com/dstackai/gpuhunt). Both price whole instances. Instances that differ in their zone
/// only become one row from the lowest to the highest price; accelerators that Google lists apart
/// from their machine get its price added. Refused, never mended: rows of another width than the
/// header, prices that are missing, not a number, 0, negative or no market price (a row of nines,
/// 700, above $100 or below $0.01 per accelerator), spot prices that are not below on-demand, rows
/// without a date, dated after the book, repeated, or of an unknown accelerator or a part of one.
/// An H100 or A100 without a word of PCIe or NVL counts as SXM. Throws Error (data) for another
/// table, (usage) when the provider is not known.
PriceImport import_prices(std::string_view csv, std::string_view origin,
                          const PriceImportOptions& options);

/// The rows as a price file of the catalog.
std::string price_file_json(const PriceImport& import, const PriceImportOptions& options);

/// The catalog's name of an accelerator as clouds spell it (`A100-80GB`, `H100_SXM5`), with its
/// memory in GB where known (0 otherwise).
struct CloudAccelerator {
  std::string name;      ///< empty for one that the catalog does not know, or not exactly
  std::string problem;   ///< why it is empty
  bool unknown = false;  ///< no chip is spelled so here; else its memory or form is not clear
};

/// The names of a catalog's accelerators, from their own files.
class CloudNames {
 public:
  explicit CloudNames(const Catalog& catalog);
  [[nodiscard]] CloudAccelerator find(std::string_view name, std::optional<double> memory_gb,
                                      std::string_view instance) const;

 private:
  std::vector<CloudName> names_;  // longest first: an `l40s` is no `l4`
};

}  // namespace trcost::prices
