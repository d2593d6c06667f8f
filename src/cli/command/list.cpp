// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/catalog.h"
#include "report/about/documents.h"

namespace trcost::cli {
namespace {

struct ListOptions {
  std::string kind;
  std::string accelerator;
  std::string sort;
  OutputOptions output;
};

constexpr std::string_view kRegions = "regions";  // not a kind of the catalog: rows of one file

Document list_document(const Catalog& catalog, const ListOptions& options,
                       const std::string& only) {
  const auto sorted = [&](Table table, std::string name) {
    if (!options.sort.empty()) sort_table(table, options.sort);
    return table_document(std::move(table), std::move(name));
  };
  if (options.kind.empty()) return sorted(catalog_kinds_table(catalog), "kinds");
  if (options.kind == kRegions || options.kind == "region")
    return sorted(regions_table(catalog), "regions");
  const CatalogKind of = catalog_kind(options.kind);
  if (of == CatalogKind::prices && !only.empty()) {
    return prices_document(catalog, only, options.sort);
  }
  return sorted(catalog_table(catalog, of, only), std::string(catalog_kind_name(of)));
}

int run_list(const ListOptions& options, Session& session) {
  Output output(options.output.path);
  const Catalog& catalog = session.catalog();
  // An alias filters as its name does; what is no name is refused by the table.
  const std::string entry = catalog.entry_of(CatalogKind::accelerators, options.accelerator);
  const std::string& only = entry.empty() ? options.accelerator : entry;
  const Format format = options.output.choose();
  Document document = list_document(catalog, options, only);
  document.command = session.command;
  output.write(render(document, format, style_of(options.output, format, session)));
  output.commit();
  return kExitOk;
}

}  // namespace

Action define_list(Flags& flags, Session& session) {
  auto options = std::make_shared<ListOptions>();
  flags.group("Arguments");
  flags.add("KIND", options->kind, "", catalog_kind_names(", ", ", ") + " or regions");
  flags.group("Output");
  flags.add("--accelerator", options->accelerator, "NAME",
            "only what belongs to it (accelerators, systems, prices)");
  flags.add("--sort", options->sort, "COLUMN", "order of the rows: a column, or COLUMN:desc");
  add_output_options(flags, options->output);
  return [options, &session] { return run_list(*options, session); };
}

}  // namespace trcost::cli
