// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trcost/tokens.h"

namespace trcost {

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

/// Reads a CSV file (RFC 4180) whose header names the columns `width` and `height`, and may name
/// `count`; other columns are left alone. A row with a cell that is missing or not a whole number
/// of at least 1 goes to `bad`, every other one to `good`, in the order of the file; none is kept.
/// Throws `Error` (data) where the file cannot be read, is empty, its header lacks a column, or it
/// is no table: a line without end, or bad rows without end.
void read_image_sizes(const std::string& path, const std::function<void(const SizesRow&)>& good,
                      const std::function<void(const BadRow&)>& bad);

}  // namespace trcost
