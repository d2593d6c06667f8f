// SPDX-License-Identifier: Apache-2.0
// Whether the region of a price, as its provider spells it, is the one that is asked for.
#include <algorithm>
#include <string_view>

#include "prices/rows/region_names.h"
#include "prices/rows/regions.h"
#include "quantity/suggest.h"

namespace trcost::prices {

namespace {

// A place by what it lies in: a region of the data, or an unknown one in a known one.
struct Place {
  const Region* region = nullptr;
  bool whole = false;  // the region itself
};

// `FIN-03` lies in `FIN` where the data has no more of it.
Place place_of(const Regions& regions, std::string_view name) {
  for (bool whole = true; !name.empty(); whole = false) {
    if (const Region* region = known_region(regions, name)) return {region, whole};
    const std::size_t hyphen = name.rfind('-');
    if (hyphen == std::string_view::npos) break;
    name = name.substr(0, hyphen);
  }
  return {};
}

bool is_everywhere(std::string_view word) {
  return same_region_name(word, "all") || same_region_name(word, "world");
}

// `us-east-1` lies in `us`, by the text alone.
bool starts_with_area(std::string_view longer, std::string_view area) {
  return !area.empty() && longer.size() > area.size() && longer[area.size()] == '-' &&
         same_region_name(longer.substr(0, area.size()), area);
}

// Whether the place is in the country or area of that name.
bool lies_in(const Regions& regions, const Region& region, std::string_view name) {
  const auto is = [&](const std::string& outer) {
    return !outer.empty() && same_region_name(outer, name);
  };
  if (is(region.country) || is(region.area)) return true;
  const Region* country = region.country.empty() ? nullptr : known_region(regions, region.country);
  return country != nullptr && is(country->area);
}

RegionFit fit_of_places(std::string_view here, std::string_view wanted, const Regions& regions) {
  const Place a = place_of(regions, here);
  const Place b = place_of(regions, wanted);
  if (a.region != nullptr && a.region == b.region) {
    if (a.whole && b.whole) return RegionFit::exact;
    return a.whole || b.whole ? RegionFit::related : RegionFit::none;
  }
  const auto inside = [&](const Place& inner, const Place& outer, std::string_view name) {
    if (inner.region == nullptr) return false;
    if (outer.region == nullptr) return lies_in(regions, *inner.region, name);
    return outer.whole && lies_in(regions, *inner.region, outer.region->name);
  };
  return inside(a, b, wanted) || inside(b, a, here) ? RegionFit::related : RegionFit::none;
}

RegionFit fit_of_word(std::string_view word, std::string_view wanted, const Regions* regions) {
  if (same_region_name(word, wanted)) return RegionFit::exact;
  if (is_everywhere(word)) return RegionFit::related;
  if (starts_with_area(word, wanted) || starts_with_area(wanted, word)) return RegionFit::related;
  return regions == nullptr ? RegionFit::none : fit_of_places(word, wanted, *regions);
}

// The best fit of the parts of `text` between `separators`.
RegionFit fit_of_parts(std::string_view text, std::string_view separators, std::string_view wanted,
                       const Regions* regions) {
  RegionFit best = RegionFit::none;
  while (!text.empty()) {
    const std::size_t cut = std::min(text.find_first_of(separators), text.size());
    const std::string_view part = text.substr(0, cut);
    if (!part.empty()) best = std::max(best, fit_of_word(part, wanted, regions));
    text.remove_prefix(std::min(cut + 1, text.size()));
  }
  return best;
}

}  // namespace

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
  here = here.substr(0, here.find(" ex "));  // what `world ex Asia` leaves out is no place of it
  // `West US 3` is a name; of `EU multi-region` only the first word is.
  const RegionFit whole = fit_of_parts(here, "/", wanted, regions);
  const bool named = regions != nullptr && known_region(*regions, here) != nullptr;
  return whole != RegionFit::none || named ? whole : fit_of_parts(here, "/, ", wanted, regions);
}

}  // namespace trcost::prices
