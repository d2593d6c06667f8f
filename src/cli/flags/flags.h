// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/error.h"
#include "trcost/numbers.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace trcost::cli {

struct GlobalOptions;

/// One option of a command, for help, completions and messages.
struct Flag {
  std::string name;    ///< `--output`, or that of an argument without a flag: `FILE`
  std::string alias;   ///< a second name, such as `--gpu`, or empty
  std::string letter;  ///< `-o`, or empty
  std::string value;   ///< what its value is called: `FILE`, `a|b|c`; empty for a switch
  std::string help;
  std::string group;     ///< the headline that it stands under
  bool repeats = false;  ///< may be given several times

  [[nodiscard]] bool positional() const { return !name.starts_with('-'); }
};

/// Whether a file is a recipe by its name: `axolotl.yaml`, `train.sh`. JSON may be anything.
bool is_recipe_name(std::string_view file);

/// Result of parsing the arguments.
enum class Parsed { good, help };

/// The options of one command, each bound to the variable that its text goes to. Only this class
/// knows the library that reads arguments.
class Flags {
 public:
  Flags();
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  /// The headline of what is added from here on.
  void group(std::string_view name) { group_ = name; }
  /// `names` is `--long`, `-l,--long`, or a name without dashes for an argument without a flag.
  void add(const std::string& names, std::string& to, std::string_view value, std::string help);
  /// Left without a value where the flag is not given. `bare` allows it without a text, as "".
  void add(const std::string& names, std::optional<std::string>& to, std::string_view value,
           std::string help, bool bare = false);
  /// A text for each time that the flag is given; for each argument where it has no flag.
  void add(const std::string& names, std::vector<std::string>& to, std::string_view value,
           std::string help);
  /// A switch.
  void add(const std::string& names, bool& to, std::string help);
  /// -h, under the headline "General".
  void add_help();

  [[nodiscard]] std::vector<Flag> rows() const;
  /// Reads the arguments into the variables. Throws Error (usage) that names the argument and what
  /// is allowed; `usage` is shown for one too many.
  Parsed parse(std::vector<std::string> arguments, std::string_view command,
               std::string_view usage);
  /// Reads arguments that are in order. Returns false if one is not or asks for help.
  bool try_fast_parse(std::vector<std::string> arguments);

 private:
  CLI::Option* named(CLI::Option* option, std::string_view value);
  void refuse_lost_values(const std::vector<std::string>& arguments) const;

  std::unique_ptr<CLI::App> app_;
  std::string group_ = "Options";
};

/// Adds --data-dir, --config, --no-config, --color, -q, -v.
void add_global_options(Flags& flags, GlobalOptions& options);

/// Runs `parse` and names the flag in an Error that it throws.
template <class Parse>
auto with_flag(std::string_view flag, Parse parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(error.kind, error.message, error.hint, std::string(flag));
  }
}

/// The number that the text of a flag stands for. Throws Error (usage) that names the flag.
double flag_number(std::string_view text, NumberKind kind, std::string_view flag);
/// A flag's number above 0. `hint` goes into the Error (usage) for another one.
double positive_flag_number(std::string_view text, NumberKind kind, std::string_view flag,
                            std::string_view hint);

}  // namespace trcost::cli
