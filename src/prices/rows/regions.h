// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::prices {

/// A number about a region with where it comes from.
struct SourcedValue {
  double value = 0;
  std::string date;
  std::string source;
};

/// Electricity of a country or of a cloud region.
struct Region {
  std::string name;  ///< `us`, `de`, `europe-north1`
  std::string title;
  std::string country;  ///< of a cloud region: the name of its country's entry, else empty
  /// Of a country: what price lists put it under, such as `eu`; mostly empty.
  std::string area;
  std::vector<std::string> aliases;  ///< other spellings: `FIN` of `fi`
  std::string same_grid_as;  ///< a region in the same state, whose numbers hold here; mostly empty
  std::optional<SourcedValue> usd_per_kwh;  ///< industrial retail price
  std::optional<SourcedValue> kg_co2_per_kwh;
};

struct Regions {
  std::vector<Region> rows;  ///< sorted by name
};

/// The regions of a catalog, read on first use.
const Regions& known_regions(const Catalog& catalog);

/// The region when nothing is said.
inline constexpr std::string_view kDefaultRegion = "us";

/// By name or alias, whatever case and hyphens; throws Error (usage) with the nearest name or title
/// for a region that the data does not have.
const Region& find_region(const Regions& regions, std::string_view name);
/// As find_region; null for one that the data does not have.
const Region* known_region(const Regions& regions, std::string_view name);

/// How the region of a price belongs to the one that is asked for.
enum class RegionFit : std::uint8_t {
  none,
  related,  ///< it lies around it or in it, or is the whole world
  exact,    ///< it is the same
};
/// `here` is as providers spell it: `us/eu`, `us-east-1`, `West US 3`, `all`. Without `regions`
/// names are compared as text, where `us-east-1` lies in `us`. No `wanted` is the whole world.
RegionFit region_fit(std::string_view here, std::string_view wanted, const Regions* regions);
/// Of the region itself, else of one in the same state, else of its country; empty when the data
/// has none of them.
const SourcedValue* electricity_price(const Regions& regions, const Region& region);
const SourcedValue* grid_intensity(const Regions& regions, const Region& region);
/// As electricity_price; throws Error (data) that says which flag to give instead.
const SourcedValue& require_electricity_price(const Regions& regions, const Region& region);

}  // namespace trcost::prices
