// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trcost {

/// A number about a region with where it comes from.
struct SourcedValue {
  double value = 0;
  std::string date;
  std::string source;
};

/// Electricity of a country or of a cloud region.
struct Region {
  std::string name;      ///< `us`, `de`, `europe-north1`
  std::string title;
  std::string country;   ///< of a cloud region: the name of its country's entry, else empty
  std::optional<SourcedValue> usd_per_kwh;   ///< industrial retail price
  std::optional<SourcedValue> kg_co2_per_kwh;
};

struct Regions {
  std::vector<Region> rows;  ///< sorted by name
};

/// The region when nothing is said.
inline constexpr std::string_view kDefaultRegion = "us";

/// Throws Error (usage) with the nearest name for a region that the data does not have.
const Region& find_region(const Regions& regions, std::string_view name);
/// Of the region itself, else of its country; empty when the data has neither.
const SourcedValue* electricity_price(const Regions& regions, const Region& region);
const SourcedValue* grid_intensity(const Regions& regions, const Region& region);
/// As electricity_price; throws Error (data) that says which flag to give instead.
const SourcedValue& require_electricity_price(const Regions& regions, const Region& region);
const SourcedValue& require_grid_intensity(const Regions& regions, const Region& region);

}  // namespace trcost
