// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/data_folder.h"

namespace trcost::catalog {

/// Accelerators by count: of a cloud machine, or as typed.
struct CountedAccelerator {
  std::string name;
  double count = 0;        ///< whole
  std::string cloud = {};  ///< that rents the machine, `AWS`; empty if no machine was named
};

/// Returns the accelerators of a cloud machine in data/machines.json, such as `p5.48xlarge`, in any
/// case, or nothing.
std::optional<CountedAccelerator> find_machine(const DataFolder& data, std::string_view name);

/// Splits `8xh100`, `8 x h100`, `h100:8` and `a6000x4` into a name and a count. Nothing for a name
/// without a count.
std::optional<CountedAccelerator> split_count(std::string_view text);

}  // namespace trcost::catalog
