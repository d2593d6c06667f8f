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

/// Defaults for the columns that the table does not have.
struct PriceImportOptions {
  std::string provider;                         ///< empty: from a column
  std::optional<ProviderClass> provider_class;  ///< empty: the provider's, specialist if unknown
  std::string date;                             ///< YYYY-MM-DD or coarser. Empty: from a column
  std::string source;                           ///< of the table
  std::string book_date;                        ///< rows dated later are refused
  const Catalog* catalog = nullptr;             ///< of the accelerators, required
};

/// A row that was not imported.
struct RefusedRow {
  std::size_t line = 0;
  std::string what;  ///< instance and region
  std::string why;
};

struct PriceImport {
  std::string format;          ///< `SkyPilot catalog` or `gpuhunt catalog`
  std::vector<PriceRow> rows;  ///< per accelerator and hour, sorted
  std::vector<RefusedRow> refused;
  bool dated_by_option = false;         ///< a row has the date of the options
  std::size_t undated = 0;              ///< number of refused rows without a date
  std::size_t without_accelerator = 0;  ///< CPU instances, left out
};

/// Reads a catalog table of SkyPilot (github.com/skypilot-org/skypilot-catalog, vms.csv) or gpuhunt
/// (github.com/dstackai/gpuhunt), which price whole instances. Instances that differ in their zone
/// only become one row from the lowest to the highest price. Accelerators that Google lists apart
/// from their machine get its price added. An H100 or A100 without a word of PCIe or NVL is SXM.
///
/// Rows that would need a correction are refused with the reason: another width than the header, a
/// price that is missing, not a number, not positive or a placeholder (a row of nines, 700, above
/// $100 or below $0.01 per accelerator, or below a quarter or above five times the book's median
/// for the chip), control characters, a spot price that is not below on-demand, no date or one
/// after the book's, a repetition, an unknown accelerator or a part of one. Throws Error (data) for
/// another table, (usage) if the provider is unknown.
PriceImport import_prices(std::string_view csv, std::string_view origin,
                          const PriceImportOptions& options);

/// A sentence per imported price that differs by more than a tenth from the newest one of the same
/// seller, chip and commitment in the book.
std::vector<std::string> price_changes(const PriceImport& import, const PriceBook& book);

/// The text of a price file of the catalog with these rows.
std::string price_file_json(const PriceImport& import, const PriceImportOptions& options);

}  // namespace trcost::prices
