// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace trcost::cli {

class Flags;
struct Command;

/// The page of `trcost --help`.
std::string program_help();
/// The page of one command in lines of `columns` characters, examples first.
std::string command_help(const Command& command, const Flags& flags, int columns);
/// One screen about a command: its examples and main options.
std::string command_summary(const Command& command, const Flags& flags);
/// The table of scenario fields: path, flag, variable, unit, range, default.
std::string fields_help(int columns);
/// The topics that are explained beside the commands.
std::string topics_help();
/// The terms of the glossary.
std::string terms_help();

}  // namespace trcost::cli
