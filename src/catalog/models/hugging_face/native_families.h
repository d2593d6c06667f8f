// SPDX-License-Identifier: Apache-2.0
// Vision-language families whose towers take native resolution (src/transformers/models/*/
// configuration_*.py and modeling_*.py, and Kimi-VL's own configuration_kimi_vl.py).
#pragma once

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// Qwen-VL of all generations.
void read_qwen_vl(ObjectReader& config, Model& model);
/// Mistral Small 3.1.
void read_mistral3(ObjectReader& config, Model& model);
void read_kimi_vl(ObjectReader& config, Model& model);

}  // namespace trcost::catalog
