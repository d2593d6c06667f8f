// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quantity/layers.h"

namespace trcost::study {

/// What a row is ordered by.
struct KeyValue {
  bool known = false;
  double number = 0;
  std::string text;
};

/// A row that is kept.
struct KeptRow {
  std::uint64_t index = 0;
  std::vector<KeyValue> keys;
  std::vector<double> objectives;  ///< lower is better
  std::string bytes;
};

/// Memory that a row takes, with what the allocator adds to each part.
inline std::uint64_t kept_bytes(const KeptRow& row) {
  constexpr std::uint64_t kPerBlock = 16;  // of glibc's malloc
  std::uint64_t bytes = sizeof(KeptRow) + row.bytes.capacity() + kPerBlock;
  if (!row.keys.empty()) bytes += row.keys.capacity() * sizeof(KeyValue) + kPerBlock;
  if (!row.objectives.empty()) bytes += row.objectives.capacity() * sizeof(double) + kPerBlock;
  for (const KeyValue& key : row.keys) {
    if (key.text.capacity() >= sizeof(std::string) / 2) bytes += key.text.capacity() + kPerBlock;
  }
  return bytes;
}

}  // namespace trcost::study
