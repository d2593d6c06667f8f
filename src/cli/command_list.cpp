// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/output.h"
#include "cli/session.h"
#include "report/catalog_report.h"
#include "report/table_document.h"

namespace trcost::cli {
namespace {

struct ListOptions {
  std::string kind;
  std::string accelerator;
  OutputOptions output;
};

int run_list(const ListOptions& options, Session& session) {
  Output output(options.output.path);
  const Catalog& catalog = session.catalog();
  // An alias filters as its name does; what is no name is refused by the table.
  const std::string entry = catalog.entry_of(CatalogKind::accelerators, options.accelerator);
  const std::string& only = entry.empty() ? options.accelerator : entry;
  const Table table = options.kind.empty()
                          ? catalog_kinds_table(catalog)
                          : catalog_table(catalog, catalog_kind(options.kind), only);
  Style style;
  style.color = options.output.path == "-" && session.colored(STDOUT_FILENO);
  const Format format = options.output.choose();
  Document document = table_document(table, options.kind.empty() ? "kinds" : options.kind);
  document.command = session.command;
  output.write(render(document, format, style));
  if (format == Format::table && options.kind == "prices" && !only.empty()) {
    output.write("\n" + price_spread_text(catalog, only));
  }
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
