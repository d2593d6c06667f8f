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

/// A number about a region with its source.
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
  std::string area;     ///< of a country: its area in price lists, such as `eu`. Mostly empty
  std::vector<std::string> aliases;  ///< other spellings: `FIN` of `fi`
  std::string same_grid_as;  ///< a region in the same state with the same numbers. Mostly empty
  std::optional<SourcedValue> usd_per_kwh;  ///< industrial retail price
  std::optional<SourcedValue> kg_co2_per_kwh;
};

struct Regions {
  std::vector<Region> rows;  ///< sorted by name
};

/// Whether two names of regions differ in case and spaces only: `East US` is `eastus`, but AWS's
/// us-east-1 is elsewhere than Google's us-east1.
bool same_region_name(std::string_view a, std::string_view b);

/// Whether the word stands for any region: `all`, `world`.
bool is_everywhere(std::string_view word);

/// The regions of a catalog, read on first use.
const Regions& known_regions(const Catalog& catalog);

/// The default region.
inline constexpr std::string_view kDefaultRegion = "us";

/// The region of that name or alias, in any case. Throws Error (usage) with the nearest name or
/// title for an unknown one.
const Region& find_region(const Regions& regions, std::string_view name);
/// As find_region(), but null for an unknown one.
const Region* known_region(const Regions& regions, std::string_view name);

/// Relation of the region of a price to the one of a query.
enum class RegionFit : std::uint8_t {
  none,
  related,  ///< one contains the other, or is the whole world
  exact,    ///< both are the same
};
/// `here` is as providers spell it: `us/eu`, `us-east-1`, `West US 3`, `all`. Without `regions`
/// names are compared as text, where `us` contains `us-east-1`. An empty `wanted` is the whole
/// world.
RegionFit region_fit(std::string_view here, std::string_view wanted, const Regions* regions);

/// Price of a kWh in the region, else in one of the same state, else in its country. Null if the
/// data has none of them.
const SourcedValue* electricity_price(const Regions& regions, const Region& region);
/// kg CO2 per kWh, found likewise.
const SourcedValue* grid_intensity(const Regions& regions, const Region& region);
/// As electricity_price(). Throws Error (data) with the flag to set instead, if there is none.
const SourcedValue& require_electricity_price(const Regions& regions, const Region& region);

}  // namespace trcost::prices
