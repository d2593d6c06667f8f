// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace trcost::cli {

class Session;

/// What a command does once its arguments are parsed; gives the exit code.
using Action = std::function<int()>;

/// One row of the table of commands. `define` adds options to the app, bound to state that the
/// returned action owns; help, completions and the man page call it without running the action.
struct Command {
  std::string_view name;
  std::string_view summary;   ///< one line
  std::string_view usage;     ///< what follows the name
  std::string_view examples;  ///< lines, leading the help
  Action (*define)(CLI::App& app, Session& session);
};

/// All commands, in the order of help.
std::span<const Command> commands();
/// The command of this name, or null.
const Command* find_command(std::string_view name);

// One function per command, each in its own file.
Action define_estimate(CLI::App& app, Session& session);
Action define_memory(CLI::App& app, Session& session);
Action define_tokens(CLI::App& app, Session& session);
Action define_sweep(CLI::App& app, Session& session);
Action define_validate(CLI::App& app, Session& session);
Action define_prices(CLI::App& app, Session& session);
Action define_list(CLI::App& app, Session& session);
Action define_show(CLI::App& app, Session& session);
Action define_completions(CLI::App& app, Session& session);
Action define_solve(CLI::App& app, Session& session);
Action define_diff(CLI::App& app, Session& session);
Action define_experiments(CLI::App& app, Session& session);
Action define_transfer(CLI::App& app, Session& session);
Action define_serve(CLI::App& app, Session& session);
Action define_help(CLI::App& app, Session& session);

}  // namespace trcost::cli
