// SPDX-License-Identifier: Apache-2.0
#include "catalog/loaders.h"
#include "trcost/error.h"

namespace trcost {

std::shared_ptr<const Efficiency> load_efficiency(const Accelerator& accelerator, const Catalog&) {
  throw Error(ErrorKind::data, "efficiency files cannot be read yet", {}, accelerator.file);
}

}  // namespace trcost
