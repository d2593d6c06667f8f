// SPDX-License-Identifier: Apache-2.0
#include "catalog/loaders.h"
#include "trcost/error.h"

namespace trcost {

Encoder parse_encoder(std::string_view, std::string_view origin) {
  throw Error(ErrorKind::data, "encoder files cannot be read yet", {}, std::string(origin));
}

CatalogEntry describe(const Encoder& encoder) { return {encoder.name, encoder.title, {}}; }

}  // namespace trcost
