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
  OutputOptions output;
};

Document list_document(const Catalog& catalog, const std::string& kind, const std::string& only) {
  if (kind.empty()) return table_document(catalog_kinds_table(catalog), "kinds");
  const CatalogKind of = catalog_kind(kind);
  if (of == CatalogKind::prices && !only.empty()) return prices_document(catalog, only);
  return table_document(catalog_table(catalog, of, only), kind);
}

int run_list(const ListOptions& options, Session& session) {
  Output output(options.output.path);
  const Catalog& catalog = session.catalog();
  // An alias filters as its name does; what is no name is refused by the table.
  const std::string entry = catalog.entry_of(CatalogKind::accelerators, options.accelerator);
  const std::string& only = entry.empty() ? options.accelerator : entry;
  const Format format = options.output.choose();
  Document document = list_document(catalog, options.kind, only);
  document.command = session.command;
  output.write(render(document, format, style_of(options.output, format, session)));
  output.commit();
  return kExitOk;
}

}  // namespace

Action define_list(Flags& flags, Session& session) {
  auto options = std::make_shared<ListOptions>();
  flags.group("Arguments");
  flags.add("KIND", options->kind, "", catalog_kind_names(", ", " or "));
  flags.group("Output");
  flags.add("--accelerator", options->accelerator, "NAME",
            "only what belongs to it (accelerators, systems, prices)");
  add_output_options(flags, options->output);
  return [options, &session] { return run_list(*options, session); };
}

}  // namespace trcost::cli
