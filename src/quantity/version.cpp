// SPDX-License-Identifier: Apache-2.0
#include "trcost/version.h"

#include <charconv>
#include <system_error>

namespace trcost {

bool reads_schema(std::string_view version) {
  constexpr std::size_t kMajor = 2;  // `1.`
  if (version.size() <= kMajor || version.substr(0, kMajor) != kSchemaVersion.substr(0, kMajor)) {
    return false;
  }
  const auto minor = [](std::string_view text) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : -1;
  };
  const int given = minor(version.substr(kMajor));
  return given >= 0 && given <= minor(kSchemaVersion.substr(kMajor));
}

std::string_view trcost_version() {
  return TRCOST_VERSION;
}

std::string_view trcost_commit() {
  return TRCOST_COMMIT;
}

}  // namespace trcost
