// SPDX-License-Identifier: Apache-2.0
#include "catalog/overlay.h"

#include <fmt/format.h>

#include <algorithm>

#include <map>
#include <set>
#include <string>

#include "catalog/data/data_file.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::catalog {

namespace {

constexpr CatalogKind kNamedKinds[] = {CatalogKind::accelerators, CatalogKind::systems,
                                       CatalogKind::stacks,       CatalogKind::engines,
                                       CatalogKind::models,       CatalogKind::encoders};

// A name of an entry, and the file that gives it.
struct NameOwner {
  std::string entry;
  std::string origin;
  bool own = false;
  bool alias = false;
};

std::string entry_path(CatalogKind kind, std::string_view entry) {
  return fmt::format("{}/{}.json", catalog_kind_name(kind), entry);
}

bool is_own_file(const Catalog& catalog, const std::string& path) {
  return catalog.origin(path) != path;
}

// Adds a name, which only one entry may have. Distinct spellings of one entry are no conflict.
void add_name(std::map<std::string, NameOwner>& known, const std::string& name, NameOwner owner) {
  const auto [at, fresh] = known.emplace(folded(name), owner);
  const NameOwner& first = at->second;
  if (fresh || first.entry == owner.entry || !(first.own || owner.own)) return;
  const NameOwner& culprit = owner.own ? owner : first;
  const NameOwner& other = owner.own ? first : owner;
  throw Error(
      ErrorKind::data,
      fmt::format("the {} \"{}\" is also {} {}", culprit.alias ? "alias" : "name",
                  name.substr(0, 100), other.alias ? "an alias of" : "the name of", other.entry),
      "one name may lead to one entry: take it away, or rename the entry", culprit.origin);
}

void check_kind(const Catalog& catalog, CatalogKind kind) {
  std::map<std::string, NameOwner> known;
  for (const std::string& entry : catalog.names(kind)) {
    const std::string path = entry_path(kind, entry);
    const bool own = is_own_file(catalog, path);
    const std::string origin = catalog.origin(path);
    ObjectReader file = parse_data_file(catalog.file(path), path, origin).object();
    add_name(known, entry, {entry, origin, own, false});
    // A Hugging Face configuration has no name.
    if (const auto name = file.optional_value("name"); own && name && name->text() != entry) {
      name->fail(
          fmt::format("the name \"{}\" differs from the file's", name->text().substr(0, 100)),
          "a catalog file is named after its entry");
    }
    for (const std::string& alias : file.texts_or_empty("aliases")) {
      add_name(known, alias, {entry, origin, own, true});
    }
  }
}

}  // namespace

void check_entry_names(const Catalog& catalog) {
  for (const CatalogKind kind : kNamedKinds) {
    const auto is_own = [&](const std::string& entry) {
      return is_own_file(catalog, entry_path(kind, entry));
    };
    if (std::ranges::any_of(catalog.names(kind), is_own)) check_kind(catalog, kind);
  }
}

void check_own_entries(const Catalog& catalog) {
  for (const CatalogKind kind : kNamedKinds) {
    for (const std::string& entry : catalog.names(kind)) {
      const std::string path = entry_path(kind, entry);
      if (!is_own_file(catalog, path)) continue;
      const EmbeddedFile* built_in = find_embedded_file(path);
      const bool same = built_in != nullptr &&
                        catalog.file(path) == std::string_view(built_in->begin, built_in->end);
      if (!same) (void)catalog.show(kind, entry);
    }
  }
}

void check_architecture(const Accelerator& accelerator) {
  if (accelerator.architecture.empty() || find_embedded_file(accelerator.file) != nullptr) return;
  std::set<std::string> known;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with("accelerators/")) continue;
    const JsonValue entry = parse_data_file(
        {file.begin, static_cast<std::size_t>(file.end - file.begin)}, file.path, file.path);
    known.insert(entry.object().text_or("architecture", ""));
  }
  if (known.contains(accelerator.architecture)) return;
  const std::string guess = did_you_mean(accelerator.architecture, {known.begin(), known.end()});
  throw Error(ErrorKind::data,
              fmt::format("unknown architecture \"{}\"", accelerator.architecture.substr(0, 60)),
              fmt::format("{}{}leave it out, or write one of {}", guess, guess.empty() ? "" : " ",
                          fmt::join(known, ", ")),
              accelerator.file + "#/architecture");
}

}  // namespace trcost::catalog
