// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/towers.h"

#include "catalog/models/hugging_face/text_families.h"
#include "catalog/models/models.h"

namespace trcost::catalog {

double side_or(ObjectReader& r, std::string_view key, double fallback) {
  const std::optional<JsonValue> value = r.optional_value(key);
  if (!value) return r.whole_or(key, fallback, 1, 1e5);
  if (!value->is_array()) return value->whole(1, 1e5);
  const std::vector<JsonValue> sides = value->array();
  if (sides.empty()) value->fail("a side in pixels is missing");
  return sides.front().whole(1, 1e5);
}

Encoder read_tower(ObjectReader& r, const TowerDefaults& usual) {
  Encoder e;
  e.hidden = r.whole_or("hidden_size", usual.hidden, 1, kWidest);
  if (usual.ffn > 0) e.ffn = r.whole_or("intermediate_size", usual.ffn, 1, kWidest);
  e.layers = r.whole_or("num_hidden_layers", usual.layers, 1, kMostLayers);
  e.heads = r.whole_or("num_attention_heads", usual.heads, 1, kWidest);
  e.channels = r.whole_or("num_channels", 3, 1, 4096);
  e.patch = side_or(r, "patch_size", usual.patch);
  if (usual.image > 0) set_image_size(e, side_or(r, "image_size", usual.image));
  return e;
}

Encoder clip_tower(ObjectReader& r, const TowerDefaults& usual) {
  Encoder e = read_tower(r, usual);
  e.class_token = true;
  e.pre_norm = true;
  e.post_norm = true;
  set_image_size(e, e.image);
  return e;
}

Encoder siglip_tower(ObjectReader& r, const TowerDefaults& usual) {
  Encoder e = read_tower(r, usual);
  e.patch_bias = true;
  e.post_norm = true;
  return e;
}

Encoder pixtral_tower(ObjectReader& r) {
  Encoder e = read_tower(r, kPixtral);
  e.learned_positions = false;
  e.mlp = Mlp::gated;
  e.norm = Norm::rms;
  e.biases = Biases::none;
  e.pre_norm = true;
  e.longest = e.image;
  set_image_size(e, 0);
  e.tokens_per_image = 0;
  return e;
}

LanguageModel nested_text(ObjectReader& config, std::string_view key,
                          std::string_view usual_family) {
  ObjectReader r = config.required_object(key);
  const std::string family = r.text_or("model_type", usual_family);
  if (!is_text_family(family)) {
    r.value().fail("the decoder family \"" + family + "\" is not read",
                   "families that are: " + text_family_names());
  }
  return read_text_family(r, family);
}

}  // namespace trcost::catalog
