// SPDX-License-Identifier: Apache-2.0
#include "trcost/version.h"

namespace trcost {

std::string_view trcost_version() {
  return TRCOST_VERSION;
}

std::string_view trcost_commit() {
  return TRCOST_COMMIT;
}

}  // namespace trcost
