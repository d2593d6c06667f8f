// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace trcost::cli {

/// Returns what to write instead of a flag that other tools have, such as `--lora`. Empty for other
/// flags. `flag` begins with its dashes.
std::string_view advice_on_flag(std::string_view flag);

}  // namespace trcost::cli
