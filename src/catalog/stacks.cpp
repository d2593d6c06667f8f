// SPDX-License-Identifier: Apache-2.0
#include "catalog/loaders.h"
#include "trcost/error.h"

namespace trcost {

std::shared_ptr<const Stack> load_stack(std::string_view, std::string_view origin) {
  throw Error(ErrorKind::data, "stack files cannot be read yet", {}, std::string(origin));
}

CatalogEntry describe_stack(const Stack&) { return {}; }

}  // namespace trcost
