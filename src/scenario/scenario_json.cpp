// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_json.h"

#include <fmt/core.h>

#include <algorithm>

#include "catalog/models/hugging_face/folder_files.h"
#include "json/json_writer.h"
#include "json/strict_json.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "trcost/error.h"
#include "trcost/version.h"

namespace trcost::scenario {

namespace {

constexpr double kLargest = 1.7e308;

struct DistributionWords {
  std::string_view name;
  Distribution::Kind kind;
  std::string_view a, b, c;  // keys of the parameters
};
constexpr DistributionWords kDistributions[] = {
    {"lognormal", Distribution::Kind::lognormal, "median", "sigma", ""},
    {"normal", Distribution::Kind::normal, "mean", "sd", ""},
    {"uniform", Distribution::Kind::uniform, "low", "high", ""},
    {"triangular", Distribution::Kind::triangular, "low", "high", "mode"},
};

void read_distribution(Scenario& scenario, const FieldInfo& info, const JsonValue& value) {
  ObjectReader object = value.object();
  std::vector<std::string> names;
  for (const DistributionWords& each : kDistributions) names.emplace_back(each.name);
  const DistributionWords& words = kDistributions[object.required_choice("distribution", names)];
  Distribution out;
  out.kind = words.kind;
  out.a = object.required_number(words.a, -kLargest, kLargest);
  out.b = object.required_number(words.b, -kLargest, kLargest);
  if (!words.c.empty()) out.c = object.required_number(words.c, -kLargest, kLargest);
  object.finish();
  scenario.set_distribution(info, out, value.location());
}

void set_value(Scenario& scenario, const FieldInfo& info, const JsonValue& value) {
  if (value.is_object()) {
    read_distribution(scenario, info, value);
  } else if (value.is_number()) {
    scenario.set_number(info, value.number(-kLargest, kLargest), value.location());
  } else if (value.is_boolean()) {
    scenario.set(info, value.boolean() ? "on" : "off", value.location());
  } else if (value.is_array() && info.kind == FieldKind::list) {
    std::string names;
    for (const JsonValue& name : value.array()) append_item(names, name.text(), ",");
    scenario.set(info, names, value.location());
  } else {
    scenario.set(info, value.text(), value.location());
  }
}

// Errors in a file are of kind data: keys, types and values.
void read_value(Scenario& scenario, const FieldInfo& info, const JsonValue& value) {
  if (value.is_null()) return;
  try {
    set_value(scenario, info, value);
  } catch (const Error& error) {
    throw Error(ErrorKind::data, error.message, error.hint, error.location);
  }
}

std::vector<std::string> field_paths() {
  std::vector<std::string> known;
  for (const FieldInfo& info : fields()) known.emplace_back(info.path);
  return known;
}

void read_group(Scenario& scenario, const std::string& group, const JsonValue& value) {
  ObjectReader object = value.object();
  for (const std::string& key : object.keys()) {
    const std::string path = group + "." + key;
    const FieldInfo* info = find_field(path);
    if (info == nullptr) {
      std::string hint = did_you_mean(path, field_paths());
      if (hint.empty()) hint = "`trcost help fields` lists all fields";
      throw Error(ErrorKind::data, fmt::format("unknown scenario field \"{}\"", path), hint,
                  value.location() + "/" + key);
    }
    if (const auto member = object.optional_value(key)) read_value(scenario, *info, *member);
  }
}

void read_fields(Scenario& scenario, ObjectReader& object) {
  for (const std::string& group : field_groups()) {
    if (const auto value = object.optional_value(group)) read_group(scenario, group, *value);
  }
}

void write_value(std::string& out, const Scenario& scenario, const FieldInfo& info) {
  if (const Distribution* distribution = scenario.distribution(info.field)) {
    for (const DistributionWords& words : kDistributions) {
      if (words.kind != distribution->kind) continue;
      out += fmt::format("{{\"distribution\": \"{}\", \"{}\": {}, \"{}\": {}", words.name, words.a,
                         format_exact(distribution->a), words.b, format_exact(distribution->b));
      if (!words.c.empty()) {
        out += fmt::format(", \"{}\": {}", words.c, format_exact(distribution->c));
      }
      out += "}";
    }
  } else if (is_numeric(info.kind)) {
    append_exact(out, *scenario.number(info.field));
  } else {
    out += json_string(scenario.text(info.field));
  }
}

// The members of the groups, `indent` spaces deep.
void write_fields(std::string& out, const Scenario& scenario, const std::string& indent) {
  bool first_group = true;
  for (const auto& [group, which] : kFieldGroups) {
    bool first = true;
    for (const FieldInfo& info : fields()) {
      if (info.group != which || !scenario.has(info.field)) continue;
      if (first) out += fmt::format("{}\n{}\"{}\": {{", first_group ? "" : ",", indent, group);
      out += fmt::format("{}\n{}  \"{}\": ", first ? "" : ",", indent,
                         info.path.substr(group.size() + 1));
      write_value(out, scenario, info);
      first = false;
    }
    if (!first) {
      out += fmt::format("\n{}}}", indent);
      first_group = false;
    }
  }
}

void check_schema(ObjectReader& object, std::string_view origin) {
  const std::string version = object.text_or("schema_version", kSchemaVersion);
  if (reads_schema(version)) return;
  throw Error(ErrorKind::data,
              fmt::format("schema_version \"{}\" is not known", version.substr(0, 20)),
              fmt::format("this program reads 1.0 to {}", kSchemaVersion), std::string(origin));
}

// Reads the keys besides the fields.
void read_head(ObjectReader& object, std::string_view origin) {
  check_schema(object, origin);
  object.accept("name");
  object.accept("notes");
}

// The field of a path or of a flag, with or without its dashes, or null.
const FieldInfo* named_field(std::string name) {
  if (const FieldInfo* info = find_field(name)) return info;
  std::ranges::replace(name, '_', '-');
  return find_flag(name);
}

[[noreturn]] void fail_default(const ObjectReader& object, const std::string& key) {
  std::vector<std::string> known = field_paths();
  for (const FieldInfo& info : fields()) known.emplace_back(info.flag.substr(2));
  std::string hint = did_you_mean(key, known);
  if (hint.empty()) hint = "`trcost help fields` lists all fields";
  throw Error(ErrorKind::data, fmt::format("\"{}\" is no scenario field", key), hint,
              object.value().location() + "#/" + key);
}

// The scenario of a document, which may be a saved result that holds one.
ObjectReader scenario_object(std::string_view json, std::string_view origin) {
  ObjectReader object = parse_strict_json(json, origin).object();
  if (!object.has("trcost_version")) return object;
  check_schema(object, origin);
  if (!object.has("scenario")) {
    throw Error(ErrorKind::data, "this saved result holds no scenario",
                "results of questions about a run hold one. For this one, run its command again",
                std::string(origin));
  }
  return object.required_value("scenario").object();
}

}  // namespace

Scenario defaults_from_json(std::string_view json, std::string_view origin) {
  ObjectReader object = parse_strict_json(json, origin).object();
  read_head(object, origin);
  Scenario scenario;
  read_fields(scenario, object);
  const std::vector<std::string> groups = field_groups();
  for (const std::string& key : object.keys()) {
    const bool head = key == "schema_version" || key == "name" || key == "notes";
    if (head || std::ranges::find(groups, key) != groups.end()) continue;
    const FieldInfo* info = named_field(key);
    if (info == nullptr) fail_default(object, key);
    const JsonValue value = object.required_value(key);
    if (scenario.has(info->field)) value.fail(fmt::format("{} stands twice", info->path));
    read_value(scenario, *info, value);
  }
  object.finish();
  return scenario;
}

std::string value_json(const Scenario& scenario, const FieldInfo& info) {
  std::string out;
  write_value(out, scenario, info);
  return out;
}

void check_stage_count(std::size_t stages, const JsonValue& scenario) {
  if (stages <= kMostTrainingStages) return;
  scenario.object().required_value("stages").fail(
      fmt::format("{} stages, of which a file may have {}", stages, kMostTrainingStages),
      "join stages that differ in their names only");
}

}  // namespace trcost::scenario

namespace trcost {

Scenario scenario_from_json(std::string_view json, std::string_view origin) {
  ObjectReader object = scenario_object(json, origin);
  if (object.has("model_type")) {
    object.value().fail("this is the config.json of a model, not a scenario", "pass it to --model");
  }
  catalog::refuse_other_file(object.value());
  read_head(object, origin);
  Scenario scenario;
  read_fields(scenario, object);
  const std::vector<JsonValue> stages = object.array_or_empty("stages");
  check_stage_count(stages.size(), object.value());
  for (const JsonValue& value : stages) {
    ObjectReader stage = value.object();
    Scenario::Stage entry;
    entry.name = stage.required_text("name");
    read_fields(entry.overrides, stage);
    stage.finish();
    scenario.stages.push_back(std::move(entry));
  }
  object.finish();
  return scenario;
}

std::string scenario_to_json(const Scenario& scenario) {
  std::string out = fmt::format("{{\n  \"schema_version\": \"{}\"", kSchemaVersion);
  std::string members;
  write_fields(members, scenario, "  ");
  if (!members.empty()) out += "," + members;
  if (!scenario.stages.empty()) {
    out += ",\n  \"stages\": [";
    for (const Scenario::Stage& stage : scenario.stages) {
      if (&stage != &scenario.stages.front()) out += ",";
      out += fmt::format("\n    {{\n      \"name\": {}", json_string(stage.name));
      std::string overrides;
      write_fields(overrides, stage.overrides, "      ");
      if (!overrides.empty()) out += "," + overrides;
      out += "\n    }";
    }
    out += "\n  ]";
  }
  out += "\n}";
  return out;
}

}  // namespace trcost
