// SPDX-License-Identifier: Apache-2.0
// Encoders of images that learn alone (ViT, DINO), and contrastive pairs of an encoder of images
// and one of text (CLIP, SigLIP).
#pragma once

#include <string>
#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// True for an encoder of images that is read as a model of its own.
bool is_image_family(std::string_view model_type);
/// Names of all of them, joined with commas.
std::string image_family_names();
/// Reads an encoder of images as a bidirectional model without logits, whose tokens are patches.
void read_image_family(ObjectReader& config, std::string_view model_type, Model& model);

void read_clip(ObjectReader& config, Model& model);
void read_siglip(ObjectReader& config, Model& model);

}  // namespace trcost::catalog
