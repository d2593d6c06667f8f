// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace trcost::cli {

class Flags;
class Session;

/// Runs a command with parsed arguments. Returns the exit code.
using Action = std::function<int()>;

/// One row of the table of commands. `define` adds its flags, bound to state that the
/// returned action owns; help, completions and the man page call it without running the action.
struct Command {
  std::string_view name;
  std::string_view summary;   ///< one line
  std::string_view usage;     ///< what follows the name
  std::string_view examples;  ///< lines, leading the help
  Action (*define)(Flags& flags, Session& session);
};

/// All commands, in the order of help.
std::span<const Command> commands();
/// The command of this name, or null.
const Command* find_command(std::string_view name);

}  // namespace trcost::cli
