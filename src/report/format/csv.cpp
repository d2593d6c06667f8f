// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180): a header and a line per row.
#include <algorithm>

#include "quantity/currency.h"
#include "report/format/format.h"
#include "text/csv.h"
#include "trcost/numbers.h"

namespace trcost::report {
namespace {

void open_csv(std::string& out, const RowPlan& plan, const Record&) {
  bool first = true;
  for (const RowCell& cell : plan.cells()) {
    if (!first) out += ',';
    first = false;
    append_csv_text(out, cell.info->path);
  }
  if (!asked_currency().is_dollar()) out += ",display_currency,rate";
  out += '\n';
}

// The currency that pages have and its rate. Amounts stay in dollars.
std::string currency_cells() {
  const Currency& currency = asked_currency();
  if (currency.is_dollar()) return {};
  return "," + currency.code + "," + format_exact(currency.per_usd);
}

void write_csv_row(std::string& out, const RowPlan& plan, std::span<const Record> way) {
  bool first = true;
  for (const RowCell& cell : plan.cells()) {
    if (!first) out += ',';
    first = false;
    append_csv(out, way[cell.level].value(cell.column), cell.info->path);
  }
  out += currency_cells();
  out += '\n';
}

// Returns the end of the cell at `at`, including quotes. A doubled quote is part of the cell.
std::size_t cell_end(std::string_view line, std::size_t at) {
  if (at >= line.size() || line[at] != '"') return std::min(line.find(',', at), line.size());
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') continue;
    if (at + 1 == line.size() || line[at + 1] != '"') break;
    ++at;
  }
  return std::min(at + 1, line.size());
}

bool split_csv(std::string_view line, const RowPlan& plan, std::vector<std::string_view>& cells) {
  cells.clear();
  if (const std::string last = currency_cells(); !last.empty() && line.ends_with(last)) {
    line.remove_suffix(last.size());
  }
  for (std::size_t at = 0; cells.size() < plan.cells().size();) {
    const std::size_t end = cell_end(line, at);
    cells.push_back(line.substr(at, end - at));
    if (end >= line.size()) return cells.size() == plan.cells().size();
    if (line[end] != ',') return false;
    at = end + 1;
  }
  return false;
}

constexpr RowWriter kCsvRows = {
    .open = open_csv, .row = write_csv_row, .cell = append_csv, .split = split_csv};

}  // namespace

const FormatWriter csv_format = {rows_of<kCsvRows>, &kCsvRows};

}  // namespace trcost::report
