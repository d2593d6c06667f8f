// SPDX-License-Identifier: Apache-2.0
// The JSON Schemas of what the commands write, made from the same tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::report {

struct Schema {
  std::string_view name;   ///< of the command, and of its variant: `validate-runs`
  std::string_view title;  ///< what is written, and by which flags
  std::string (*text)(const Schema& schema);
};

std::span<const Schema> schemas();
/// The JSON Schema of this name. Throws Error (usage) with a did-you-mean.
std::string schema_text(std::string_view name);

}  // namespace trcost::report
