// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/native_families.h"

#include <cmath>

#include "catalog/models/hugging_face/text_families.h"
#include "catalog/models/hugging_face/towers.h"
#include "catalog/models/models.h"

namespace trcost::catalog {

namespace {

/// Differences between the three generations of Qwen-VL.
struct QwenVl {
  std::string_view family, text, token_family;
  bool third, second_and_half;
};
constexpr QwenVl kQwenVl[] = {
    {"qwen2_vl", "qwen2_vl_text", "qwen2-vl", false, false},
    {"qwen2_5_vl", "qwen2_vl_text", "qwen2.5-vl", false, true},
    {"qwen3_vl", "qwen3_vl_text", "qwen3-vl", true, false},
    {"qwen3_vl_moe", "qwen3_vl_moe_text", "qwen3-vl", true, false},
    {"qwen3_5", "qwen3_5_text", "qwen3-vl", true, false},
    {"qwen3_5_moe", "qwen3_5_moe_text", "qwen3-vl", true, false},
};

/// Windows of 112 pixels in all but the named layers (Qwen2.5-VL).
void set_qwen_windows(ObjectReader& r, Encoder& e) {
  const double side_tokens = r.whole_or("window_size", 112, 1, 1e5) / e.patch;
  e.window_tokens = std::floor(side_tokens) * std::floor(side_tokens);
  const std::vector<JsonValue> full = r.array_or_empty("fullatt_block_indexes");
  e.full_attention_layers = full.empty() ? 4 : static_cast<double>(full.size());
}

void set_qwen_widths(ObjectReader& r, const QwenVl& kind, Encoder& e) {
  if (kind.third) {
    e.hidden = r.whole_or("hidden_size", 1152, 1, kWidest);
    e.ffn = r.whole_or("intermediate_size", 4304, 1, kWidest);
    return;
  }
  e.hidden = kind.second_and_half ? r.whole_or("hidden_size", 3584, 1, kWidest)
                                  : r.whole_or("embed_dim", 1280, 1, kWidest);
  e.ffn = kind.second_and_half ? r.whole_or("intermediate_size", 3420, 1, kWidest)
                               : std::round(r.number_or("mlp_ratio", 4, 0.1, 100) * e.hidden);
}

Encoder qwen_tower(ObjectReader& r, const QwenVl& kind) {
  Encoder e;
  e.layers = r.whole_or("depth", kind.third ? 27 : 32, 1, kMostLayers);
  set_qwen_widths(r, kind, e);
  e.heads = r.whole_or("num_heads", 16, 1, kWidest);
  const bool spatial = !r.has("patch_size") && r.has("spatial_patch_size");
  e.patch = spatial ? r.whole_or("spatial_patch_size", 14, 1, 4096)
                    : side_or(r, "patch_size", kind.third ? 16 : 14);
  e.temporal_patch = side_or(r, "temporal_patch_size", 2);
  e.learned_positions = false;
  if (kind.second_and_half) {
    e.mlp = Mlp::gated;
    e.norm = Norm::rms;
    set_qwen_windows(r, e);
  }
  if (kind.third) {
    e.patch_bias = true;
    e.extra_params = r.whole_or("num_position_embeddings", 2304, 0, 1e9) * e.hidden;
  }
  return e;
}

/// The merger: a norm over a patch and two matrices as wide as the merged patches. Qwen3-VL has one
/// more for each tapped layer, whose norm is over the merged width.
Connector qwen_merger(ObjectReader& r, const QwenVl& kind, const Encoder& e) {
  const double merge = r.whole_or("spatial_merge_size", 2, 1, 64);
  Connector c;
  c.kind = ConnectorKind::pixel_shuffle;
  c.merge = merge * merge;
  c.hidden = e.hidden * c.merge;
  c.norm = true;
  c.norm_type = e.norm;
  c.norm_width = e.hidden;
  if (kind.third) {
    const bool named = r.has("deepstack_visual_indexes");
    const double taps =
        named ? static_cast<double>(r.array_or_empty("deepstack_visual_indexes").size()) : 3;
    c.copies = 1 + taps;
    c.extra_params = taps * 2 * *c.hidden;
  }
  return c;
}

/// Queries, keys and values in one matrix, learned positions interpolated from a table.
Encoder moonvit_tower(ObjectReader& r) {
  Encoder e = read_tower(r, kMoonVit);
  e.patch_bias = true;
  e.learned_positions = false;
  e.post_norm = true;
  e.extra_params = r.whole_or("init_pos_emb_height", 64, 1, 1e4) *
                   r.whole_or("init_pos_emb_width", 64, 1, 1e4) * e.hidden;
  return e;
}

}  // namespace

void read_qwen_vl(ObjectReader& config, Model& model) {
  const std::string family = config.required_text("model_type");
  const QwenVl* kind = kQwenVl;
  while (kind->family != family) ++kind;
  ObjectReader text = config.has("text_config") ? config.required_object("text_config") : config;
  model.language = read_text_family(text, kind->text);
  ObjectReader& tying = text.has("tie_word_embeddings") ? text : config;
  model.language.tied_embeddings = tying.boolean_or("tie_word_embeddings", false);
  ObjectReader r = config.required_object("vision_config");
  VisionModel vision;
  vision.encoder = qwen_tower(r, *kind);
  vision.connector = qwen_merger(r, *kind, vision.encoder);
  model.token_family = kind->token_family;
  model.vision = vision;
}

/// Pixtral's tower, a norm, a matrix that merges 2 x 2 patches to one patch's width, two more.
void read_mistral3(ObjectReader& config, Model& model) {
  model.language = nested_text(config, "text_config", "mistral");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = pixtral_tower(tower);
  const double width = vision.encoder.hidden;
  const double merge = config.whole_or("spatial_merge_size", 2, 1, 64);
  Connector& c = vision.connector;
  c.kind = ConnectorKind::mlp;
  c.biases = config.boolean_or("multimodal_projector_bias", false);
  c.merge = merge * merge;
  c.input_width = width;
  c.merged_width = width;
  c.hidden = model.language.hidden;
  c.norm = true;
  c.norm_type = Norm::rms;
  c.norm_width = width;
  model.token_family = "mistral3";
  model.vision = vision;
}

void read_kimi_vl(ObjectReader& config, Model& model) {
  model.language = nested_text(config, "text_config", "deepseek_v3");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = moonvit_tower(tower);
  Connector& c = vision.connector;
  c.kind = ConnectorKind::pixel_shuffle;
  c.merge = 4;
  c.hidden = vision.encoder.hidden * c.merge;
  c.norm = true;
  c.norm_width = vision.encoder.hidden;
  model.token_family = "kimi-vl";
  model.vision = vision;
}

}  // namespace trcost::catalog
