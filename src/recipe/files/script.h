// SPDX-License-Identifier: Apache-2.0
// Launch scripts, followed without running them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "recipe/files/facts.h"

namespace trcost::recipe {

/// A command of a script with the flags and overrides (`a.b=c`) behind it, and the environment
/// variables before it.
struct ShellCommand {
  std::vector<std::string> words;  ///< programs and other words that belong to no flag
  Facts facts;
  Facts wrapper;  ///< flags of programs around it, such as those of a container
  int line = 0;
};

/// A file that a script writes by a here-document.
struct WrittenFile {
  std::string path;
  std::string text;
  int line = 0;
};

struct Script {
  Facts facts;  ///< lines of a Slurm header and assignments of variables
  std::vector<ShellCommand> commands;
  std::vector<WrittenFile> written;
  Facts beside;    ///< flags of `$(...)`, and of branches that the script rules out
  Facts doubtful;  ///< flags of branches on conditions that only a machine knows
};

/// Variables that a wrapper sets for its script, such as `SKYPILOT_NUM_NODES`.
using ShellSettings = std::vector<std::pair<std::string, std::string>>;

/// Text of a script that another one sources by its path, or nothing if it is not at hand.
using SourcedScripts = std::function<std::optional<std::string>(const std::string&)>;

/// Reads a shell script. Assignments, `${X:-default}`, arithmetic, arrays, functions and branches
/// on variables of the script are followed. Values that only a machine knows, such as
/// `$(nvidia-smi -L | wc -l)`, are unknown. Throws Error (data) for a script that is too large.
Script read_script(std::string_view text, const std::string& file,
                   const ShellSettings& settings = {}, const SourcedScripts& sourced = {});

}  // namespace trcost::recipe
