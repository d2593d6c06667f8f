// SPDX-License-Identifier: Apache-2.0
#include "catalog/loaders.h"
#include "trcost/error.h"

namespace trcost {

std::shared_ptr<const RunBook> load_runs(const Catalog&) {
  throw Error(ErrorKind::data, "published runs cannot be read yet", {}, "runs");
}

std::vector<CatalogEntry> describe_runs(const RunBook&) { return {}; }

}  // namespace trcost
