// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "catalog/strict_json.h"
#include "quantity/suggest.h"
#include "study/experiments.h"
#include "trcost/error.h"

namespace trcost {
namespace {

constexpr std::string_view kList = "experiments";
constexpr std::array<std::string_view, 7> kKeys = {"name",    "params_fraction", "tokens_fraction",
                                                   "repeats", "seeds",           "failure_share",
                                                   "early_stopping"};
constexpr double kSmallest = 1e-9;
constexpr double kMostRuns = 1e6;
constexpr double kBelowOne = 0.999;

// The members of an entry that are groups of scenario fields, as a scenario; `json` is the entry.
Scenario overrides_of(const JsonValue& value, const ObjectReader& object,
                      const nlohmann::json& json) {
  nlohmann::json groups = nlohmann::json::object();
  const std::vector<std::string> known_groups = field_groups();
  std::vector<std::string> known(kKeys.begin(), kKeys.end());
  known.insert(known.end(), known_groups.begin(), known_groups.end());
  for (const std::string& key : object.keys()) {
    if (std::ranges::find(known_groups, key) != known_groups.end()) {
      groups[key] = json.at(key);
    } else if (std::ranges::find(kKeys, key) == kKeys.end()) {
      std::string hint = did_you_mean(key, known);
      hint += fmt::format("{}allowed: {}", hint.empty() ? "" : " ", fmt::join(known, ", "));
      value.fail(fmt::format("unknown key \"{}\"", key), hint);
    }
  }
  try {
    return scenario_from_json(groups.dump(), value.location());
  } catch (const Error& error) {
    // The fields' own pointer goes on where the entry's ends.
    std::string place = error.location;
    const std::size_t first = place.find('#'), second = place.rfind("#/");
    if (second != std::string::npos && second != first) place.erase(second, 1);
    throw Error(error.kind, error.message, error.hint, place);
  }
}

Experiment read_experiment(const JsonValue& value, const nlohmann::json& json) {
  ObjectReader object = value.object();
  Experiment out;
  out.overrides = overrides_of(value, object, json);
  out.name = object.required_text("name");
  out.params_fraction = object.number_or("params_fraction", 1, kSmallest, 1);
  out.tokens_fraction = object.number_or("tokens_fraction", 1, kSmallest, 1000);
  out.repeats = object.whole_or("repeats", 1, 1, kMostRuns);
  out.seeds = object.whole_or("seeds", 1, 1, kMostRuns);
  out.failure_share = object.number_or("failure_share", 0, 0, kBelowOne);
  out.early_stopping = object.number_or("early_stopping", 0, 0, kBelowOne);
  if (out.runs() > kMostRuns) value.fail(fmt::format("more than {:g} runs", kMostRuns));
  return out;
}

}  // namespace

std::string take_experiments(std::string_view json, std::string_view origin,
                             std::vector<Experiment>& out) {
  const JsonValue document = parse_strict_json(json, origin);
  if (!document.is_object()) return std::string(json);
  nlohmann::json rest = nlohmann::json::parse(json);
  const auto list = rest.find(kList);
  if (list == rest.end()) return std::string(json);
  const std::vector<JsonValue> values = document.object().array_or_empty(kList);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back(read_experiment(values[i], (*list)[i]));
  }
  rest.erase(list);
  return rest.dump();
}

}  // namespace trcost
