// SPDX-License-Identifier: Apache-2.0
#include "catalog/loaders.h"
#include "trcost/error.h"

namespace trcost {

Model parse_model(std::string_view, std::string_view origin, const Catalog&) {
  throw Error(ErrorKind::data, "model files cannot be read yet", {}, std::string(origin));
}

CatalogEntry describe(const Model& model) { return {model.name, model.title, {}}; }

}  // namespace trcost
