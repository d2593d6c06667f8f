// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "quantity/layers.h"
#include "trcost/tokens.h"

namespace trcost::workload {

/// One row of a table of sizes.
struct SizesRow {
  ImageSize size;
  std::int64_t count = 1;  ///< images of this size
  std::int64_t line = 0;   ///< line in the file, from 1
};

/// A row that cannot be read: its line, and why.
struct BadRow {
  std::int64_t line = 0;
  std::string reason;
};

/// Reads a CSV file (RFC 4180) with the columns `width`, `height` and optionally `count`. Ignores
/// other columns. Passes rows to `good` in the order of the file, and rows with a cell that is
/// missing or not a whole number of at least 1 to `bad`. Throws Error (data) if the file cannot be
/// read, is empty, lacks a column, or has too long lines or too many bad rows for a table.
void read_image_sizes(const std::string& path, const std::function<void(const SizesRow&)>& good,
                      const std::function<void(const BadRow&)>& bad);

}  // namespace trcost::workload
