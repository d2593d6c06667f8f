// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace trcost::cli {

class Session;

/// The whole program: picks the command, parses, runs, and turns every Error into one message on
/// stderr and its exit code (contract.md): 0 ok, 1 data or runtime, 2 usage, 3 a check that failed,
/// 130 interrupted.
int run(int argc, char** argv);

/// Overload for a host program: runs the words after `trcost` and returns the exit code.
/// Throws Error.
int run_arguments(std::vector<std::string> arguments, Session& session);

}  // namespace trcost::cli
