// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalog/entry_names.h"
#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "report/about/catalog.h"
#include "report/about/documents.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

struct ShowOptions {
  std::string kind;
  std::string name;
  OutputOptions output;
};

// Prices are filed by source, and asked for by chip.
bool is_chip(const Catalog& catalog, const std::string& name) {
  return std::ranges::count(catalog.names(CatalogKind::prices), name) == 0 &&
         std::ranges::count(catalog.names(CatalogKind::accelerators), name) != 0;
}

// The kind and the entry of a name that stands without a kind. A name of several kinds is that of
// the first one.
std::pair<CatalogKind, std::string> find_anywhere(const Catalog& catalog, const std::string& name) {
  for (const CatalogKindInfo& kind : catalog_kinds()) {
    if (kind.kind == CatalogKind::runs) continue;
    if (std::string entry = catalog.entry_of(kind.kind, name); !entry.empty()) {
      return {kind.kind, std::move(entry)};
    }
  }
  std::vector<CatalogKind> kinds = {CatalogKind::models, CatalogKind::accelerators};
  for (const CatalogKindInfo& kind : catalog_kinds()) kinds.push_back(kind.kind);
  std::string guess;
  for (const CatalogKind kind : kinds) {
    if (kind == CatalogKind::runs || !guess.empty()) continue;
    guess = catalog::suggested_entry(catalog, kind, name);
  }
  throw Error(
      ErrorKind::usage, fmt::format("nothing in the catalog is named \"{}\"", name.substr(0, 100)),
      guess.empty() ? "`trcost list` shows the kinds, `trcost list KIND` the names" : guess);
}

bool is_kind(std::string_view word) {
  return find_catalog_kind(word).has_value();
}

int run_show(const ShowOptions& options, Session& session) {
  if (options.kind.empty() || (options.name.empty() && is_kind(options.kind))) {
    throw Error(ErrorKind::usage, "show needs a name",
                "trcost show h100-sxm, or with the kind: trcost show models llama-3.1-8b");
  }
  const Catalog& catalog = session.catalog();
  const auto [kind, name] = options.name.empty()
                                ? find_anywhere(catalog, options.kind)
                                : std::pair(catalog_kind(options.kind), options.name);
  Output output(options.output.path);
  const Format format = options.output.choose();
  if (kind == CatalogKind::prices) price_book(catalog);  // refuses what it cannot read
  const std::string of_chip =
      kind == CatalogKind::prices ? catalog.entry_of(CatalogKind::accelerators, name) : "";
  const bool chip = !of_chip.empty() && is_chip(catalog, of_chip);
  Document document =
      chip ? prices_document(catalog, of_chip) : catalog_entry_document(catalog, kind, name);
  document.command = session.command;
  output.write(render(document, format, style_of(options.output, format, session)));
  output.commit();
  return kExitOk;
}

}  // namespace

Action define_show(Flags& flags, Session& session) {
  auto options = std::make_shared<ShowOptions>();
  flags.group("Arguments");
  flags.add("KIND", options->kind, "", catalog_kind_names(", ", " or ") + ". May be left out");
  flags.add("NAME", options->name, "", "a catalog name, or a .json file of your own to check");
  add_output_options(flags, options->output);
  return [options, &session] { return run_show(*options, session); };
}

}  // namespace trcost::cli
