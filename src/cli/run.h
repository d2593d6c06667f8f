// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trcost::cli {

/// The whole program: picks the command, parses, runs, and turns every Error into one message on
/// stderr and its exit code (contract.md): 0 ok, 1 data or runtime, 2 usage, 3 a check that failed,
/// 130 interrupted.
int run(int argc, char** argv);

}  // namespace trcost::cli
