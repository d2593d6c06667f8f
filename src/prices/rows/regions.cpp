// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "catalog/data/data_file.h"
#include "json/strict_json.h"
#include "prices/rows/price_date.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::prices {

namespace {

std::optional<SourcedValue> read_value(ObjectReader& row, std::string_view key, double lowest,
                                       double highest) {
  auto reader = row.optional_object(key);
  if (!reader) return std::nullopt;
  SourcedValue value;
  value.value = reader->required_number("value", lowest, highest);
  value.date = price_date_at(reader->value(), reader->required_text("date")).text;
  value.source = reader->required_text("source");
  reader->finish();
  return value;
}

// A name by which same_region_name() compares.
std::string region_key(std::string_view name) {
  std::string key = quantity::lower_case(name);
  std::erase(key, ' ');
  return key;
}

std::shared_ptr<const Regions> load_regions(const Catalog& catalog) {
  const JsonValue root = read_data_file(catalog, "prices/regions.json");
  ObjectReader reader = root.object();
  reader.accept("schema_version");
  reader.accept("retrieved");
  auto regions = std::make_shared<Regions>();
  std::set<std::string> taken;  // names and aliases
  for (const JsonValue& value : reader.required_value("regions").array()) {
    ObjectReader row = value.object();
    Region region;
    region.name = row.required_text("name");
    region.title = row.required_text("title");
    region.country = row.text_or("country", "");
    region.area = row.text_or("area", "");
    region.aliases = row.texts_or_empty("aliases");
    region.same_grid_as = row.text_or("same_grid_as", "");
    row.accept("source");
    region.usd_per_kwh = read_value(row, "usd_per_kwh", 1e-6, 100);
    region.kg_co2_per_kwh = read_value(row, "kg_co2_per_kwh", 0, 10);
    row.finish();
    if (!taken.insert(region_key(region.name)).second) {
      value.fail(fmt::format("duplicate region {}", region.name));
    }
    for (const std::string& alias : region.aliases) taken.insert(region_key(alias));
    regions->rows.push_back(std::move(region));
  }
  reader.finish();
  std::ranges::sort(regions->rows, {}, &Region::name);
  return regions;
}

}  // namespace

const Regions& known_regions(const Catalog& catalog) {
  return catalog.kept(load_regions);
}

const Region* known_region(const Regions& regions, std::string_view name) {
  for (const Region& region : regions.rows) {
    if (same_region_name(region.name, name)) return &region;
    for (const std::string& alias : region.aliases) {
      if (same_region_name(alias, name)) return &region;
    }
  }
  return nullptr;
}

namespace {

// A hint for an unknown name: its title, the countries of an area, or the nearest name.
std::string region_guess(const Regions& regions, std::string_view name) {
  std::vector<std::string> names, members;
  for (const Region& region : regions.rows) {
    if (same_region_name(region.title, name)) {
      return fmt::format("did you mean \"{}\" ({})?", region.name, region.title);
    }
    if (same_region_name(region.area, name)) members.push_back(region.name);
    names.push_back(region.name);
  }
  if (members.empty()) return did_you_mean(name, names);
  return fmt::format("it has many grids: name one of {};", fmt::join(members, ", "));
}

}  // namespace

const Region& find_region(const Regions& regions, std::string_view name) {
  if (const Region* region = known_region(regions, name)) return *region;
  const std::string guess = region_guess(regions, name);
  throw Error(ErrorKind::usage,
              fmt::format("there is no data for region \"{}\"", name.substr(0, 60)),
              fmt::format("{}{}`trcost list regions` has all. Or set --electricity-price "
                          "and --grid-intensity without --region",
                          guess, guess.empty() ? "" : " "));
}

namespace {

using Value = std::optional<SourcedValue> Region::*;

const SourcedValue* own_or_inherited(const Regions& regions, const Region& region, Value value) {
  if (region.*value) return &*(region.*value);
  for (const std::string& name : {region.same_grid_as, region.country}) {
    for (const Region& other : regions.rows) {
      if (other.name == name && other.*value) return &*(other.*value);
    }
  }
  return nullptr;
}

}  // namespace

const SourcedValue* electricity_price(const Regions& regions, const Region& region) {
  return own_or_inherited(regions, region, &Region::usd_per_kwh);
}

const SourcedValue* grid_intensity(const Regions& regions, const Region& region) {
  return own_or_inherited(regions, region, &Region::kg_co2_per_kwh);
}

const SourcedValue& require_electricity_price(const Regions& regions, const Region& region) {
  if (const SourcedValue* value = electricity_price(regions, region)) return *value;
  throw Error(ErrorKind::data,
              fmt::format("the electricity price of region \"{}\" ({}) is not known", region.name,
                          region.title),
              "set --electricity-price, or another --region");
}

namespace {

// A region of the data, or an unknown place in it.
struct Place {
  const Region* region = nullptr;
  bool whole = false;  // the region itself
};

// An unknown `FIN-03` is a place in `FIN`.
Place find_place(const Regions& regions, std::string_view name) {
  for (bool whole = true; !name.empty(); whole = false) {
    if (const Region* region = known_region(regions, name)) return {region, whole};
    const std::size_t hyphen = name.rfind('-');
    if (hyphen == std::string_view::npos) break;
    name = name.substr(0, hyphen);
  }
  return {};
}

// Whether the text alone shows that the area contains the place, as `us` contains `us-east-1`.
bool starts_with_area(std::string_view longer, std::string_view area) {
  return !area.empty() && longer.size() > area.size() && longer[area.size()] == '-' &&
         same_region_name(longer.substr(0, area.size()), area);
}

// Whether the region is in the country or area of that name.
bool is_within(const Regions& regions, const Region& region, std::string_view name) {
  const auto is = [&](const std::string& outer) {
    return !outer.empty() && same_region_name(outer, name);
  };
  if (is(region.country) || is(region.area)) return true;
  const Region* country = region.country.empty() ? nullptr : known_region(regions, region.country);
  return country != nullptr && is(country->area);
}

RegionFit place_fit(std::string_view here, std::string_view wanted, const Regions& regions) {
  const Place a = find_place(regions, here);
  const Place b = find_place(regions, wanted);
  if (a.region != nullptr && a.region == b.region) {
    if (a.whole && b.whole) return RegionFit::exact;
    return a.whole || b.whole ? RegionFit::related : RegionFit::none;
  }
  const auto inside = [&](const Place& inner, const Place& outer, std::string_view name) {
    if (inner.region == nullptr) return false;
    if (outer.region == nullptr) return is_within(regions, *inner.region, name);
    return outer.whole && is_within(regions, *inner.region, outer.region->name);
  };
  return inside(a, b, wanted) || inside(b, a, here) ? RegionFit::related : RegionFit::none;
}

RegionFit word_fit(std::string_view word, std::string_view wanted, const Regions* regions) {
  if (same_region_name(word, wanted)) return RegionFit::exact;
  if (is_everywhere(word)) return RegionFit::related;
  if (starts_with_area(word, wanted) || starts_with_area(wanted, word)) return RegionFit::related;
  return regions == nullptr ? RegionFit::none : place_fit(word, wanted, *regions);
}

// The best fit of the parts of `text` between `separators`.
RegionFit best_part_fit(std::string_view text, std::string_view separators, std::string_view wanted,
                        const Regions* regions) {
  RegionFit best = RegionFit::none;
  for (const std::string_view part : split_text(text, separators)) {
    if (!part.empty()) best = std::max(best, word_fit(part, wanted, regions));
  }
  return best;
}

}  // namespace

bool is_everywhere(std::string_view word) {
  return same_region_name(word, "all") || same_region_name(word, "world");
}

bool same_region_name(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  const auto next = [](std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (at == text.size()) return '\0';
    return lower_case(text[at++]);
  };
  while (true) {
    const char x = next(a, i);
    if (x != next(b, j)) return false;
    if (x == '\0') return true;
  }
}

RegionFit region_fit(std::string_view here, std::string_view wanted, const Regions* regions) {
  if (wanted.empty() || is_everywhere(wanted)) return RegionFit::related;
  here = here.substr(0, here.find(" ex "));  // the areas that `world ex Asia` leaves out
  // `West US 3` is one name. In `EU multi-region` only the first word is one.
  const RegionFit whole = best_part_fit(here, "/", wanted, regions);
  const bool named = regions != nullptr && known_region(*regions, here) != nullptr;
  return whole != RegionFit::none || named ? whole : best_part_fit(here, "/, ", wanted, regions);
}

}  // namespace trcost::prices
