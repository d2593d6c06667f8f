// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/regions.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/data/data_file.h"
#include "json/strict_json.h"
#include "prices/rows/price_book.h"
#include "prices/rows/price_files.h"
#include "prices/rows/region_names.h"
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

std::shared_ptr<const Regions> load_regions(const Catalog& catalog) {
  const JsonValue root = read_data_file(catalog, "prices/regions.json");
  ObjectReader reader = root.object();
  reader.accept("schema_version");
  reader.accept("retrieved");
  auto regions = std::make_shared<Regions>();
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
    if (known_region(*regions, region.name) != nullptr) {
      value.fail(fmt::format("duplicate region {}", region.name));
    }
    regions->rows.push_back(std::move(region));
  }
  reader.finish();
  std::sort(regions->rows.begin(), regions->rows.end(),
            [](const Region& a, const Region& b) { return a.name < b.name; });
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

// What may have been meant: a title, the countries of an area, or the nearest name.
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
              fmt::format("{}{}`trcost show prices regions` has all; or give --electricity-price "
                          "and --grid-intensity without --region",
                          guess, guess.empty() ? "" : " "));
}

namespace {

using Value = std::optional<SourcedValue> Region::*;

const SourcedValue* own_or_shared(const Regions& regions, const Region& region, Value value) {
  if (region.*value) return &*(region.*value);
  for (const std::string& name : {region.same_grid_as, region.country}) {
    for (const Region& other : regions.rows) {
      if (other.name == name && other.*value) return &*(other.*value);
    }
  }
  return nullptr;
}

[[noreturn]] void fail_unknown(const Region& region, std::string_view what, std::string_view flag) {
  throw Error(
      ErrorKind::data,
      fmt::format("the {} of region \"{}\" ({}) is not known", what, region.name, region.title),
      fmt::format("give {}, or another --region", flag));
}

}  // namespace

const SourcedValue* electricity_price(const Regions& regions, const Region& region) {
  return own_or_shared(regions, region, &Region::usd_per_kwh);
}

const SourcedValue* grid_intensity(const Regions& regions, const Region& region) {
  return own_or_shared(regions, region, &Region::kg_co2_per_kwh);
}

const SourcedValue& require_electricity_price(const Regions& regions, const Region& region) {
  if (const SourcedValue* value = electricity_price(regions, region)) return *value;
  fail_unknown(region, "electricity price", "--electricity-price");
}

}  // namespace trcost::prices
