// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace trcost {

/// Of every JSON document; a minor step only adds.
inline constexpr std::string_view kSchemaVersion = "1.0";

/// The version of the library.
std::string_view trcost_version();
/// The commit that it was built from, short; empty where that is not known.
std::string_view trcost_commit();

}  // namespace trcost
