// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "trcost/files.h"

namespace trcost {

bool file_exists(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed);
}

}  // namespace trcost
