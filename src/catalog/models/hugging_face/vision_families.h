// SPDX-License-Identifier: Apache-2.0
// Vision-language families of Hugging Face transformers.
#pragma once

#include <string>
#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// True for a known vision-language family.
bool is_vision_family(std::string_view model_type);
/// Names of all vision-language families, joined with commas.
std::string vision_family_names();
/// Reads decoder and vision half of a known family, token family included.
void read_vision_family(ObjectReader& config, std::string_view model_type, Model& model);

}  // namespace trcost::catalog
