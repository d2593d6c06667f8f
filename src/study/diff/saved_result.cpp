// SPDX-License-Identifier: Apache-2.0
#include "study/diff/saved_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json/strict_json.h"
#include "scenario/fields.h"
#include "trcost/error.h"
#include "trcost/scenario.h"
#include "trcost/version.h"

namespace trcost::study {

namespace {

using Json = nlohmann::json;

// The first that a document has, so `estimates` comes before lists that other results share.
constexpr SavedKind kKinds[] = {
    {"estimates", "", {"accelerator", ""}, "cost.total", "USD", "Training cost"},
    {"solutions", "", {"accelerator", ""}, "cost.total", "USD", "Cost"},
    {"serving",
     "",
     {"accelerator", ""},
     "cost.per_million_output_tokens",
     "USD",
     "The price of a million output tokens"},
    {"rows", "utilization", {"accelerator", "pricing"}, "total", "USD", "Cost of ownership"},
    {"rows", "", {"accelerator", ""}, "cost.total", "USD", "Training cost", true},
    {"platforms", "", {"accelerator", ""}, "total.total_usd", "USD", "The cost of the experiments"},
    {"targets", "", {"accelerator", ""}, "cost.total", "USD", "The cost of the run"},
    {"items",
     "one_device",
     {"accelerator", "precision"},
     "memory.total_bytes",
     "bytes",
     "Memory per GPU"},
    {"items", "", {"input", ""}, "tokens.vision", "tokens", "Vision tokens"},
    {"runs", "", {"run", ""}, "predicted_gpu_hours", "GPU-hours", "Predicted GPU-hours"},
    {"prices", "", {"provider", "product"}, "median", "USD", "The price of an hour"},
    {"regions", "", {"name", ""}, "usd_per_kwh", "USD", "The price of a kWh"},
};

[[noreturn]] void refuse_document(std::string_view origin, std::string what) {
  throw Error(ErrorKind::data, "not a saved result: " + std::move(what),
              "save one with `trcost estimate ... --format json -o FILE`", std::string(origin));
}

// Refuses other files before a second tree is built of a large one.
void check_version(const JsonValue& document, std::string_view origin) {
  if (!document.is_object()) refuse_document(origin, "it is no JSON object");
  const std::optional<JsonValue> version = document.object().optional_value("schema_version");
  if (!version || !version->is_text()) refuse_document(origin, "it has no \"schema_version\"");
  if (!reads_schema(version->text())) {
    refuse_document(origin,
                    fmt::format("its schema_version is \"{}\", this program reads 1.0 to {}",
                                version->text(), kSchemaVersion));
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
    out[path] = diff_value(&json);
  }
}

std::string text_of(const DiffValue& value) {
  return value.number ? format_exact(*value.number) : value.text;
}

// The texts that name a row, joined. Empty without any.
std::string row_name(const SavedKind& kind, const Json& row) {
  std::string name;
  const auto add = [&](std::string_view text) {
    if (text.empty()) return;
    name += fmt::format("{}{}", name.empty() ? "" : ", ", text);
  };
  for (const std::string_view key : kind.keys) {
    if (!key.empty()) add(text_of(diff_value(value_at(row, key))));
  }
  if (!kind.axes) return name;
  std::map<std::string, DiffValue> values;
  flatten(row, "", values);
  for (const auto& [path, value] : values) {
    // Columns of the answer that bear the name of a field say what was found, not asked.
    const FieldInfo* field = find_field(path);
    if (field == nullptr || answer_path(*field) == path) continue;
    add(fmt::format("{} {}", path, text_of(value)));
  }
  return name;
}

}  // namespace

DiffValue diff_value(const Json* json) {
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

const Json* value_at(const Json& json, std::string_view path) {
  const Json* at = &json;
  while (true) {
    const std::size_t dot = path.find('.');
    if (!at->is_object()) return nullptr;
    // Rows of a sweep have flat names.
    if (const auto flat = at->find(std::string(path)); flat != at->end()) return &*flat;
    const auto found = at->find(std::string(path.substr(0, dot)));
    if (found == at->end()) return nullptr;
    at = &*found;
    if (dot == std::string_view::npos) return at;
    path.remove_prefix(dot + 1);
  }
}

SavedResult::SavedResult(std::string_view text, std::string_view origin) {
  check_version(parse_strict_json(text, origin), origin);
  json_ = std::make_unique<Json>(Json::parse(text));
  const auto has_list = [&](const SavedKind& kind) {
    const Json* list = value_at(*json_, kind.list);
    return list != nullptr && list->is_array() &&
           (kind.marker.empty() || value_at(*json_, kind.marker) != nullptr);
  };
  kind_ = std::ranges::find_if(kKinds, has_list);
  if (kind_ == std::end(kKinds)) {
    refuse_document(origin, "it has no list such as \"estimates\" or \"rows\"");
  }
  read_rows(origin);
  const Json* scenario = value_at(*json_, "scenario");
  if (scenario != nullptr && scenario->is_object()) flatten(*scenario, "", inputs_);
  inputs_.erase("schema_version");
  for (const char* key : {"trcost_version", "price_data_date"}) {
    inputs_[key] = diff_value(value_at(*json_, key));
  }
}

SavedResult::~SavedResult() = default;

void SavedResult::read_rows(std::string_view origin) {
  std::map<std::string, int> seen;
  for (const Json& row : *value_at(*json_, kind_->list)) {
    std::string name = row_name(*kind_, row);
    if (name.empty()) {
      refuse_document(origin,
                      fmt::format("a row of \"{}\" has no {}", kind_->list, kind_->keys[0]));
    }
    const DiffValue total = diff_value(value_at(row, kind_->total));
    if (total.number && *total.number < 0) {
      refuse_document(origin, fmt::format("the total of {} is below 0", name));
    }
    const int nth = ++seen[name];
    if (nth > 1) name += fmt::format(" ({})", nth);
    rows_.push_back({std::move(name), &row});
  }
  if (rows_.empty()) {
    refuse_document(origin, fmt::format("its list \"{}\" is empty", kind_->list));
  }
}

DiffValue SavedResult::default_of(const std::string& path) const {
  const FieldInfo* info = find_field(path);
  const auto as_default = [&](std::string text) {
    DiffValue out{true, std::nullopt, std::move(text), true};
    if (info == nullptr || !is_numeric(info->kind)) return out;
    try {
      out.number = parse_number(out.text, number_kind(info->kind));
      out.text.clear();
    } catch (const Error&) {
      return out;  // words, such as `searched`
    }
    return out;
  };
  const auto in_list = [&](const Json* list) -> std::optional<DiffValue> {
    if (list == nullptr || !list->is_array()) return std::nullopt;
    for (const Json& each : *list) {
      const Json* named = value_at(each, "path");
      const Json* value = value_at(each, "value");
      if (named == nullptr || value == nullptr || *named != path) continue;
      return as_default(value->is_string() ? value->get<std::string>() : value->dump());
    }
    return std::nullopt;
  };
  if (const auto found = in_list(value_at(*rows_.front().json, "assumptions"))) {
    const bool differs = std::ranges::any_of(rows_, [&](const Row& row) {
      const auto other = in_list(value_at(*row.json, "assumptions"));
      return other && !(*other == *found);
    });
    return differs ? as_default("by platform") : *found;
  }
  if (const auto found = in_list(value_at(*json_, "assumptions"))) return *found;
  if (info == nullptr || info->fallback.empty()) return {};
  return as_default(std::string(info->fallback));
}

}  // namespace trcost::study
