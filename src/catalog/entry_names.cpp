// SPDX-License-Identifier: Apache-2.0
#include "catalog/entry_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "catalog/data_file.h"
#include "trcost/suggest.h"

namespace trcost {
namespace {

// How people write an entry beside its name.
struct Spellings {
  std::vector<std::string> names;  // its title and aliases
  std::string vendor;
};

Spellings spellings_of(const Catalog& catalog, CatalogKind kind, const std::string& entry) {
  Spellings out;
  if (kind == CatalogKind::runs) return out;  // rows of tables, not files
  const std::string path = fmt::format("{}/{}.json", catalog_kind_name(kind), entry);
  ObjectReader file = read_data_file(catalog, path).object();
  out.names = file.texts_or_empty("aliases");
  if (std::string title = file.text_or("title", ""); !title.empty()) {
    out.names.push_back(std::move(title));
  }
  out.vendor = folded(file.text_or("vendor", ""));
  return out;
}

bool means(const Spellings& spellings, std::string_view entry, std::string_view wanted) {
  if (same_folded(entry, wanted)) return true;
  return std::any_of(spellings.names.begin(), spellings.names.end(),
                     [&](const std::string& name) { return same_folded(name, wanted); });
}

std::string there_is(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  if (names.size() <= kMost) return fmt::format("there is {};", fmt::join(names, ", "));
  return fmt::format("there is {} and {} more;",
                     fmt::join(names.begin(), names.begin() + kMost, ", "), names.size() - kMost);
}

// The entry with the nearest name or alias, empty for none.
std::string nearest_entry(const Catalog& catalog, CatalogKind kind, std::string_view typed,
                          const std::vector<std::string>& entries) {
  std::vector<std::string> spelled = entries, of = entries;
  for (const std::string& entry : entries) {
    for (std::string& name : spellings_of(catalog, kind, entry).names) {
      spelled.push_back(std::move(name));
      of.push_back(entry);
    }
  }
  const std::string nearest = nearest_name(typed, spelled);
  if (nearest.empty()) return {};
  const auto at = std::find(spelled.begin(), spelled.end(), nearest) - spelled.begin();
  return of[static_cast<std::size_t>(at)];
}

// The longest name that what was typed goes on from: `qwen2.5-vl-7b` of `qwen2.5-vl-7b-instruct`.
std::string longest_start(std::string_view typed, const std::vector<std::string>& names) {
  std::string longest;
  for (const std::string& name : names) {
    const bool start = typed.starts_with(name) && typed.size() > name.size() &&
                       typed[name.size()] == '-';
    if (start && name.size() > longest.size()) longest = name;
  }
  return longest;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::string entry_named(const Catalog& catalog, CatalogKind kind, std::string_view name) {
  const std::string wanted = folded(name);
  if (wanted.empty()) return {};
  for (const std::string& entry : catalog.names(kind)) {
    const Spellings spellings = spellings_of(catalog, kind, entry);
    if (means(spellings, entry, wanted)) return entry;
    const std::string& vendor = spellings.vendor;
    if (!vendor.empty() && wanted.size() > vendor.size() && wanted.starts_with(vendor) &&
        means(spellings, entry, std::string_view(wanted).substr(vendor.size()))) {
      return entry;
    }
  }
  return {};
}

std::string suggested_entry(const Catalog& catalog, CatalogKind kind, std::string_view typed) {
  constexpr std::size_t kLeastStart = 2, kLeastPart = 3;
  const std::string wanted = lower_case(typed);
  const std::vector<std::string> known = catalog.names(kind);
  const auto family = [](std::string_view name) { return name.substr(0, name.find('-')); };
  std::vector<std::string> longer, related;
  for (const std::string& name : known) {
    if (wanted.size() >= kLeastStart && name.starts_with(wanted)) longer.push_back(name);
    const bool part = wanted.size() >= kLeastPart && name.find(wanted) != std::string::npos;
    if (part || (family(wanted).size() >= kLeastPart && family(name) == family(wanted))) {
      related.push_back(name);
    }
  }
  if (longer.size() > 1) return there_is(longer);
  if (longer.size() == 1) return fmt::format("did you mean \"{}\"?", longer.front());
  if (const std::string start = longest_start(wanted, known); !start.empty()) {
    return fmt::format("did you mean \"{}\"?", start);
  }
  const std::string nearest = nearest_entry(catalog, kind, typed, known);
  if (!nearest.empty()) return fmt::format("did you mean \"{}\"?", nearest);
  return related.empty() ? std::string() : there_is(related);
}

}  // namespace trcost
