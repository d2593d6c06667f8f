// SPDX-License-Identifier: Apache-2.0
// Vision towers of Hugging Face config.json files, with what their configuration classes in
// transformers fill in for keys that a file leaves out.
#pragma once

#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// Defaults of the configuration class of a vision tower.
struct TowerDefaults {
  double hidden, ffn, layers, heads, image, patch;
};
inline constexpr TowerDefaults kClip{768, 3072, 12, 12, 224, 32};
inline constexpr TowerDefaults kClipOfLlava{1024, 4096, 24, 16, 336, 14};
inline constexpr TowerDefaults kSiglip{768, 3072, 12, 12, 224, 16};
inline constexpr TowerDefaults kIdefics2{768, 3072, 12, 12, 224, 32};
inline constexpr TowerDefaults kIdefics3{1152, 3072, 12, 16, 224, 32};
inline constexpr TowerDefaults kInternVl{3200, 12800, 48, 25, 224, 14};
inline constexpr TowerDefaults kInternVlNative{1024, 4096, 24, 16, 448, 14};
inline constexpr TowerDefaults kPixtral{1024, 4096, 24, 16, 1024, 16};
inline constexpr TowerDefaults kMllama{1280, 5120, 32, 16, 448, 14};
inline constexpr TowerDefaults kLlama4{768, 5632, 34, 16, 448, 14};
inline constexpr TowerDefaults kMoonVit{1152, 4304, 27, 16, 0, 14};

/// A number, or the first of a list of two equal ones.
double side_or(ObjectReader& reader, std::string_view key, double fallback);

/// Reads width, depth, heads, patch and input size of a tower. An image size of 0 in `usual` means
/// native resolution, which no key changes, and a feed-forward of 0 that its key is not read.
Encoder read_tower(ObjectReader& reader, const TowerDefaults& usual);
Encoder clip_tower(ObjectReader& reader, const TowerDefaults& usual);
Encoder siglip_tower(ObjectReader& reader, const TowerDefaults& usual);
/// Rotary positions, gated feed-forward, RMS norms, one of them before the first layer.
Encoder pixtral_tower(ObjectReader& reader);

/// Reads the decoder under `key`, of `usual_family` if it does not name its own. Throws Error
/// (data) if the family is not read.
LanguageModel nested_text(ObjectReader& config, std::string_view key,
                          std::string_view usual_family);

}  // namespace trcost::catalog
