// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace trcost::cli {

class Flags;
class Session;

/// What a command does once its arguments are parsed; gives the exit code.
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

// One function per command, each in its own file.
Action define_estimate(Flags& flags, Session& session);
Action define_memory(Flags& flags, Session& session);
Action define_tokens(Flags& flags, Session& session);
Action define_sweep(Flags& flags, Session& session);
Action define_calibrate(Flags& flags, Session& session);
Action define_validate(Flags& flags, Session& session);
Action define_prices(Flags& flags, Session& session);
Action define_list(Flags& flags, Session& session);
Action define_show(Flags& flags, Session& session);
Action define_completions(Flags& flags, Session& session);
Action define_solve(Flags& flags, Session& session);
Action define_diff(Flags& flags, Session& session);
Action define_experiments(Flags& flags, Session& session);
Action define_transfer(Flags& flags, Session& session);
Action define_serve(Flags& flags, Session& session);
Action define_config(Flags& flags, Session& session);
Action define_schema(Flags& flags, Session& session);
Action define_help(Flags& flags, Session& session);

}  // namespace trcost::cli
