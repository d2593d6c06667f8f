// SPDX-License-Identifier: Apache-2.0
// Decoder families of Hugging Face transformers.
#pragma once

#include <string>
#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// True for a known decoder family.
bool is_text_family(std::string_view model_type);
/// Names of all decoder families, joined with commas.
std::string text_family_names();
/// Reads the layers whose attention sees a window only.
void read_window_layers(ObjectReader& config, std::string_view family, LanguageModel& language);
/// Reads the decoder of a text configuration of a known family.
LanguageModel read_text_family(ObjectReader& config, std::string_view model_type);

}  // namespace trcost::catalog
