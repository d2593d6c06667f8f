// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/models/models.h"
#include "json/strict_json.h"
#include "quantity/layers.h"
#include "trcost/data_folder.h"

namespace trcost::catalog {

/// Reads the config.json of Hugging Face transformers, or a model file for a document that does not
/// look like one. A config.json gets the defaults of the family's configuration class in
/// transformers for keys that it leaves out. Keys that do not shape the architecture are ignored.
/// Throws Error (data) for a malformed file, and for a family that is not read, with the missing
/// keys.
Model read_model(const JsonValue& document, const DataFolder& data,
                 const EncoderLookup& find_encoder);

}  // namespace trcost::catalog
