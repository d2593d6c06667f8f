// SPDX-License-Identifier: Apache-2.0
#include "study/diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "estimate/columns/estimate_columns.h"
#include "json/strict_json.h"
#include "scenario/fields.h"
#include "trcost/bill.h"
#include "trcost/error.h"
#include "trcost/scenario.h"
#include "trcost/version.h"

namespace trcost::study {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_document(std::string_view origin, std::string what) {
  throw Error(ErrorKind::data, "not a saved result: " + std::move(what),
              "save one with `trcost estimate ... --format json -o FILE`", std::string(origin));
}

DiffValue number_at(const Json* json) {
  DiffValue out;
  if (json == nullptr || json->is_null()) return out;
  out.known = true;
  if (json->is_number()) {
    out.number = json->get<double>();
  } else if (json->is_boolean()) {
    out.text = json->get<bool>() ? "yes" : "no";
  } else {
    out.text = json->is_string() ? json->get<std::string>() : json->dump();
  }
  return out;
}

const Json* find_value(const Json& json, std::string_view path) {
  const Json* at = &json;
  while (true) {
    const std::size_t dot = path.find('.');
    if (!at->is_object()) return nullptr;
    const auto found = at->find(std::string(path.substr(0, dot)));
    if (found == at->end()) return nullptr;
    at = &*found;
    if (dot == std::string_view::npos) return at;
    path.remove_prefix(dot + 1);
  }
}

// `stages.0.data.tokens` and so on, sorted.
void flatten(const Json& json, const std::string& path, std::map<std::string, DiffValue>& out) {
  const bool distribution = json.is_object() && json.contains("distribution");
  if (json.is_object() && !distribution) {
    for (const auto& [key, value] : json.items()) {
      flatten(value, path.empty() ? key : path + "." + key, out);
    }
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      flatten(json[i], path + "." + std::to_string(i), out);
    }
  } else {
    out[path] = number_at(&json);
  }
}

void add_row(std::vector<DiffRow>& rows, DiffRow row) {
  if (!(row.before == row.after)) rows.push_back(std::move(row));
}

// A document whose shape is that of a result.
class Saved {
 public:
  Saved(std::string_view text, std::string_view origin) : json_(parse(text, origin)) {
    if (!json_.is_object()) refuse_document(origin, "it is no JSON object");
    const Json* version = find_value(json_, "schema_version");
    if (version == nullptr || !version->is_string())
      refuse_document(origin, "it has no \"schema_version\"");
    if (!reads_schema(version->get<std::string>())) {
      refuse_document(origin, fmt::format("its schema_version is {}, this program reads 1.0 to {}",
                                          version->dump(), kSchemaVersion));
    }
    const Json* estimates = find_value(json_, "estimates");
    if (estimates == nullptr || !estimates->is_array()) {
      refuse_document(origin, "it has no list \"estimates\"");
    }
    for (const Json& each : *estimates) {
      const Json* name = find_value(each, "accelerator");
      if (name == nullptr || !name->is_string())
        refuse_document(origin, "an estimate has no accelerator");
      const Json* total = find_value(each, "cost.total");
      if (total != nullptr && total->is_number() && total->get<double>() < 0) {
        refuse_document(origin, fmt::format("the total of {} is below 0", name->dump()));
      }
      estimates_.push_back(&each);
    }
    if (estimates_.empty()) refuse_document(origin, "its list of estimates is empty");
    const Json* scenario = find_value(json_, "scenario");
    if (scenario == nullptr || !scenario->is_object())
      refuse_document(origin, "it has no \"scenario\"");
    flatten(*scenario, "", inputs_);
    inputs_.erase("schema_version");
    for (const char* key : {"trcost_version", "price_data_date"}) {
      inputs_[key] = number_at(find_value(json_, key));
    }
  }

  [[nodiscard]] const std::vector<const Json*>& estimates() const { return estimates_; }
  [[nodiscard]] const std::map<std::string, DiffValue>& inputs() const { return inputs_; }
  [[nodiscard]] const Json* estimate(std::string_view accelerator) const {
    for (const Json* each : estimates_) {
      if (each->at("accelerator").get<std::string>() == accelerator) return each;
    }
    return nullptr;
  }

 private:
  static Json parse(std::string_view text, std::string_view origin) {
    parse_strict_json(text, origin);  // stricter than nlohmann_json
    return Json::parse(text);
  }

  Json json_;
  std::vector<const Json*> estimates_;
  std::map<std::string, DiffValue> inputs_;
};

std::vector<DiffRow> diff_inputs(const Saved& a, const Saved& b) {
  std::map<std::string, std::pair<DiffValue, DiffValue>> all;
  for (const auto& [path, value] : a.inputs()) all[path].first = value;
  for (const auto& [path, value] : b.inputs()) all[path].second = value;
  std::vector<DiffRow> rows;
  for (auto& [path, values] : all) {
    DiffRow row;
    row.path = path;
    row.before = std::move(values.first);
    row.after = std::move(values.second);
    if (const FieldInfo* info = find_field(path)) {
      row.unit = std::string(info->unit);
      if (is_numeric(info->kind)) row.display = number_kind(info->kind);
    }
    add_row(rows, std::move(row));
  }
  return rows;
}

DiffRow column_row(const EstimateColumn& column, const Json* a, const Json* b) {
  DiffRow row;
  row.path = std::string(column.path);
  row.unit = std::string(column.unit);
  row.display = column.display;
  row.before = number_at(a == nullptr ? nullptr : find_value(*a, column.path));
  row.after = number_at(b == nullptr ? nullptr : find_value(*b, column.path));
  row.main = column.rank == Rank::first || column.rank == Rank::main;
  return row;
}

// A row of a saved bill.
struct SavedItem {
  ItemKey id;
  int nth = 1;  // among rows with that identity, which hand-written files may repeat
  std::string name;
  const Json* json = nullptr;
  [[nodiscard]] bool same_row(const SavedItem& other) const {
    return id == other.id && nth == other.nth;
  }
};

std::string text_at(const Json& item, std::string_view key) {
  return number_at(find_value(item, key)).text;
}

// Rows in the order of the bill.
std::vector<SavedItem> saved_items(const Json* estimate) {
  std::vector<SavedItem> out;
  const Json* items = estimate == nullptr ? nullptr : find_value(*estimate, "cost.items");
  if (items == nullptr || !items->is_array()) return out;
  std::map<ItemKey, int> seen;
  for (const Json& item : *items) {
    SavedItem row{{text_at(item, "part"), text_at(item, "stage")}, 1, text_at(item, "item"), &item};
    if (row.name.empty()) continue;
    if (row.id.part.empty()) row.id = parse_item_name(row.name);
    row.nth = ++seen[row.id];
    if (row.nth > 1) row.name += fmt::format(" ({})", row.nth);
    out.push_back(std::move(row));
  }
  return out;
}

const SavedItem* find_row(const std::vector<SavedItem>& items, const SavedItem& row) {
  const auto at =
      std::ranges::find_if(items, [&](const SavedItem& each) { return each.same_row(row); });
  return at == items.end() ? nullptr : &*at;
}

// Adds the differences between a row and its counterpart in the other bill, one of which may be
// null.
void diff_item(const SavedItem* a, const SavedItem* b, std::vector<DiffRow>& rows) {
  const SavedItem& named = a != nullptr ? *a : *b;
  const std::string unit = text_at(*named.json, "unit");
  const auto add = [&](const char* key, std::string path, std::string of, NumberKind kind) {
    DiffRow row;
    row.path = std::move(path);
    row.unit = std::move(of);
    row.display = kind;
    row.before = number_at(a == nullptr ? nullptr : find_value(*a->json, key));
    row.after = number_at(b == nullptr ? nullptr : find_value(*b->json, key));
    add_row(rows, std::move(row));
  };
  add("amount", named.name, "USD", NumberKind::money);
  add("quantity", named.name + ": quantity", unit, NumberKind::count);
  add("unit_price", named.name + ": unit price", "USD/" + unit, NumberKind::money);
}

std::vector<DiffRow> diff_items(const Json* a, const Json* b) {
  const std::vector<SavedItem> before = saved_items(a), after = saved_items(b);
  std::vector<DiffRow> rows;
  for (const SavedItem& row : before) diff_item(&row, find_row(after, row), rows);
  for (const SavedItem& row : after) {
    if (find_row(before, row) == nullptr) diff_item(nullptr, &row, rows);
  }
  return rows;
}

DiffPlatform diff_platform(const Json* a, const Json* b) {
  DiffPlatform out;
  if (a != nullptr) out.before = a->at("accelerator").get<std::string>();
  if (b != nullptr) out.after = b->at("accelerator").get<std::string>();
  out.total = column_row(column_for(ColumnRole::total), a, b);
  if (a == nullptr || b == nullptr) return out;
  for (const EstimateColumn& column : columns()) {
    if (column.rank == Rank::key) continue;  // it identifies the platforms
    add_row(out.figures, column_row(column, a, b));
  }
  out.items = diff_items(a, b);
  return out;
}

}  // namespace

std::optional<double> DiffRow::change() const {
  if (!before.number || !after.number || *before.number == 0) return std::nullopt;
  return *after.number / *before.number - 1;
}

bool DiffResult::same() const {
  return inputs.empty() && std::ranges::all_of(platforms, [](const DiffPlatform& each) {
           return each.before == each.after && each.figures.empty() && each.items.empty();
         });
}

DiffResult diff_results(std::string_view a, std::string_view a_origin, std::string_view b,
                        std::string_view b_origin) {
  const Saved first(a, a_origin);
  const Saved second(b, b_origin);
  DiffResult out;
  out.inputs = diff_inputs(first, second);
  if (first.estimates().size() == 1 && second.estimates().size() == 1) {
    out.platforms.push_back(diff_platform(first.estimates()[0], second.estimates()[0]));
    return out;
  }
  for (const Json* each : first.estimates()) {
    out.platforms.push_back(
        diff_platform(each, second.estimate(each->at("accelerator").get<std::string>())));
  }
  for (const Json* each : second.estimates()) {
    if (first.estimate(each->at("accelerator").get<std::string>()) != nullptr) continue;
    out.platforms.push_back(diff_platform(nullptr, each));
  }
  return out;
}

std::vector<std::string> totals_above(const DiffResult& result, double most) {
  std::vector<std::string> out;
  for (const DiffPlatform& platform : result.platforms) {
    const std::string& name = platform.after.empty() ? platform.before : platform.after;
    if (platform.before.empty() || platform.after.empty()) {
      out.push_back(fmt::format("{} cannot be compared: only the {} result has it", name,
                                platform.after.empty() ? "first" : "second"));
      continue;
    }
    const std::optional<double> change = platform.total.change();
    const bool both = platform.total.before.number && platform.total.after.number;
    if (!both) {
      out.push_back(fmt::format("{} cannot be compared: a total is not known", name));
    } else if (change && *change > most) {
      out.push_back(fmt::format("{}: the total rises by {:.1f} %", name, 100 * *change));
    } else if (!change && *platform.total.after.number > 0) {
      out.push_back(fmt::format("{}: the total rises from 0", name));
    }
  }
  return out;
}

}  // namespace trcost::study
