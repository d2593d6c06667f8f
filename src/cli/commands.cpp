// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <algorithm>

namespace trcost::cli {
namespace {

constexpr Command kCommands[] = {
    {"help", "help on a command, or the table of scenario fields", "[COMMAND|fields]",
     "trcost help estimate\ntrcost help fields\n", define_help},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  const auto at = std::ranges::find(kCommands, name, &Command::name);
  return at == std::end(kCommands) ? nullptr : &*at;
}

}  // namespace trcost::cli
