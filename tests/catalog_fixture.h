// SPDX-License-Identifier: Apache-2.0
// The built-in catalog, read once for all tests.
#pragma once

#include <string_view>

#include "catalog/models/hugging_face/hugging_face.h"
#include "json/strict_json.h"
#include "trcost/catalog.h"

inline const trcost::Catalog& test_catalog() {
  static const trcost::Catalog instance;
  return instance;
}

/// Reads a model file or config.json, with the built-in catalog's encoders.
inline trcost::Model test_model(const trcost::JsonValue& document) {
  return trcost::read_model(
      document, test_catalog(),
      [](std::string_view name) -> const trcost::Encoder& { return test_catalog().encoder(name); });
}
inline trcost::Model test_model(std::string_view json, std::string_view origin) {
  return test_model(trcost::parse_strict_json(json, origin));
}
