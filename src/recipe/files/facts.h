// SPDX-License-Identifier: Apache-2.0
// Configuration files of other tools as flat lists of keys and values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::recipe {

/// Kind of a value.
enum class Given : std::uint8_t {
  text,      ///< as written, variables of the file filled in
  nothing,   ///< null or empty
  bare,      ///< a flag without a value
  unknown,   ///< only the machine that runs the script has it
  replaced,  ///< another value of the same key follows and counts
};

/// A key of a file with its value. Keys of nested maps are joined with dots, and all items of a
/// list have the list's key. Flags of a script keep their dashes, environment variables have a
/// `$`, lines of a Slurm header begin with `#SBATCH `.
struct Fact {
  std::string key;
  std::string value;
  std::string file;
  int line = 0;
  Given given = Given::text;
};
using Facts = std::vector<Fact>;

/// Limits of a file, so that a hostile one ends with a message.
inline constexpr std::size_t kMostBytes = 4u << 20;
inline constexpr std::size_t kMostFacts = 50'000;
/// Keys and values together, aliases and variables filled in.
inline constexpr std::size_t kMostFactBytes = 32u << 20;
inline constexpr int kDeepestNesting = 60;

/// A list of facts within these limits.
class FactList {
 public:
  explicit FactList(std::string file) : file_(std::move(file)) {}
  /// Throws Error (data) with file and line for a text larger than kMostBytes.
  void check_size(std::string_view text) const;
  /// Throws Error (data) beyond kMostFacts or kMostFactBytes.
  void add(std::string key, std::string value, int line, Given given = Given::text);
  Facts& facts() { return facts_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  Facts facts_;
  std::size_t bytes_ = 0;
};

/// Reads YAML or JSON by its events: anchors, aliases and merge keys are followed, nothing is run.
/// Of a key that stands twice in one map the last value counts, and the others are `replaced`.
/// Throws Error (data) with file and line for a malformed, too large or too deep file.
Facts read_yaml(std::string_view text, const std::string& file);

/// Reads TOML. Throws Error (data) as read_yaml() does.
Facts read_toml(std::string_view text, const std::string& file);

/// The key without a flag's dashes, so that one table has a framework's flags and keys.
std::string plain_key(std::string key);

/// The value of the first fact with the key, empty if there is none.
std::string_view value_of(const Facts& facts, std::string_view key);
bool has_key(const Facts& facts, std::string_view key);

}  // namespace trcost::recipe
