// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "prices/rows/price_import.h"
#include "text/files.h"
#include "trcost/error.h"

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
  if (const auto known = find_value(kProviderClasses, word)) return *known;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a class of providers", word),
              fmt::format("one of {}", fmt::join(words_in(kProviderClasses), ", ")), "--class");
}

// A catalog that is read years after the book's date has a mistyped one.
void require_plausible(const std::string& day, const std::string& book_date) {
  constexpr int kYears = 5;  // as long as the book lets files be ahead of it
  if (std::stoi(day.substr(0, 4)) <= std::stoi(book_date.substr(0, 4)) + kYears - 1) return;
  throw Error(ErrorKind::usage, fmt::format("{} is long after the book's date {}", day, book_date),
              "set the day on which the table was downloaded", "--date");
}

// The day of the file's last change, YYYY-MM-DD in UTC. Empty for what is no file.
std::string last_change(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::tm day{};
  ::gmtime_r(&status.st_mtime, &day);
  std::array<char, 11> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d", &day);
  return std::string(text.data(), size);
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
  options.date = typed.date.empty() ? last_change(typed.file) : typed.date;
  options.source = typed.source.empty() ? typed.file : typed.source;
  options.catalog = &session.catalog();
  // The book may be older than the table: its date moves to that of the newest row.
  options.book_date = price_date(session.catalog());
  if (!options.date.empty()) {
    const std::string day = parse_price_date(options.date, "--date").first;
    if (!typed.date.empty()) require_plausible(day, options.book_date);
    options.book_date = std::max(options.book_date, day);
  }
  return options;
}

std::string counted(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string newest_day(const PriceImport& import) {
  std::string newest;
  for (const PriceRow& row : import.rows) newest = std::max(newest, row.date.first);
  return newest;
}

void report_import(const PriceImport& import, const PriceImportOptions& options,
                   bool has_date_option, Session& session) {
  constexpr std::size_t kShown = 40;
  const std::size_t shown =
      session.options.verbose ? import.refused.size() : std::min(kShown, import.refused.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RefusedRow& row = import.refused[i];
    session.warn(fmt::format("line {}: {}: {}", row.line, row.what, row.why));
  }
  if (shown < import.refused.size()) {
    session.warn(fmt::format("and {} more refused: -v names all", import.refused.size() - shown));
  }
  if (import.dated_by_option && !has_date_option) {
    session.warn(fmt::format(
        "the table has no dates: its prices are dated {}, the day of the file's last change. Set "
        "--date to the day on which the seller asked them",
        options.date));
  }
  if (!import.rows.empty() && !options.provider_class &&
      known_provider(price_book(session.catalog()), import.rows.front().provider) == nullptr) {
    session.warn(
        fmt::format("{} is not in the list of sellers and counts as a specialist. Set "
                    "--class if it is a marketplace or a hyperscaler",
                    import.rows.front().provider));
  }
  for (const std::string& change : price_changes(import, price_book(session.catalog()))) {
    session.warn(change);
  }
  std::set<std::size_t> lines;
  for (const RefusedRow& row : import.refused) lines.insert(row.line);
  session.text(fmt::format("{} of {}: {}, {} refused or in part, {} without accelerator\n",
                           import.format,
                           provider_name(price_book(session.catalog()), options.provider),
                           counted(import.rows.size(), "price"), counted(lines.size(), "row"),
                           import.without_accelerator));
  const std::string newest = newest_day(import);
  if (newest > price_date(session.catalog())) {
    session.text(fmt::format("in a data folder these move the price book's date from {} to {}\n",
                             price_date(session.catalog()), newest));
  }
}

// Next step if no row is left.
std::string next_step(const PriceImport& import) {
  if (import.refused.empty()) {
    return import.without_accelerator > 0 ? "none of its rows has an accelerator"
                                          : "it has a header and no rows";
  }
  return import.undated > 0
             ? "the table carries no dates: set --date with the day it was downloaded"
             : "the refused rows say why";
}

int import_file(const PricesOptions& typed, Session& session) {
  if (typed.file.empty()) {
    throw Error(ErrorKind::usage, "no file to import",
                "trcost prices import FILE --date YYYY-MM-DD");
  }
  if (std::error_code status; std::filesystem::is_directory(typed.file, status)) {
    throw Error(ErrorKind::data, "this is a directory, not a file",
                "name the table in it, such as vms.csv", typed.file);
  }
  const PriceImportOptions options = import_options(typed, session);
  const PriceImport import = import_prices(read_text_file(typed.file), typed.file, options);
  report_import(import, options, !typed.date.empty(), session);
  if (import.rows.empty()) {
    throw Error(ErrorKind::data, "no row of the table is a price that can be used",
                next_step(import), typed.file);
  }
  const std::string file = price_file_json(import, options);
  Output output(typed.output.path);
  output.write(file);
  output.commit();
  return kExitOk;
}

}  // namespace

Action define_prices(Flags& flags, Session& session) {
  auto typed = std::make_shared<PricesOptions>();
  flags.add("ACTION", typed->action, "import", "import: turn a table of prices into a price file");
  flags.add("FILE", typed->file, "CSV", "SkyPilot or gpuhunt catalog as CSV");
  flags.add("--provider", typed->provider, "NAME",
            "whose prices (default: the folder of a vms.csv, else the file's name)");
  flags.add("--class", typed->provider_class, std::string(kWordsOf<kProviderClasses>),
            "kind of provider (default: by its name)");
  flags.add("--date", typed->date, "YYYY-MM-DD",
            "day of the prices if the table has none (default: the file's last change)");
  flags.add("--source", typed->source, "TEXT", "where the table comes from (default: its path)");
  flags.group("Output");
  flags.add("-o,--output", typed->output.path, "FILE", "price file to write, - for stdout");
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
