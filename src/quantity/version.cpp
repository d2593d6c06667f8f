// SPDX-License-Identifier: Apache-2.0
#include "trcost/version.h"

#include "quantity/layers.h"
#include "quantity/suggest.h"

namespace trcost {

bool reads_schema(std::string_view version) {
  constexpr std::size_t kMajor = 2;  // `1.`
  if (version.substr(0, kMajor) != kSchemaVersion.substr(0, kMajor)) return false;
  const auto minor = number_in<int>(version.substr(kMajor));
  return minor && *minor >= 0 && minor <= number_in<int>(kSchemaVersion.substr(kMajor));
}

std::string_view trcost_version() {
  return TRCOST_VERSION;
}

std::string_view trcost_commit() {
  return TRCOST_COMMIT;
}

}  // namespace trcost
