// SPDX-License-Identifier: Apache-2.0
// Tables of cloud prices (SkyPilot, gpuhunt): their lines and their names of accelerators.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "text/csv.h"
#include "trcost/catalog.h"

namespace trcost::prices {

/// A line of a catalog. Numbers are as written, and empty if the line has none.
struct CloudOffer {
  std::size_t line = 0;
  std::string instance, accelerator_name, region, zone, provider, date;
  std::string upstream;  ///< the machine's name at the cloud behind a broker
  std::string count, memory_gb, on_demand, spot;
  bool spot_listed = false;  ///< the table has a spot price of the instance
  bool on_demand_listed = false;
  std::string problem;  ///< the reason why the line cannot be read
};

enum class CloudTable { skypilot, gpuhunt, other };
CloudTable detect_table(const CsvTable& table);

/// One offer per line. SkyPilot lists Google's accelerators and their machines separately, so that
/// such lines get the price of the provider's attached machine in the same zone added.
std::vector<CloudOffer> read_offers(const CsvTable& table, const PriceBook& book);

/// The whole text as a finite number, else empty.
std::optional<double> cell_number(std::string_view text);

/// The accelerator behind a cloud's name (`A100-80GB`, `H100_SXM5`).
struct CloudAccelerator {
  std::string name;      ///< in the catalog. Empty if unknown or ambiguous
  std::string problem;   ///< the reason why it is empty
  bool unknown = false;  ///< no chip has that name. Else its memory or form is ambiguous
};

/// The cloud names of a catalog's accelerators, from their own files.
class CloudNames {
 public:
  explicit CloudNames(const Catalog& catalog);

  /// `memory_gb` is of one accelerator, and `machine` the names of its machine.
  [[nodiscard]] CloudAccelerator find(std::string_view name, std::optional<double> memory_gb,
                                      std::string_view machine) const;

 private:
  std::vector<CloudName> names_;  // longest first: `l40s` must not match `l4`
};

}  // namespace trcost::prices
