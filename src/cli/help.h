// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace trcost::cli {

struct Command;

/// The page of `trcost --help`.
std::string program_help();
/// The page of one command, examples first.
std::string command_help(const Command& command, const CLI::App& app);
/// The table of scenario fields: path, flag, variable, unit, range, default.
std::string fields_help();

}  // namespace trcost::cli
