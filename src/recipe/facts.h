// SPDX-License-Identifier: Apache-2.0
// Configuration files of other tools as flat lists of keys and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::recipe {

/// A key of a file with its value as text. Keys of nested maps are joined with dots, and the items
/// of a list all have the list's key. Flags of a script keep their dashes, environment variables
/// have a `$`, Slurm's lines begin with `#SBATCH `.
struct Fact {
  std::string key;
  std::string value;
  std::string file;
  int line = 0;
};
using Facts = std::vector<Fact>;

/// Limits of a file, so that a hostile one ends with a message.
inline constexpr std::size_t kMostBytes = 4u << 20;
inline constexpr std::size_t kMostFacts = 50'000;
inline constexpr int kDeepestNesting = 60;

/// Reads YAML or JSON by its events: anchors, aliases and merge keys are followed, nothing is run.
/// Throws Error (data) with file and line for a malformed, too large or too deep file and for a key
/// that stands twice in one map.
Facts read_yaml(std::string_view text, const std::string& file);

/// Reads TOML. Throws Error (data) as read_yaml() does.
Facts read_toml(std::string_view text, const std::string& file);

/// Reads the flags, overrides (`a.b=c`) and assignments of a shell script. Assignments,
/// `${X:-default}`, arrays and line continuations are followed. Values that only a machine knows,
/// such as `$(nvidia-smi -L | wc -l)`, are empty.
Facts read_script(std::string_view text, const std::string& file);

/// The value of the first fact with the key, empty if there is none.
std::string_view value_of(const Facts& facts, std::string_view key);
bool has_key(const Facts& facts, std::string_view key);

}  // namespace trcost::recipe
