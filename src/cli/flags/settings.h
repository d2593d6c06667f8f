// SPDX-License-Identifier: Apache-2.0
// Where the values of a scenario come from when no flag gives them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/scenario.h"

namespace trcost::cli {

class Session;

/// Values of one origin; a later layer wins over an earlier one.
struct Layer {
  enum class Kind : std::uint8_t { config, environment, file, recipe, flags } kind = Kind::flags;
  std::string name;  ///< of the file
  Scenario values;
};

/// --config, TRCOST_CONFIG, or the user's own file where there is one; empty with --no-config or
/// where there is none.
std::string config_path(const Session& session);
/// Where the user's own file is looked for; empty without a home.
std::string usual_config_path();

/// The config file and the environment, weakest first, those that set anything. Throws Error; one
/// about the config file says how to do without it.
std::vector<Layer> own_layers(Session& session);

/// Layers over each other, with the layer that each field's value comes from.
struct Layered {
  Scenario scenario;
  std::array<const Layer*, kFieldCount> origin{};  ///< null if no layer sets the field
};
/// Throws Error where a layer sets fields that exclude each other.
Layered combined(const std::vector<Layer>& layers);

/// `config file PATH`, `environment NAME`, `scenario file`, `flag --x`; `default` for null.
std::string origin_words(const Layer* layer, const FieldInfo& info);

/// Says what of the user's own settings is part of the scenario, and notes it in the session.
void note_settings(const Layered& layered, Session& session);

}  // namespace trcost::cli
