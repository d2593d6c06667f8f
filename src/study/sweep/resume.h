// SPDX-License-Identifier: Apache-2.0
// Continues an interrupted file of rows.
#pragma once

#include <cstdint>
#include <string>

#include "json/row_writer.h"
#include "quantity/layers.h"
#include "study/sweep/plan.h"

namespace trcost::study {

/// A file of rows as its writer makes it.
struct SweepFile {
  const RowWriter* lines = nullptr;  ///< one that splits its lines
  std::string opening;               ///< bytes before the first row
  SweepRenderer row;
};

/// Position at which an interrupted file goes on, and the recomputed rows that prove it.
struct SweepResume {
  std::uint64_t next = 0;    ///< first row of the grid that is left to compute
  std::uint64_t bytes = 0;   ///< size of the file up to its last whole row
  bool answered = false;     ///< a recomputed row has an answer
  bool failed = false;       ///< a recomputed row has none
  bool interrupted = false;  ///< by `stop`, before all rows were checked
};

/// Upper bound of the rows of a file that resume_sweep() computes again.
inline constexpr std::uint64_t kRecheckedRows = 16;

/// Finds the row of the grid after the last whole row of the file at `path`.
///
/// The opening has to be the plan's. The last eight rows, the first one and seven in between are
/// computed again and have to be the same bytes. A row that is cut off at the end has to be the
/// beginning of the next one. Time and memory do not depend on the size of the file, which is not
/// changed. Throws Error (data) for the file of another sweep. A missing or empty file starts at
/// the first row. Of `run`, `stop` and `progress` (rows checked) count.
SweepResume resume_sweep(const SweepPlan& plan, const Catalog& catalog, const SweepFile& file,
                         const std::string& path, const SweepRun& run = {});

/// Numbers of rows in a file.
struct SweepTally {
  std::uint64_t rows = 0;
  std::uint64_t failed = 0;  ///< without an answer
};

/// Counts the rows in the first `bytes` bytes of a file of the plan, in one pass over it.
SweepTally tally_rows(const SweepPlan& plan, const SweepFile& file, const std::string& path,
                      std::uint64_t bytes);

}  // namespace trcost::study
