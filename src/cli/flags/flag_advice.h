// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trcost::cli {

/// Returns what to write instead of a flag that `command` lacks: one of another tool, such as
/// `--lora`, or one of another command. Empty for other flags. `flag` begins with its dashes, and
/// `known` has the flags of the command.
std::string advice_on_flag(std::string_view flag, std::string_view command,
                           const std::vector<std::string>& known);

/// Returns what to write instead of a first word that is no command. Empty for other words.
std::string_view advice_on_command(std::string_view word);

}  // namespace trcost::cli
