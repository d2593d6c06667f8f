// SPDX-License-Identifier: Apache-2.0
// One entry of the catalog for people, value by value with units and sources.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "json/strict_json.h"
#include "report/about/catalog.h"
#include "report/about/documents.h"

namespace trcost::report {
namespace {

struct KeySuffix {
  std::string_view suffix;
  double scale;
  std::string_view text;
};
// Longest suffix first: `_bytes_per_second` before `_bytes`.
constexpr std::array<KeySuffix, 8> kKeyUnits = {{{"_flop_per_second", 1e12, "TFLOP/s"},
                                                 {"_bytes_per_second_per_direction", 1e9, "GB/s"},
                                                 {"_bytes_per_second", 1e9, "GB/s"},
                                                 {"_per_second_per_direction", 1e9, "GB/s"},
                                                 {"_bytes", 1e9, "GB"},
                                                 {"_seconds", 1e-6, "microseconds"},
                                                 {"_watts", 1, "W"},
                                                 {"_usd", 1, "USD"}}};

std::string number_with_unit(std::string_view key, double value) {
  const std::string with_edge = fmt::format("_{}", key);
  for (const KeySuffix& unit : kKeyUnits) {
    if (with_edge.ends_with(unit.suffix)) {
      return fmt::format("{:.7g} {}", value / unit.scale, unit.text);
    }
  }
  return fmt::format("{:.15g}", value);
}

// Keys that come first. The others follow by name.
constexpr std::array<std::string_view, 9> kFirstKeys = {
    "name",         "title",  "vendor",       "architecture", "release_date",
    "token_family", "system", "accelerators", "source"};

std::vector<std::string> sort_for_reading(std::vector<std::string> keys) {
  const auto rank = [](const std::string& key) { return std::ranges::find(kFirstKeys, key); };
  std::ranges::stable_sort(keys, [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return keys;
}

// Lists the values of a file with the keys of their sources, then the sources.
class EntryTable {
 public:
  EntryTable()
      : table_({{"value", "path"},
                {"is", "value", Align::left, Overflow::wrap},
                {"source", "source", Align::left, Overflow::wrap}}) {}

  Table read(const JsonValue& root) {
    ObjectReader file = root.object();
    if (auto sources = file.optional_value("sources"); sources && sources->is_object()) {
      ObjectReader texts = sources->object();
      for (const std::string& key : texts.keys()) {
        if (texts.has(key)) sources_[key] = texts.required_value(key).text();
      }
    }
    walk_object(root, "");
    if (!sources_.empty()) table_.add_rule();
    for (const auto& [key, text] : sources_) table_.add_row({"source " + key, text, ""});
    return std::move(table_);
  }

 private:
  void walk_object(const JsonValue& value, const std::string& path) {
    ObjectReader object = value.object();
    for (const std::string& key : sort_for_reading(object.keys())) {
      const std::string here = path.empty() ? key : path + "." + key;
      if (here == "sources" || here == "schema_version") continue;
      if (object.has(key)) {
        walk(object.required_value(key), here, key);
      } else {
        table_.add_row({here, Cell::unknown(), ""});
      }
    }
  }

  void walk(const JsonValue& value, const std::string& path, std::string_view key) {
    if (value.is_object()) {
      ObjectReader object = value.object();
      if (!object.has("value") || !object.has("source")) return walk_object(value, path);
      return add_sourced(object, path, key);
    }
    if (!value.is_array()) return add(value, path, key);
    const std::vector<JsonValue> items = value.array();
    if (std::ranges::all_of(items, &JsonValue::is_text)) {
      std::string words;
      for (const JsonValue& item : items) words += (words.empty() ? "" : ", ") + item.text();
      table_.add_row({path, words, ""});
      return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      walk(items[i], fmt::format("{}[{}]", path, i), key);
    }
  }

  // `{ "value": 80e9, "source": "sheet", "note": "..." }`
  void add_sourced(ObjectReader& object, const std::string& path, std::string_view key) {
    const JsonValue value = object.required_value("value");
    std::string source = object.required_value("source").text();
    std::string extra;
    for (const char* name : {"date", "note"}) {
      if (!object.has(name)) continue;
      extra += (extra.empty() ? "" : ", ") + object.required_value(name).text();
    }
    Cell cell = json_cell(value, key);
    if (!extra.empty() && value.is_number()) {
      cell = Cell::number(cell.value(), fmt::format("{} ({})", cell.text(), extra));
    }
    table_.add_row({path, std::move(cell), std::move(source)});
  }

  void add(const JsonValue& value, const std::string& path, std::string_view key) {
    // `"bf16": "sheet"` means that the value exists, with this source.
    const bool is_source = value.is_text() && sources_.contains(value.text());
    table_.add_row({path, is_source ? Cell("yes") : json_cell(value, key),
                    is_source ? value.text() : std::string()});
  }

  static Cell json_cell(const JsonValue& value, std::string_view key) {
    if (value.is_number()) {
      constexpr double kAny = std::numeric_limits<double>::max();
      const double number = value.number(-kAny, kAny);
      return Cell::number(number, number_with_unit(key, number));
    }
    if (value.is_boolean()) return Cell::boolean(value.boolean());
    if (value.is_text()) return Cell(value.text());
    return Cell::unknown();
  }

  Table table_;
  std::map<std::string, std::string, std::less<>> sources_;
};

}  // namespace

Table catalog_entry_table(const Catalog& catalog, CatalogKind kind, std::string_view name) {
  const std::string text = catalog.show(kind, name);
  return EntryTable().read(parse_strict_json(text, name));
}

Document catalog_entry_document(const Catalog& catalog, CatalogKind kind, const std::string& name) {
  Document out = table_document(catalog_entry_table(catalog, kind, name),
                                std::string(catalog_kind_name(kind)), name);
  out.file = catalog.show(kind, name);
  return out;
}

}  // namespace trcost::report
