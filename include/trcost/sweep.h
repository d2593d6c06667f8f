// SPDX-License-Identifier: Apache-2.0
// A grid of scenarios, one estimate each, in grid order for any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost {

namespace study {
class SweepPlan;
}  // namespace study

/// Part `part` of `parts` contiguous parts, from 1.
struct SweepShard {
  std::uint64_t part = 1;
  std::uint64_t parts = 1;
};
/// Parses `2/8`. Throws Error (usage).
SweepShard parse_shard(std::string_view text);

/// A grid as it is written.
struct SweepRequest {
  Scenario base;                   ///< everything that does not vary
  std::vector<std::string> vary;   ///< `PATH=VALUES`, the last one changes fastest
  std::vector<std::string> where;  ///< `NAME>=VALUE`, all of them true
  std::string select;              ///< columns separated by commas, or empty for all
  std::string sort;                ///< `COLUMN`, `-COLUMN` or `COLUMN:desc`, separated by commas
  std::string pareto;              ///< columns separated by commas
  std::optional<std::uint64_t> top;
  std::optional<SweepShard> shard;
  /// Fields set on the command line. An axis that excludes one of them is refused. Fields of a file
  /// give way to the axis.
  std::vector<Field> fixed;
  /// Makes the scenario of a row from the values of its axes, for fields that follow from others as
  /// a recipe's batch follows from the GPUs. Several threads call it at the same time. Empty:
  /// `base`.
  std::function<Scenario(const Scenario& axes)> derive;
};

/// One computed row.
struct SweepRow {
  std::uint64_t index = 0;             ///< in grid order
  const Scenario* scenario = nullptr;  ///< with the row's values, except the accelerator
  std::string_view accelerator;
  const Estimate* estimate = nullptr;  ///< null if there is no answer
  std::string_view error;              ///< why there is none, one line
  const study::SweepPlan* plan = nullptr;
  std::span<const std::uint64_t> at;  ///< position on each axis of the plan
};

/// Appends one row to `out`. Several threads call it at the same time.
using SweepRenderer = std::function<void(const SweepRow& row, std::string& out)>;

struct SweepRun {
  unsigned threads = 0;                     ///< 0 for as many as there are cores
  const std::atomic<bool>* stop = nullptr;  ///< set from a signal handler
  std::uint64_t begin = 0;                  ///< rows to compute, by their number
  std::uint64_t end = 0;
  /// Called a few times a second from the caller's thread.
  std::function<void(std::uint64_t done)> progress;
};

struct SweepOutcome {
  std::uint64_t computed = 0;  ///< rows of the grid
  std::uint64_t written = 0;   ///< rows given to `write`
  std::uint64_t failed = 0;    ///< rows without an answer
  std::string first_error;     ///< of the first of them
  bool interrupted = false;    ///< by `stop`, so that only the first rows were written
};

/// Computes the rows of a grid and gives them to `write` in pieces that end where a row ends: in
/// grid order, or as sort, pareto and top of the request order them. Memory is bounded by the rows
/// that those three keep. `run.begin` and `run.end` are set here, to the rows of the shard. Throws
/// Error (usage) for a wrong request. An exception of `write` ends the sweep and is passed on.
SweepOutcome run_sweep(const SweepRequest& request, const Catalog& catalog, SweepRun run,
                       const SweepRenderer& render,
                       const std::function<void(std::string_view)>& write);

}  // namespace trcost
