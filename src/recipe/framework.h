// SPDX-License-Identifier: Apache-2.0
// Tables of data/recipes: how the keys of a framework become fields of a scenario.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/strict_json.h"
#include "quantity/layers.h"
#include "recipe/files/facts.h"
#include "trcost/data_folder.h"

namespace trcost::recipe {

/// Values by name: fields of a scenario by path, and what these are computed from (`accumulation`,
/// `max_steps`).
using Variables = std::map<std::string, std::string, std::less<>>;

/// What a value of a key sets, and why it is reported, if it is.
struct ValueRule {
  Variables variables;
  std::string report;
};

/// What a key does.
struct KeyRule {
  std::string variable;  ///< that takes the value as it is, or empty
  /// By value in lower case: `on` and `off` for switches, `null`, patterns, `*` for all others.
  std::vector<std::pair<std::string, ValueRule>> values;
  std::string report;  ///< reason to report a value that is not among `values`, or empty
};

struct FrameworkTable {
  std::string name;
  std::string group;   ///< arithmetic of batches and steps: `trainer`, `megatron`, `verl`, ...
  Variables defaults;  ///< of the framework, for variables that no key sets
  Variables fixed;     ///< that no key of the framework can change, such as pp 1
  std::string source;
  /// Groups of a launcher before the keys of an override, such as `training.` in NeMo's.
  std::vector<std::string> groups_before;
  /// Keys or patterns. Nothing stands for a harmless key.
  std::vector<std::pair<std::string, std::optional<KeyRule>>> keys;

  /// The rule of a key: of the key itself, else of the pattern with the most letters. Null for an
  /// unknown key.
  [[nodiscard]] const std::optional<KeyRule>* find(std::string_view key) const;
};

/// Reads `recipes/NAME.json`, with the keys of the tables that it sees behind its own.
FrameworkTable load_framework(const DataFolder& data, std::string_view name);

/// The rule of a value, or null if the key has none for it.
const ValueRule* find_value(const KeyRule& rule, std::string_view value, Given given);

/// Whether `key` fits a pattern in which each `*` stands for any text.
bool fits_pattern(std::string_view pattern, std::string_view key);

/// A kind of recipe that is not read, and what to do instead.
struct UnreadRecipe {
  std::string name;
  std::string instead;
};

/// Kinds of files and commands, by their keys (`recipes/frameworks.json`).
class Frameworks {
 public:
  explicit Frameworks(const DataFolder& data);

  /// Lists of names with their signs. A part completes another file (DeepSpeed, peft), a wrapper is
  /// a job around a script (SkyPilot), a launcher starts a script of the user's own.
  enum class Kind : std::uint8_t { frameworks, launchers, parts, wrappers };
  /// The name of that kind whose signs the facts have, or empty.
  [[nodiscard]] std::string recognise(const Facts& facts, Kind kind = Kind::frameworks) const;
  /// A framework whose recipes are not read, with no name if there is none.
  [[nodiscard]] UnreadRecipe recognise_unread(const Facts& facts) const;
  /// The framework that a file of Python uses, with no name if none is known.
  [[nodiscard]] UnreadRecipe recognise_python(std::string_view text) const;
  /// Role of a command by its words: `train`, `serve` (inference beside a run), or `other`.
  [[nodiscard]] std::string role_of(const std::vector<std::string>& words) const;
  /// Whether the value of a key names a further file.
  [[nodiscard]] bool names_file(std::string_view key) const;
  /// Whether the value of a key names a file whose values this one changes.
  [[nodiscard]] bool names_parent(std::string_view key) const;

 private:
  struct Signed {
    std::string name, instead;
    std::vector<std::vector<std::string>> signs;  // of which one has to be there in full
  };
  static std::vector<Signed> read_signs(ObjectReader& file, std::string_view list);
  static const Signed* first_signed(const std::vector<Signed>& list, const Facts& facts);
  std::array<std::vector<Signed>, 4> lists_;  // by kind
  std::vector<Signed> unread_;
  std::vector<std::pair<UnreadRecipe, std::vector<std::string>>> python_;  // with words of imports
  std::vector<std::string> file_keys_, parent_keys_;
  std::vector<std::pair<std::string, std::vector<std::string>>> roles_;
};

}  // namespace trcost::recipe
