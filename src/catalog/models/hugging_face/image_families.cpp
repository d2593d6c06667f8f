// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/image_families.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/models/hugging_face/layers.h"
#include "catalog/models/hugging_face/towers.h"
#include "catalog/models/models.h"
#include "quantity/suggest.h"

namespace trcost::catalog {
namespace {

/// An encoder with its tokens besides patches, and the defaults of its configuration class in
/// transformers (src/transformers/models/*/configuration_*.py).
struct ImageFamily {
  std::string_view family;
  TowerDefaults usual;
  double placed_tokens;  ///< class and distillation tokens, which have positions
  double mask_tokens;    ///< rows that stand in for hidden patches in training
  bool positions;        ///< a learned table; else rotary
  bool patch_bias;
};
constexpr TowerDefaults kVit{768, 3072, 12, 12, 224, 16};
constexpr TowerDefaults kDinov3{384, 1536, 12, 6, 224, 16};
constexpr std::array kImageFamilies{
    ImageFamily{"vit", kVit, 1, 0, true, true},
    ImageFamily{"vit_msn", kVit, 1, 0, true, true},
    ImageFamily{"deit", kVit, 2, 0, true, true},
    ImageFamily{"dinov2", kVit, 1, 1, true, true},
    ImageFamily{"dinov2_with_registers", kVit, 1, 1, true, true},
    ImageFamily{"dinov3_vit", kDinov3, 1, 1, false, true},
    ImageFamily{"clip_vision_model", kClip, 1, 0, true, false},
    ImageFamily{"siglip_vision_model", kSiglip, 0, 0, true, true},
};

bool is_key_on(ObjectReader& r, std::string_view key) {
  return r.has(key) && r.boolean_or(key, false);
}

/// DINOv2 gives the feed-forward as a multiple of the width, of which gated layers have two thirds,
/// rounded up to 8 (modeling_dinov2.py, Dinov2SwiGLUFFN).
double scaled_feed_forward(ObjectReader& r, double hidden) {
  const double ffn = hidden * r.number_or("mlp_ratio", 4, 0.1, 100);
  constexpr double kMultiple = 8;
  if (!is_key_on(r, "use_swiglu_ffn")) return std::floor(ffn);
  return std::ceil(std::floor(std::floor(ffn) * 2 / 3) / kMultiple) * kMultiple;
}

/// Rows as wide as the model besides the patch projection: its bias, tokens without an image, a
/// classifier that sees one token, the vectors that scale DINO's layers, CLIP's first norm, and
/// SigLIP's pooling head (attention of one learned query, a norm, a feed-forward).
double further_rows(ObjectReader& r, const ImageFamily& family, const LanguageModel& m,
                    double registers) {
  double rows = (family.patch_bias ? 1 : 0) + family.placed_tokens + family.mask_tokens + registers;
  if (const std::optional<ObjectReader> classes = r.optional_object("id2label")) {
    rows += static_cast<double>(classes->keys().size()) * (1 + 1 / m.hidden);
  }
  if (family.family.starts_with("dino")) rows += 2 * m.layers;
  const bool biased_keys = !family.family.starts_with("dinov3") || is_key_on(r, "key_bias");
  if (!biased_keys) rows -= m.layers;
  if (family.family == "clip_vision_model") rows += 2;
  if (family.family == "siglip_vision_model") {
    const double query = 1, norm = 2, biases = 5 + m.ffn / m.hidden;
    rows += 4 * m.hidden + 2 * m.ffn + query + norm + biases;
  }
  return rows;
}

/// A text tower: causal and without logits.
LanguageModel read_text_tower(ObjectReader& config, double vocab, double hidden, double positions) {
  ObjectReader r = config.object_or_empty("text_config");
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", vocab, 1, 1e9);
  m.hidden = width_or(r, "hidden_size", hidden);
  m.ffn = width_or(r, "intermediate_size", 4 * hidden);
  m.layers = r.whole_or("num_hidden_layers", 12, 1, kMostLayers);
  m.heads = width_or(r, "num_attention_heads", hidden / 64);
  if (std::fmod(m.hidden, m.heads) != 0) r.value().fail("the heads do not divide the width");
  m.kv_heads = m.heads;
  m.head_dim = m.hidden / m.heads;
  m.learned_positions = width_or(r, "max_position_embeddings", positions);
  m.mlp = Mlp::plain;
  m.norm = Norm::layer;
  m.biases = Biases::all;
  m.output_head = false;
  for (const char* key : {"projection_dim", "projection_size"}) r.accept(key);
  return m;
}

const ImageFamily* find_image_family(std::string_view name) {
  const auto found = std::ranges::find(kImageFamilies, name, &ImageFamily::family);
  return found == kImageFamilies.end() ? nullptr : &*found;
}

}  // namespace

bool is_image_family(std::string_view name) {
  return find_image_family(name) != nullptr;
}

std::string image_family_names() {
  std::string names;
  for (const ImageFamily& each : kImageFamilies) quantity::append_item(names, each.family);
  return names;
}

void read_image_family(ObjectReader& config, std::string_view name, Model& model) {
  const ImageFamily& family = *find_image_family(name);
  const bool scaled = name.starts_with("dinov2");
  TowerDefaults usual = family.usual;
  if (scaled) usual.ffn = 0;
  const Encoder e = read_tower(config, usual);
  if (e.patch <= 0 || e.image < e.patch || std::fmod(e.hidden, e.heads) != 0) {
    config.value().fail("the patches do not fit the image, or the heads the width");
  }
  LanguageModel& m = model.language;
  m.hidden = e.hidden;
  m.ffn = scaled ? scaled_feed_forward(config, e.hidden) : e.ffn;
  m.layers = e.layers;
  m.heads = m.kv_heads = e.heads;
  m.head_dim = m.hidden / m.heads;
  m.mlp = is_key_on(config, "use_gated_mlp") || is_key_on(config, "use_swiglu_ffn") ? Mlp::gated
                                                                                    : Mlp::plain;
  m.norm = Norm::layer;
  m.biases = Biases::all;
  m.bidirectional = true;
  m.output_head = false;
  const double registers =
      config.has("num_register_tokens") ? config.required_whole("num_register_tokens", 0, 1000) : 0;
  const double placed = e.tokens_per_image + family.placed_tokens;
  if (family.positions) m.learned_positions = placed;
  // The matrix that projects a patch has a row for each of its values.
  m.vocab = e.channels * e.patch * e.patch;
  m.extra_embedding_rows = further_rows(config, family, m, registers);
  for (const char* key : {"qkv_bias", "query_bias", "key_bias", "value_bias", "proj_bias",
                          "mlp_bias", "encoder_stride", "layerscale_value", "use_mask_token",
                          "out_features", "out_indices", "stage_names", "reshape_hidden_states"}) {
    config.accept(key);
  }
  const double tokens = placed + registers;
  model.patches = m.context = tokens;
  model.warnings.push_back(
      fmt::format("{} is an encoder of images: its tokens are patches, {:.0f} for an image of "
                  "{:.0f} x {:.0f} pixels",
                  model.name, tokens, e.image, e.image));
}

void read_clip(ObjectReader& config, Model& model) {
  model.language = read_text_tower(config, 49408, 512, 77);
  VisionModel vision;
  ObjectReader tower = config.object_or_empty("vision_config");
  vision.encoder = clip_tower(tower, kClip);
  const double width = config.whole_or("projection_dim", 512, 1, kWidest);
  Connector& c = vision.connector;
  c.kind = ConnectorKind::linear;
  c.width = width;
  c.biases = false;
  c.extra_params = model.language.hidden * width + 1;  // the text's projection, the temperature
  vision.tokens_per_image = 1;
  model.vision = vision;
}

void read_siglip(ObjectReader& config, Model& model) {
  model.language = read_text_tower(config, 32000, 768, 64);
  model.language.bidirectional = true;
  VisionModel vision;
  ObjectReader tower = config.object_or_empty("vision_config");
  vision.encoder = siglip_tower(tower, kSiglip);
  const double h = model.language.hidden;
  vision.connector.kind = ConnectorKind::attention_pool;
  vision.connector.extra_params = h * h + h + 2;  // the text's projection, scale and bias
  vision.tokens_per_image = 1;
  model.vision = vision;
}

}  // namespace trcost::catalog
