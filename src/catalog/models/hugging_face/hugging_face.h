// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// Whether a document looks like the config.json of transformers rather than a model file.
bool is_hugging_face_config(const JsonValue& document);

/// Reads the config.json of the families that contract names, with the defaults of the family's
/// configuration class in transformers for keys that it leaves out. Keys that do not shape the
/// architecture are ignored. Another family is an Error (kind data) that names the missing keys.
Model read_hugging_face_config(const JsonValue& document, std::string_view origin,
                               const Catalog& catalog);

}  // namespace trcost::catalog
