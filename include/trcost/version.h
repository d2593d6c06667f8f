// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace trcost {

/// The version of the library.
std::string_view trcost_version();

}  // namespace trcost
