// SPDX-License-Identifier: Apache-2.0
// The lines of a cloud catalog in the same words, whoever wrote it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "text/csv.h"

namespace trcost::prices {

/// A line of a catalog. Numbers as they stand, empty where the line has none.
struct CloudOffer {
  std::size_t line = 0;
  std::string instance, accelerator_name, region, zone, provider, date;
  std::string count, memory_gb, on_demand, spot;
  bool spot_listed = false;  // the table has a price of this kind for the instance
  bool on_demand_listed = false;
  std::string problem;  // why the line cannot be read
};

enum class CloudTable { skypilot, gpuhunt, other };
CloudTable kind_of_table(const CsvTable& table);

/// One offer per line. Google sells accelerators and the machine around them apart, and SkyPilot
/// lists them so: lines of accelerators without a machine get the price of theirs in the same zone
/// added, by the machines that the book's providers attach.
std::vector<CloudOffer> read_offers(const CsvTable& table, const PriceBook& book);

/// All of the text as a finite number.
std::optional<double> cell_number(std::string_view text);

}  // namespace trcost::prices
