// SPDX-License-Identifier: Apache-2.0
// Readers of data/models and data/encoders.
#pragma once

#include "catalog/models/architecture_reader.h"
#include "catalog/models/model.h"
#include "json/strict_json.h"

namespace trcost {

/// Reads a model's file. Throws Error (data) for a malformed one.
Model parse_model(const JsonValue& document, const EncoderLookup& find_encoder);
/// Reads an encoder's file. Throws Error (data) for a malformed one.
Encoder parse_encoder(const JsonValue& document);

}  // namespace trcost
