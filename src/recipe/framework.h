// SPDX-License-Identifier: Apache-2.0
// Tables of data/recipes: how the keys of a framework become fields of a scenario.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "recipe/facts.h"
#include "trcost/data_folder.h"

namespace trcost::recipe {

/// Values by name: fields of a scenario by path, and what these are computed from (`accumulation`,
/// `max_steps`).
using Variables = std::map<std::string, std::string, std::less<>>;

/// What a key does.
struct KeyRule {
  std::string variable;  ///< that takes the value as it is, or empty
  /// Variables by value in lower case; `*` for all others.
  std::map<std::string, Variables, std::less<>> values;
  std::string report;  ///< reason why the key is reported, or empty
};

struct FrameworkTable {
  std::string name;
  std::string group;  ///< `trainer`, `megatron`, `rl`: the arithmetic of batches and steps
  std::vector<std::string> see;  ///< tables whose keys count as well, such as `trainer-keys`
  Variables defaults;            ///< of the framework, for variables that no key sets
  Variables fixed;               ///< that no key of the framework can change, such as pp 1
  std::vector<std::pair<std::string, KeyRule>> keys;  ///< by key or pattern, the first that fits
  std::vector<std::string> harmless;                  ///< keys or patterns
  std::string source;
};

/// Reads `recipes/NAME.json`, with the keys of the tables that it sees behind its own.
FrameworkTable load_framework(const DataFolder& data, std::string_view name);

/// Whether `key` fits a pattern in which each `*` stands for any text.
bool fits_pattern(std::string_view pattern, std::string_view key);

/// Framework of a file by its keys; `part` for one that only completes another, such as DeepSpeed.
struct Recognised {
  std::string name;
  bool part = false;
};
std::optional<Recognised> recognise(const DataFolder& data, const Facts& facts);

/// `skypilot` or `kubernetes` for a job around a script, or empty.
std::string recognise_wrapper(const DataFolder& data, const Facts& facts);

}  // namespace trcost::recipe
