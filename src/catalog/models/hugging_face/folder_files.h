// SPDX-License-Identifier: Apache-2.0
// Files of a Hugging Face model folder other than config.json, and keys of a config.json that shape
// no layer.
#pragma once

#include <string>
#include <vector>

#include "json/strict_json.h"
#include "quantity/layers.h"
#include "trcost/data_folder.h"

namespace trcost::catalog {

/// Throws Error (data) that says what the file is and which one is wanted, if it is a known one
/// without sizes: an adapter, generation, tokenizer, processor, quantization, DeepSpeed or Trainer
/// file, or an index of weights.
void refuse_other_file(const JsonValue& document);

/// Keys of a config.json that were not read and that data/config_keys.json does not list, by their
/// paths. Keys whose value is off (null, false, 0, empty) are left out.
std::vector<std::string> unread_keys(const JsonValue& document, std::vector<std::string> read,
                                     const DataFolder& data);

}  // namespace trcost::catalog
