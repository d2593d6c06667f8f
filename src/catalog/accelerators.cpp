// SPDX-License-Identifier: Apache-2.0
#include "catalog/loaders.h"
#include "catalog/strict_json.h"
#include "trcost/error.h"

namespace trcost {

Accelerator parse_accelerator(std::string_view, std::string_view origin) {
  throw Error(ErrorKind::data, "accelerator files cannot be read yet", {}, std::string(origin));
}
CatalogEntry describe(const Accelerator& accelerator) {
  return {accelerator.name, accelerator.title, {}};
}

}  // namespace trcost
