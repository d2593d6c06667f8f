// SPDX-License-Identifier: Apache-2.0
#include "catalog/loaders.h"
#include "trcost/error.h"

namespace trcost {

std::shared_ptr<const PriceBook> load_prices(const Catalog&) {
  throw Error(ErrorKind::data, "the price book cannot be read yet", {}, "prices");
}

std::shared_ptr<const Regions> load_regions(const Catalog&) {
  throw Error(ErrorKind::data, "the regions cannot be read yet", {}, "prices");
}

std::vector<CatalogEntry> describe_prices(const PriceBook&) { return {}; }

}  // namespace trcost
