// SPDX-License-Identifier: Apache-2.0
#include "trcost/error.h"

namespace trcost {

Error::Error(ErrorKind kind_, std::string message_, std::string hint_, std::string location_)
    : std::runtime_error(location_.empty() ? message_ : location_ + ": " + message_),
      kind(kind_),
      message(std::move(message_)),
      hint(std::move(hint_)),
      location(std::move(location_)) {}

}  // namespace trcost
