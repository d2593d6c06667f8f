// SPDX-License-Identifier: Apache-2.0
// JSON Schemas of the output of the commands, made from its tables of columns.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::report {

struct Schema {
  std::string_view name;   ///< command and variant: `validate-runs`
  std::string_view title;  ///< command line
  std::string (*text)(const Schema& schema);
};

std::span<const Schema> schemas();
/// Returns the JSON Schema of a name. Throws Error (usage) with a did-you-mean.
std::string schema_text(std::string_view name);

}  // namespace trcost::report
