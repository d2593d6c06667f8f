// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/flags/scenario_options.h"
#include "cli/session/session.h"
#include "quantity/suggest.h"
#include "scenario/scenario_json.h"
#include "text/files.h"
#include "text/unicode.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

Layer config_layer(const std::string& path) {
  try {
    return {Layer::Kind::config, path, defaults_from_json(read_input(path), path)};
  } catch (const Error& error) {
    const std::string way = "--no-config answers without the config file";
    throw Error(error.kind, error.message, error.hint.empty() ? way : error.hint + "; " + way,
                error.location);
  }
}

// Warns if the folder of the usual config file cannot be looked into.
void warn_unreadable_config(Session& session) {
  const std::string path = usual_config_path();
  std::error_code why;
  const auto type = std::filesystem::symlink_status(path, why).type();
  if (session.options.no_config || path.empty()) return;
  if (type != std::filesystem::file_type::none) return;
  session.warn(
      fmt::format("{} is not read: {} (--no-config if there is none)", path, why.message()));
}

// Warns of variables that set nothing, such as a misspelt TRCOST_DATA_TOKEN.
void warn_unknown_variables(Session& session) {
  static constexpr std::string_view kOthers[] = {"TRCOST_CONFIG", "TRCOST_DATA_DIR"};
  constexpr std::string_view kPrefix = "TRCOST_", kOfTests = "TRCOST_TEST";
  std::vector<std::string> known;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view entry(*each);
    if (!entry.starts_with(kPrefix) || entry.starts_with(kOfTests)) continue;
    const std::string name(entry.substr(0, entry.find('=')));
    if (known.empty()) {
      known.assign(std::begin(kOthers), std::end(kOthers));
      for (const FieldInfo& info : fields()) known.push_back(environment_variable(info));
    }
    if (std::ranges::find(known, name) != known.end() || first_unprintable(name)) continue;
    std::string nearest = nearest_name(name, known);
    std::string flag = lower_case(name.substr(kPrefix.size()));
    std::ranges::replace(flag, '_', '-');
    if (const FieldInfo* info = find_flag(flag)) nearest = environment_variable(*info);
    session.warn(fmt::format("the variable {} sets nothing{}", name.substr(0, 100),
                             nearest.empty() ? "; `trcost help fields` lists the variables"
                                             : fmt::format(": did you mean {}?", nearest)));
  }
}

Layer environment_layer() {
  Layer layer{Layer::Kind::environment, "environment", {}};
  for (const FieldInfo& info : fields()) {
    const std::string name = environment_variable(info);
    const std::string value = environment(name.c_str());
    if (!value.empty()) layer.values.set(info, value, name);
  }
  return layer;
}

void overlay(Scenario& base, const Layer& layer) {
  const bool file = layer.kind != Layer::Kind::environment && layer.kind != Layer::Kind::flags;
  refuse_exclusive(layer.values, file ? ErrorKind::data : ErrorKind::usage, layer.name);
  for (const FieldInfo& info : fields()) {
    if (layer.values.has(info.field)) base.clear_excluded_by(info.field);
  }
  std::vector<Scenario::Stage> stages =
      layer.values.stages.empty() ? std::move(base.stages) : layer.values.stages;
  base = stage_scenario(base, {"", layer.values});
  base.stages = std::move(stages);
}

}  // namespace

std::string usual_config_path() {
  std::string folder = environment("XDG_CONFIG_HOME");
  if (folder.empty()) {
    const std::string home = environment("HOME");
    if (home.empty()) return {};
    folder = home + "/.config";
  }
  return folder + "/trcost/config.json";
}

std::string config_path(const Session& session) {
  if (session.options.no_config) return {};
  if (!session.options.config.empty()) return session.options.config;
  if (std::string path = environment("TRCOST_CONFIG"); !path.empty()) return path;
  // A folder or a dangling link is an error of the reader, not an absence.
  std::string path = usual_config_path();
  std::error_code unreadable;
  const auto type = std::filesystem::symlink_status(path, unreadable).type();
  const bool readable = type != std::filesystem::file_type::none;
  return readable && type != std::filesystem::file_type::not_found ? path : std::string();
}

std::vector<Layer> own_layers(Session& session) {
  std::vector<Layer> layers;
  if (session.options.no_config && !session.options.config.empty()) {
    throw Error(ErrorKind::usage, "--config and --no-config exclude each other",
                "keep one of them");
  }
  if (const std::string path = config_path(session); !path.empty()) {
    layers.push_back(config_layer(path));
  } else {
    warn_unreadable_config(session);
    session.trace(session.options.no_config ? "no config file is wanted"
                                            : "no config file at " + usual_config_path());
  }
  warn_unknown_variables(session);
  layers.push_back(environment_layer());
  return layers;
}

Layered combined(const std::vector<Layer>& layers) {
  Layered out;
  for (const Layer& layer : layers) {
    overlay(out.scenario, layer);
    for (const FieldInfo& info : fields()) {
      const Layer*& origin = out.origin[static_cast<std::size_t>(info.field)];
      if (layer.values.has(info.field)) origin = &layer;
      if (!out.scenario.has(info.field)) origin = nullptr;
    }
  }
  return out;
}

std::string origin_words(const Layer* layer, const FieldInfo& info) {
  if (layer == nullptr) return "default";
  switch (layer->kind) {
    case Layer::Kind::config:
      return "config file " + layer->name;
    case Layer::Kind::environment:
      return "environment " + environment_variable(info);
    case Layer::Kind::file:
      return "scenario file " + layer->name;
    case Layer::Kind::recipe:
      return "recipe " + layer->name;
    case Layer::Kind::flags:
      return fmt::format("flag {}", info.flag);
  }
  return {};
}

void note_settings(const Layered& layered, Session& session) {
  std::string from_file;
  for (const FieldInfo& info : fields()) {
    const Layer* origin = layered.origin[static_cast<std::size_t>(info.field)];
    if (origin == nullptr || origin->kind > Layer::Kind::environment) continue;
    const bool file = origin->kind == Layer::Kind::config;
    Setting setting{std::string(info.path), value_json(layered.scenario, info),
                    file ? origin->name : environment_variable(info)};
    if (file) {
      from_file +=
          fmt::format("{}{} = {}", from_file.empty() ? "" : ", ", setting.path, setting.value);
    }
    session.settings.push_back(std::move(setting));
  }
  if (from_file.empty()) return;
  session.command += fmt::format("  # {} from {}", from_file, config_path(session));
  session.note(
      fmt::format("{} from {} (--no-config leaves it out)", from_file, config_path(session)));
}

}  // namespace trcost::cli
