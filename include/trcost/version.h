// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace trcost {

/// Version of every JSON document. A minor step only adds names.
inline constexpr std::string_view kSchemaVersion = "1.2";

/// True for the version of this program's documents and earlier ones of the same major version.
bool reads_schema(std::string_view version);

/// The version of the library.
std::string_view trcost_version();
/// The short hash of the commit that it was built from, empty if unknown.
std::string_view trcost_commit();

}  // namespace trcost
