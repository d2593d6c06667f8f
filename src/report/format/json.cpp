// SPDX-License-Identifier: Apache-2.0
// JSON: the whole answer in one document, its columns nested by their paths.
#include <fmt/core.h>

#include <array>

#include "json/json_writer.h"
#include "json/record_json.h"
#include "quantity/currency.h"
#include "report/format/format.h"
#include "trcost/numbers.h"

namespace trcost::report {
namespace {

// Adds the currency that pages have and its rate, behind the versions. Amounts stay in dollars.
void add_asked_currency(std::string& json) {
  const Currency& currency = asked_currency();
  if (currency.is_dollar()) return;
  const std::size_t version = json.find("\"trcost_version\"");
  const std::size_t end = version == json.npos ? json.npos : json.find('\n', version);
  if (end == json.npos) return;
  json.insert(end, fmt::format("\n  \"display_currency\": {},\n  \"rate\": {},",
                               json_string(currency.code), format_exact(currency.per_usd)));
}

// Writes the members before the list of rows.
void open_json(std::string& out, const RowPlan& plan, const Record& document) {
  JsonWriter json(out);
  json.begin_object();
  write_members(json, document, 0, plan.list());
  json.begin_array(document.table().info(plan.list()).path);
  add_asked_currency(out);
}

void write_json_row(std::string& out, const RowPlan& plan, std::span<const Record> way) {
  JsonWriter json(out, {true, false});
  if (way.front().table().info(plan.list()).flat) {
    append_flat_object(json.raw_element(), plan, way);
  } else {
    write_row(json, way.back());
  }
}

void close_json(std::string& out, const RowPlan& plan, const Record& document, bool any) {
  JsonWriter json(out, {true, any});
  json.end_array();
  write_members(json, document, plan.list() + 1, document.table().size());
  json.end_object();
  out += '\n';
}

constexpr RowWriter kJsonRows = {.open = open_json,
                                 .row = write_json_row,
                                 .cell = append_json,
                                 .close = close_json,
                                 .between = ","};

std::string draw_json(const Document& document, const Style&) {
  if (!document.file.empty()) return document.file;
  std::string out = json_document(document.record);
  add_asked_currency(out);
  return out;
}

}  // namespace

const FormatWriter json_format = {draw_json, &kJsonRows};

}  // namespace trcost::report
