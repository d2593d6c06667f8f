// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/session.h"
#include "trcost/error.h"
#include "trcost/files.h"
#include "trcost/price_import.h"

namespace trcost::cli {
namespace {

struct PricesOptions {
  std::string action, file, provider, provider_class, date, source;
  OutputOptions output;
};

// The folder of a `vms.csv`, as SkyPilot lays its catalogs out, else the file's own name.
std::string provider_of_path(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string stem = path.stem().string();
  const std::string folder = path.parent_path().filename().string();
  return stem == "vms" && !folder.empty() ? folder : stem;
}

ProviderClass class_of(const std::string& word) {
  for (const auto known :
       {ProviderClass::specialist, ProviderClass::marketplace, ProviderClass::survey,
        ProviderClass::index, ProviderClass::hyperscaler}) {
    if (word == provider_class_name(known)) return known;
  }
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a class of providers", word),
              "specialist, marketplace, survey, index or hyperscaler", "--class");
}

PriceImportOptions import_options(const PricesOptions& typed, Session& session) {
  PriceImportOptions options;
  options.provider = typed.provider.empty() ? provider_of_path(typed.file) : typed.provider;
  if (!typed.provider_class.empty()) options.provider_class = class_of(typed.provider_class);
  if (!typed.date.empty()) {
    try {
      parse_price_date(typed.date, "--date");
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, error.message, error.hint, error.location);
    }
  }
  options.date = typed.date;
  options.source = typed.source.empty() ? typed.file : typed.source;
  // The book may be older than the table; the later of both dates is what counts as today.
  options.book_date = std::max(session.catalog().price_date(), typed.date);
  return options;
}

void report(const PriceImport& import, const PriceImportOptions& options, Session& session) {
  constexpr std::size_t kShown = 40;
  const std::size_t shown =
      session.options.verbose ? import.refused.size() : std::min(kShown, import.refused.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RefusedRow& row = import.refused[i];
    session.warn(fmt::format("line {}: {}: {}", row.line, row.what, row.why));
  }
  if (shown < import.refused.size()) {
    session.warn(
        fmt::format("and {} more rows refused: -v names all", import.refused.size() - shown));
  }
  session.text(fmt::format("{} of {}: {} prices, {} rows refused, {} without accelerator\n",
                           import.format, options.provider, import.rows.size(),
                           import.refused.size(), import.without_accelerator));
}

int import_file(const PricesOptions& typed, Session& session) {
  if (typed.file.empty()) {
    throw Error(ErrorKind::usage, "no file to import",
                "trcost prices import FILE --date YYYY-MM-DD");
  }
  const PriceImportOptions options = import_options(typed, session);
  const PriceImport import = import_prices(read_text_file(typed.file), typed.file, options);
  report(import, options, session);
  if (import.rows.empty()) {
    const bool dated = std::none_of(import.refused.begin(), import.refused.end(),
                                    [](const RefusedRow& row) { return row.why == "no date"; });
    throw Error(ErrorKind::data, "no row of the table is a price that can be used",
                dated ? "the refused rows say why"
                      : "the table carries no dates: give --date with the day it was downloaded",
                typed.file);
  }
  Output output(typed.output.path);
  output.write(price_file_json(import, options));
  output.commit();
  return kExitOk;
}

}  // namespace

Action define_prices(CLI::App& app, Session& session) {
  auto typed = std::make_shared<PricesOptions>();
  app.add_option("ACTION", typed->action, "import: turn a table of prices into a price file")
      ->type_name("import");
  app.add_option("FILE", typed->file, "SkyPilot or gpuhunt catalog as CSV")->type_name("CSV");
  app.add_option("--provider", typed->provider,
                 "whose prices (default: the folder of a vms.csv, else the file's name)")
      ->type_name("NAME");
  app.add_option("--class", typed->provider_class, "kind of provider (default: by its name)")
      ->type_name("specialist|marketplace|survey|index|hyperscaler");
  app.add_option("--date", typed->date, "day of the prices, where the table carries none")
      ->type_name("YYYY-MM-DD");
  app.add_option("--source", typed->source, "where the table comes from (default: its path)")
      ->type_name("TEXT");
  app.add_option("-o,--output", typed->output.path, "price file to write, - for stdout")
      ->type_name("FILE")
      ->group("Output");
  return [typed, &session] {
    if (typed->action != "import") {
      throw Error(ErrorKind::usage,
                  typed->action.empty()
                      ? std::string("`trcost prices` needs an action")
                      : fmt::format("\"{}\" is not an action of `trcost prices`", typed->action),
                  "write `trcost prices import FILE`; `trcost list prices` shows the price book");
    }
    return import_file(*typed, session);
  };
}

}  // namespace trcost::cli
