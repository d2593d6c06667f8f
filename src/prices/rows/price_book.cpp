// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/price_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catalog/data/data_file.h"
#include "catalog/data/sourced_values.h"
#include "prices/rows/price_reader.h"
#include "quantity/suggest.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::prices {

namespace {

std::vector<Provider> load_providers(const Catalog& catalog) {
  ObjectReader reader = read_data_file(catalog, "prices/providers.json").object();
  reader.accept("schema_version");
  reader.accept("retrieved");
  const Sources sources(reader);
  std::vector<Provider> out;
  for (const JsonValue& value : reader.required_value("providers").array()) {
    ObjectReader row = value.object();
    Provider provider;
    provider.name = row.required_text("name");
    provider.provider_class = row.required_choice("class", kProviderClasses);
    provider.also = row.texts_or_empty("also");
    provider.pcie_machines = row.texts_or_empty("pcie_machines");
    provider.regions = row.texts_or_empty("regions");
    if (!provider.regions.empty()) sources.text(row.required_value("regions_source"));
    sources.text(row.required_value("source"));
    for (const JsonValue& each : row.array_or_empty("attached")) {
      ObjectReader host = each.object();
      AttachedMachine& machine = provider.attached.emplace_back();
      machine.accelerator = host.required_text("accelerator");
      machine.count = host.optional_number("count", 1, 1e4);
      machine.machine = host.required_text("machine");
      machine.memory_gb = host.required_number("memory_gb", 1, 1e5);
      sources.text(host.required_value("source"));
      host.finish();
    }
    row.finish();
    out.push_back(std::move(provider));
  }
  reader.finish();
  return out;
}

std::string book_date(const Catalog& catalog) {
  const JsonValue root = read_data_file(catalog, "prices/book.json");
  ObjectReader reader = root.object();
  reader.accept("schema_version");
  reader.accept("note");
  reader.accept("without_entry");
  const JsonValue date = reader.required_value("date");
  reader.finish();
  const PriceDate parsed = price_date_at(date, date.text());
  if (parsed.first.empty() || parsed.first != parsed.last) {
    date.fail("the book's date has to be a day", "write YYYY-MM-DD");
  }
  return parsed.text;
}

// Names that rows of a user's file may use: the catalog's, and those that the book lists.
std::vector<std::string> priced_accelerators(const Catalog& catalog) {
  std::vector<std::string> names = catalog.names(CatalogKind::accelerators);
  const JsonValue root = read_data_file(catalog, "prices/book.json");
  ObjectReader reader = root.object();
  for (const JsonValue& name : reader.array_or_empty("without_entry")) names.push_back(name.text());
  return names;
}

// The book without its rows.
PriceBook empty_book(const Catalog& catalog) {
  constexpr std::size_t kUsualRows = 320;  // rows are large: growing step by step costs pages
  PriceBook book;
  book.rows.reserve(kUsualRows);
  book.date = book_date(catalog);
  book.providers = load_providers(catalog);
  return book;
}

PriceFiles book_files(const Catalog& catalog) {
  PriceFiles files;
  for (const std::string& name : catalog.names(CatalogKind::prices)) {
    if (name == "book" || name == "regions" || name == "providers") continue;
    const std::string path = fmt::format("prices/{}.json", name);
    const EmbeddedFile* file = find_embedded_file(path);
    const bool built_in = file != nullptr && file->begin == catalog.file(path).data();
    (built_in ? files.built_in : files.own).push_back(read_data_file(catalog, path));
  }
  return files;
}

std::shared_ptr<const PriceBook> load_book(const Catalog& catalog) {
  auto book = std::make_shared<PriceBook>(empty_book(catalog));
  PriceFiles files = book_files(catalog);
  if (!files.own.empty()) files.accelerators = priced_accelerators(catalog);
  read_price_files(files, *book);
  return book;
}

}  // namespace

const PriceBook& price_book(const Catalog& catalog) {
  return catalog.kept(load_book);
}

std::string price_date(const Catalog& catalog) {
  // Files over the built-in ones may hold later prices.
  return catalog.is_built_in() ? book_date(catalog) : price_book(catalog).date;
}

void check_price_file(const Catalog& catalog, std::string_view json) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  if (json.size() > kLargestFile) {
    throw Error(ErrorKind::data,
                fmt::format("the price file would exceed the {} MiB that trcost reads",
                            kLargestFile / kMiB),
                "split the table");
  }
  PriceBook book = empty_book(catalog);
  PriceFiles files = book_files(catalog);
  files.own = {parse_strict_json(json, "the new price file")};
  files.accelerators = priced_accelerators(catalog);
  read_price_files(files, book);
}

RegionFit seller_fit(const PriceBook& book, const PriceRow& row, std::string_view region,
                     const Regions* regions) {
  if (region.empty() || is_everywhere(region)) return RegionFit::related;
  // A price for `us/world` is one of the United States, and of wherever its seller is.
  bool everywhere = false;
  RegionFit fit = RegionFit::none;
  for (const std::string_view part : split_text(row.region, "/")) {
    if (is_everywhere(part)) {
      everywhere = true;
    } else {
      fit = std::max(fit, region_fit(part, region, regions));
    }
  }
  if (!everywhere || fit != RegionFit::none) return fit;
  static const std::vector<std::string> kUnlisted = {std::string(kDefaultRegion)};
  const Provider* seller = known_provider(book, row.provider);
  const bool listed = seller != nullptr && !seller->regions.empty();
  const std::vector<std::string>& places = listed ? seller->regions : kUnlisted;
  const bool there = std::ranges::any_of(places, [&](const std::string& place) {
    return region_fit(place, region, regions) != RegionFit::none;
  });
  return there ? RegionFit::related : RegionFit::none;
}

bool is_price_region(const PriceBook& book, std::string_view name) {
  return std::ranges::any_of(book.rows, [&](const PriceRow& row) {
    return region_fit(row.region, name, nullptr) == RegionFit::exact;
  });
}

const Provider* known_provider(const PriceBook& book, std::string_view name) {
  const auto exact = std::ranges::find(book.providers, name, &Provider::name);
  if (exact != book.providers.end()) return &*exact;
  const auto is_spelling = [&](std::string_view known) { return same_folded(known, name); };
  const auto found = std::ranges::find_if(book.providers, [&](const Provider& each) {
    return is_spelling(each.name) || std::ranges::any_of(each.also, is_spelling);
  });
  return found == book.providers.end() ? nullptr : &*found;
}

std::string provider_name(const PriceBook& book, std::string_view name) {
  const Provider* known = known_provider(book, name);
  return known != nullptr ? known->name : std::string(name);
}

std::string find_provider(const PriceBook& book, std::string_view provider) {
  const std::string wanted = provider_name(book, provider);
  std::set<std::string> sellers;
  for (const PriceRow& row : book.rows) sellers.insert(row.provider);
  const std::vector<std::string> known(sellers.begin(), sellers.end());
  const auto found = std::ranges::find_if(
      known, [&](const std::string& name) { return same_folded(name, wanted); });
  if (found != known.end()) return *found;
  if (find_value(kPriceClasses, provider)) {
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" is a class of sellers, not a provider", provider),
                fmt::format("set --price-class {}", provider), "--provider");
  }
  if (provider.find(',') != std::string_view::npos) {
    throw Error(ErrorKind::usage, "--provider takes one seller",
                "to compare several: trcost sweep --vary provider=AWS,CoreWeave", "--provider");
  }
  const std::string guess = did_you_mean(provider, known);
  throw Error(ErrorKind::usage,
              fmt::format("the price book has no provider \"{}\"", provider.substr(0, 60)),
              fmt::format("{}{}known: {}", guess, guess.empty() ? "" : " ", fmt::join(known, ", ")),
              "--provider");
}

bool quotes(const PriceBook& book, std::string_view provider, std::string_view accelerator) {
  const std::string name = provider_name(book, provider);
  return std::ranges::any_of(book.rows, [&](const PriceRow& row) {
    return row.commitment == Commitment::on_demand && row.accelerator == accelerator &&
           same_folded(row.provider, name);
  });
}

}  // namespace trcost::prices
