// SPDX-License-Identifier: Apache-2.0
// How an interrupted file of rows is continued.
#pragma once

#include <cstdint>
#include <string>

#include "quantity/layers.h"
#include "study/sweep/lines.h"
#include "trcost/sweep.h"

namespace trcost::study {

/// Where an interrupted file goes on.
struct SweepResume {
  std::uint64_t next = 0;    ///< row of the grid to compute first
  std::uint64_t bytes = 0;   ///< of the file that stay; an incomplete last line goes
  std::uint64_t rows = 0;    ///< that the file holds
  std::uint64_t failed = 0;  ///< of these, without an answer
};

/// A file of rows as its writer makes it.
struct SweepFile {
  const RowWriter* lines = nullptr;  ///< one that splits its lines
  std::string opening;               ///< what stands before the first row
  SweepRenderer row;
};

/// Reads the `file` at `path` that a sweep of this plan has begun. Every line has to be about the
/// row of the grid that is due, by its values of the axes. Up to 50,000 rows of the grid are
/// computed again and have to be the same; of more, some thousands are: rows in 256 places, 512
/// lines, and for every axis 256 pairs of neighbours of which conditions keep one. Else Error
/// (data), and nothing is written. A file that is missing or empty starts at the first row.
/// `threads` as in SweepRun.
SweepResume resume_sweep(const SweepPlan& plan, const Catalog& catalog, const SweepFile& file,
                         const std::string& path, unsigned threads = 0);

}  // namespace trcost::study
