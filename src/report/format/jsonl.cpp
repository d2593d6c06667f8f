// SPDX-License-Identifier: Apache-2.0
// JSON Lines: a flat object with dotted names per row.
#include <algorithm>

#include "quantity/currency.h"
#include "report/format/format.h"
#include "trcost/numbers.h"

namespace trcost::report {
namespace {

void open_jsonl(std::string&, const RowPlan&, const Record&) {}

// The currency that pages have and its rate. Amounts stay in dollars.
std::string currency_members() {
  const Currency& currency = asked_currency();
  if (currency.is_dollar()) return {};
  return ",\"display_currency\":\"" + currency.code +
         "\",\"rate\":" + format_exact(currency.per_usd);
}

void write_jsonl_row(std::string& out, const RowPlan& plan, std::span<const Record> way) {
  append_flat_object(out, plan, way);
  out.insert(out.size() - 1, currency_members());
  out += '\n';
}

// Returns the end of the value at `at`, including quotes or brackets.
std::size_t value_end(std::string_view line, std::size_t at) {
  const char first = at < line.size() ? line[at] : ',';
  if (first == '[') return std::min(line.find(']', at), line.size() - 1) + 1;
  if (first != '"') return std::min(line.find(',', at), line.size());
  for (++at; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] == '\\') ++at;
  }
  return std::min(at + 1, line.size());
}

bool split_jsonl(std::string_view line, const RowPlan& plan, std::vector<std::string_view>& cells) {
  cells.clear();
  if (!line.starts_with('{') || !line.ends_with('}')) return false;
  line = line.substr(1, line.size() - 2);
  if (const std::string last = currency_members(); !last.empty() && line.ends_with(last)) {
    line.remove_suffix(last.size());
  }
  std::size_t at = 0;
  for (const RowCell& cell : plan.cells()) {
    if (!line.substr(at).starts_with(cell.key)) return false;
    at += cell.key.size();
    const std::size_t end = value_end(line, at);
    cells.push_back(line.substr(at, end - at));
    if (end >= line.size()) return cells.size() == plan.cells().size();
    if (line[end] != ',') return false;
    at = end + 1;
  }
  return false;
}

constexpr RowWriter kJsonlRows = {
    .open = open_jsonl, .row = write_jsonl_row, .cell = append_json, .split = split_jsonl};

}  // namespace

const FormatWriter jsonl_format = {rows_of<kJsonlRows>, &kJsonlRows};

}  // namespace trcost::report
