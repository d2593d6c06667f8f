// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json/strict_json.h"
#include "quantity/suggest.h"
#include "scenario/scenario_json.h"
#include "study/experiments/experiments.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr std::string_view kList = "experiments";
constexpr std::string_view kName = "name";

// Groups of scenario fields in an entry, as a scenario. `json` is the entry.
Scenario read_overrides(const JsonValue& value, const ObjectReader& object,
                        const nlohmann::json& json) {
  nlohmann::json groups = nlohmann::json::object();
  std::vector<std::string> known = {std::string(kName)};
  for (const ExperimentNumber& number : kExperimentNumbers) known.emplace_back(number.key);
  const auto first_group = static_cast<std::ptrdiff_t>(known.size());
  for (std::string& group : field_groups()) known.push_back(std::move(group));
  for (const std::string& key : object.keys()) {
    const auto found = std::ranges::find(known, key);
    if (found != known.end() && found - known.begin() >= first_group) {
      groups[key] = json.at(key);
    } else if (found == known.end()) {
      std::string hint = did_you_mean(key, known);
      hint += fmt::format("{}allowed: {}", hint.empty() ? "" : " ", fmt::join(known, ", "));
      value.fail(fmt::format("unknown key \"{}\"", key), hint);
    }
  }
  try {
    return scenario_from_json(groups.dump(), value.location());
  } catch (const Error& error) {
    // Joins the pointer of the field to that of the entry.
    std::string place = error.location;
    const std::size_t first = place.find('#'), second = place.rfind("#/");
    if (second != std::string::npos && second != first) place.erase(second, 1);
    throw Error(error.kind, error.message, error.hint, place);
  }
}

Experiment read_experiment(const JsonValue& value, const nlohmann::json& json) {
  ObjectReader object = value.object();
  Experiment out;
  out.overrides = read_overrides(value, object, json);
  out.name = object.required_text(kName);
  for (const ExperimentNumber& row : kExperimentNumbers) {
    double& number = out.*row.in;
    number = row.kind == NumberKind::integer
                 ? object.whole_or(row.key, number, row.lowest, row.highest)
                 : object.number_or(row.key, number, row.lowest, row.highest);
  }
  if (out.runs() > kMostRuns) value.fail(fmt::format("more than {:g} runs", kMostRuns));
  return out;
}

}  // namespace

std::string extract_experiments(std::string_view json, std::string_view origin,
                                std::vector<Experiment>& out) {
  const JsonValue document = parse_strict_json(json, origin);
  if (!document.is_object()) return std::string(json);
  const std::vector<JsonValue> values = document.object().array_or_empty(kList);
  if (values.size() > kMostExperiments) {
    document.object().required_value(kList).fail(
        fmt::format("{} experiments, of which a file may have {}", values.size(), kMostExperiments),
        "join runs of equal cost with \"repeats\" and \"seeds\"");
  }
  check_stage_count(document.object().array_or_empty("stages").size(), document);
  nlohmann::json rest = nlohmann::json::parse(json);
  const auto list = rest.find(kList);
  if (list == rest.end()) return std::string(json);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back(read_experiment(values[i], (*list)[i]));
  }
  rest.erase(list);
  return rest.dump();
}

}  // namespace trcost::study
