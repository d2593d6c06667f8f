// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>

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

int run_show(const ShowOptions& options, Session& session) {
  if (options.kind.empty() || options.name.empty()) {
    throw Error(ErrorKind::usage, "show needs a kind and a name",
                "trcost show accelerators h100-sxm; `trcost list` shows the kinds");
  }
  const CatalogKind kind = catalog_kind(options.kind);
  Output output(options.output.path);
  const Catalog& catalog = session.catalog();
  const Format format = options.output.choose();
  if (kind == CatalogKind::prices) price_book(catalog);  // refuses what it cannot read
  const bool chip = kind == CatalogKind::prices && is_chip(catalog, options.name);
  Document document = chip ? prices_document(catalog, options.name)
                           : catalog_entry_document(catalog, kind, options.name);
  document.command = session.command;
  output.write(render(document, format, style_of(options.output, format, session)));
  output.commit();
  return kExitOk;
}

}  // namespace

Action define_show(Flags& flags, Session& session) {
  auto options = std::make_shared<ShowOptions>();
  flags.group("Arguments");
  flags.add("KIND", options->kind, "", catalog_kind_names(", ", " or "));
  flags.add("NAME", options->name, "", "a catalog name, or a .json file of your own to check");
  add_output_options(flags, options->output);
  return [options, &session] { return run_show(*options, session); };
}

}  // namespace trcost::cli
