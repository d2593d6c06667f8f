// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "catalog/data_file.h"
#include "catalog/provenance.h"
#include "json/embedded.h"
#include "prices/rows/price_book.h"
#include "prices/rows/price_files.h"
#include "prices/rows/price_reader.h"
#include "prices/rows/regions.h"

namespace trcost::prices {

namespace {

bool is_built_in(const Catalog& catalog, const std::string& path) {
  const EmbeddedFile* file = find_embedded_file(path);
  return file != nullptr && file->begin == catalog.file(path).data();
}

// What the catalog has, and what prices may be of beside it.
std::vector<std::string> priced_accelerators(const Catalog& catalog) {
  std::vector<std::string> names = catalog.names(CatalogKind::accelerators);
  const JsonValue root = read_data_file(catalog, "prices/book.json");
  ObjectReader reader = root.object();
  for (const JsonValue& name : reader.array_or_empty("without_entry")) names.push_back(name.text());
  return names;
}

AttachedMachine read_machine(const JsonValue& value, const Sources& sources) {
  ObjectReader row = value.object();
  AttachedMachine machine;
  machine.accelerator = row.required_text("accelerator");
  machine.count = row.optional_number("count", 1, 1e4);
  machine.machine = row.required_text("machine");
  machine.memory_gb = row.required_number("memory_gb", 1, 1e5);
  sources.text(row.required_value("source"));
  row.finish();
  return machine;
}

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
    sources.text(row.required_value("source"));
    for (const JsonValue& each : row.array_or_empty("attached")) {
      provider.attached.push_back(read_machine(each, sources));
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

std::shared_ptr<const PriceBook> load_book(const Catalog& catalog) {
  constexpr std::size_t kUsualRows = 256;  // rows are large: growing step by step costs pages
  auto book = std::make_shared<PriceBook>();
  book->rows.reserve(kUsualRows);
  book->date = book_date(catalog);
  book->providers = load_providers(catalog);
  PriceReader reader(*book);
  std::vector<std::string> own;
  for (const std::string& name : catalog.names(CatalogKind::prices)) {
    if (name == "book" || name == "regions" || name == "providers") continue;
    const std::string path = fmt::format("prices/{}.json", name);
    if (is_built_in(catalog, path)) {
      reader.read_file(read_data_file(catalog, path));
    } else {
      own.push_back(path);
    }
  }
  if (!own.empty()) {
    const std::vector<std::string> accelerators = priced_accelerators(catalog);
    for (const std::string& path : own) {
      reader.read_own_file(read_data_file(catalog, path), accelerators);
    }
  }
  book->date = reader.newest();
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

bool is_price_region(const PriceBook& book, std::string_view name) {
  return std::ranges::any_of(book.rows, [&](const PriceRow& row) {
    return region_fit(row.region, name, nullptr) == RegionFit::exact;
  });
}

}  // namespace trcost::prices
