// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <string>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "quantity/suggest.h"
#include "report/about/catalog.h"
#include "report/about/documents.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

struct ListOptions {
  std::string kind;
  std::string name;  // an accelerator, or a part of names
  std::string accelerator;
  std::string sort;
  OutputOptions output;
};

constexpr std::string_view kRegions = "regions";  // not a kind of the catalog: rows of one file

// The rows whose name contains the word.
Table find_rows(const Table& table, const std::string& word, std::string_view kind) {
  Table out(table.columns());
  for (const std::vector<report::Cell>& row : table.rows()) {
    if (lower_case(row.front().text()).find(lower_case(word)) != std::string::npos)
      out.add_row(row);
  }
  if (!out.rows().empty()) return out;
  throw Error(ErrorKind::usage,
              fmt::format("no name of {} contains \"{}\"", kind, word.substr(0, 60)),
              fmt::format("`trcost list {}` lists all", kind));
}

Document list_document(const Catalog& catalog, const ListOptions& options,
                       const std::string& only) {
  const auto sorted = [&](Table table, std::string name) {
    if (!options.sort.empty()) sort_table(table, options.sort);
    return table_document(std::move(table), std::move(name));
  };
  if (options.kind.empty()) return sorted(catalog_kinds_table(catalog), "kinds");
  if (options.kind == kRegions || options.kind == "region") {
    return sorted(options.name.empty() ? regions_table(catalog)
                                       : find_rows(regions_table(catalog), options.name, kRegions),
                  "regions");
  }
  const CatalogKind of = catalog_kind(options.kind);
  const bool has_chips = of == CatalogKind::accelerators || of == CatalogKind::systems;
  const bool is_chip = !catalog.entry_of(CatalogKind::accelerators, options.name).empty();
  if (!options.name.empty() && of != CatalogKind::prices && !(has_chips && is_chip)) {
    const std::string_view kind = catalog_kind_name(of);
    return sorted(find_rows(catalog_table(catalog, of, {}), options.name, kind), std::string(kind));
  }
  if (of == CatalogKind::prices) return prices_document(catalog, only, options.sort);
  return sorted(catalog_table(catalog, of, only), std::string(catalog_kind_name(of)));
}

int run_list(const ListOptions& options, Session& session) {
  Output output(options.output.path);
  const Catalog& catalog = session.catalog();
  if (!options.name.empty() && !options.accelerator.empty()) {
    throw Error(ErrorKind::usage, "the accelerator is named twice",
                fmt::format("leave {} or --accelerator out", options.name));
  }
  const std::string& named = options.name.empty() ? options.accelerator : options.name;
  // An alias filters as its name does; what is no name is refused by the table.
  const std::string entry = catalog.entry_of(CatalogKind::accelerators, named);
  const std::string& only = entry.empty() ? named : entry;
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
  flags.add("NAME", options->name, "", "only this accelerator, or names that contain it");
  flags.group("Output");
  flags.add("--accelerator", options->accelerator, "NAME",
            "only what belongs to it (accelerators, systems, prices)");
  flags.add("--sort", options->sort, "COLUMN", "order of the rows: a column, or COLUMN:desc");
  add_output_options(flags, options->output);
  return [options, &session] { return run_list(*options, session); };
}

}  // namespace trcost::cli
