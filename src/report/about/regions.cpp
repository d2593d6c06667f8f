// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "prices/rows/price_book.h"
#include "prices/rows/regions.h"
#include "quantity/suggest.h"
#include "report/about/catalog.h"
#include "trcost/error.h"

namespace trcost::report {
namespace {

// Sellers of accelerators in the region, sorted.
std::string sellers_in(const PriceBook& book, const Region& region, const Regions& regions) {
  std::set<std::string> names;
  for (const PriceRow& row : book.rows) {
    const bool sells =
        row.provider_class != ProviderClass::index && row.provider_class != ProviderClass::survey;
    if (sells && seller_fit(book, row, region.name, &regions) != RegionFit::none) {
      names.insert(row.provider);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The rank of a cell: numbers by value, then texts, unknown cells last.
bool comes_before(const Cell& a, const Cell& b, bool descending) {
  const auto unknown = [](const Cell& cell) { return cell.kind() == Cell::Kind::unknown; };
  if (unknown(a) || unknown(b)) return !unknown(a) && unknown(b);
  if (a.kind() == Cell::Kind::number && b.kind() == Cell::Kind::number) {
    return descending ? b.value() < a.value() : a.value() < b.value();
  }
  return descending ? b.text() < a.text() : a.text() < b.text();
}

}  // namespace

Table regions_table(const Catalog& catalog) {
  Table table({{"name", "name"},
               {"title", "title"},
               number_column("$/kWh", "usd_per_kwh"),
               number_column("g CO2/kWh", "kg_co2_per_kwh"),
               {"sellers", "sellers", Align::left, Overflow::wrap}});
  const Regions& regions = known_regions(catalog);
  const PriceBook& book = price_book(catalog);
  for (const Region& region : regions.rows) {
    const SourcedValue* price = electricity_price(regions, region);
    const SourcedValue* carbon = grid_intensity(regions, region);
    table.add_row({region.name, region.title,
                   price == nullptr
                       ? Cell::unknown()
                       : Cell::number(price->value, fmt::format("${:.3f}", price->value)),
                   carbon == nullptr
                       ? Cell::unknown()
                       : Cell::number(carbon->value, fmt::format("{:.0f}", 1000 * carbon->value)),
                   sellers_in(book, region, regions)});
  }
  return table;
}

void sort_table(Table& table, std::string_view column) {
  const std::size_t colon = column.find(':');
  const std::string_view order = colon == column.npos ? "" : column.substr(colon + 1);
  if (!order.empty() && order != "asc" && order != "desc") {
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is no order", order.substr(0, 60)),
                "write COLUMN or COLUMN:desc", "--sort");
  }
  const std::string_view asked = column.substr(0, colon);
  const std::string_view wanted = asked == "price" ? "median" : asked;
  std::vector<std::string> names;
  const std::vector<TableColumn>& columns = table.columns();
  std::size_t at = columns.size();
  for (const std::string_view name : {asked, wanted}) {
    for (std::size_t i = 0; i < columns.size() && at == columns.size(); ++i) {
      if (columns[i].title == name || columns[i].key == name) at = i;
    }
  }
  for (const TableColumn& each : columns) names.push_back(each.title);
  if (at == columns.size()) {
    const std::string guess = did_you_mean(asked, names);
    throw Error(
        ErrorKind::usage, fmt::format("the table has no column \"{}\"", asked.substr(0, 60)),
        fmt::format("{}{}columns: {}", guess, guess.empty() ? "" : " ", fmt::join(names, ", ")),
        "--sort");
  }
  std::vector<std::vector<Cell>> rows = table.rows();
  std::ranges::stable_sort(rows, [&](const std::vector<Cell>& a, const std::vector<Cell>& b) {
    return comes_before(a[at], b[at], order == "desc");
  });
  Table sorted(columns);
  for (std::vector<Cell>& row : rows) sorted.add_row(std::move(row));
  table = std::move(sorted);
}

}  // namespace trcost::report
