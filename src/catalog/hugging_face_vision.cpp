// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/architecture_reader.h"
#include "catalog/hugging_face_parts.h"

// Vision-language families of transformers (src/transformers/models/*/configuration_*.py and
// modeling_*.py) and of OpenGVLab/InternVL.
namespace trcost {
namespace {

/// What the configuration class of a vision tower fills in.
struct TowerDefaults {
  double hidden, ffn, layers, heads, image, patch;
};
constexpr TowerDefaults kClip{768, 3072, 12, 12, 224, 32};
constexpr TowerDefaults kClipOfLlava{1024, 4096, 24, 16, 336, 14};
constexpr TowerDefaults kSiglip{768, 3072, 12, 12, 224, 16};
constexpr TowerDefaults kIdefics2{768, 3072, 12, 12, 224, 32};
constexpr TowerDefaults kIdefics3{1152, 3072, 12, 16, 224, 32};
constexpr TowerDefaults kInternVl{3200, 12800, 48, 25, 224, 14};
constexpr TowerDefaults kInternVlNative{1024, 4096, 24, 16, 448, 14};
constexpr TowerDefaults kPixtral{1024, 4096, 24, 16, 1024, 16};
constexpr TowerDefaults kMllama{1280, 5120, 32, 16, 448, 14};

/// A number, or the first of a list of two equal ones.
double side(ObjectReader& r, std::string_view key, double fallback) {
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
  e.ffn = r.whole_or("intermediate_size", usual.ffn, 1, kWidest);
  e.layers = r.whole_or("num_hidden_layers", usual.layers, 1, kMostLayers);
  e.heads = r.whole_or("num_attention_heads", usual.heads, 1, kWidest);
  e.channels = r.whole_or("num_channels", 3, 1, 4096);
  e.patch = side(r, "patch_size", usual.patch);
  set_image_size(e, side(r, "image_size", usual.image));
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

/// Rotary positions, gated feed-forward, RMS norms, one of them before the first layer.
Encoder pixtral_tower(ObjectReader& r) {
  Encoder e = read_tower(r, kPixtral);
  e.learned_positions = false;
  e.mlp = Mlp::gated;
  e.norm = Norm::rms;
  e.biases = Biases::none;
  e.pre_norm = true;
  e.tokens_per_image = 0;
  return e;
}

/// The tower of a LLaVA-like model, by its own model_type.
Encoder tower_of(ObjectReader& config) {
  ObjectReader r = config.required_object("vision_config");
  const std::string family = r.text_or("model_type", "clip_vision_model");
  if (family.starts_with("siglip")) return siglip_tower(r, kSiglip);
  if (family == "pixtral") return pixtral_tower(r);
  if (family.starts_with("clip")) return clip_tower(r, kClip);
  r.value().fail("the vision tower \"" + family + "\" is not read",
                 "towers that are: clip_vision_model, siglip_vision_model, pixtral");
}

LanguageModel text_of(ObjectReader& config, std::string_view key, std::string_view usual_family) {
  ObjectReader r = config.required_object(key);
  const std::string family = r.text_or("model_type", usual_family);
  if (!is_text_family(family)) {
    r.value().fail("the decoder family \"" + family + "\" is not read",
                   "families that are: " + text_family_names());
  }
  return read_hugging_face_text(r, family);
}

/// The authors' own files have the decoder's keys at the top and name the tower only.
Encoder authors_tower(ObjectReader& config) {
  const std::string tower = config.text_or("mm_vision_tower", "clip-vit-large-patch14-336");
  if (tower.find("clip-vit-large-patch14-336") != std::string::npos) {
    ObjectReader nothing = parse_strict_json("{}", tower).object();
    return clip_tower(nothing, kClipOfLlava);
  }
  config.value().fail("the vision tower \"" + tower.substr(0, 60) + "\" is not read",
                      "write a model file with \"vision\": encoder, connector");
}

void read_llava(ObjectReader& config, std::string_view family, Model& model) {
  const bool flat = !config.has("text_config") && config.has("hidden_size");
  model.language = flat ? read_hugging_face_text(config, "llama")
                        : text_of(config, "text_config",
                                  family == "llava_onevision" ? "qwen2" : "llama");
  VisionModel vision;
  vision.encoder = flat ? authors_tower(config) : tower_of(config);
  vision.connector.kind = ConnectorKind::mlp;
  vision.connector.biases = config.boolean_or("multimodal_projector_bias", true);
  const bool tiles = family != "llava" || (config.has("mm_patch_merge_type") &&
                                           config.required_text("mm_patch_merge_type")
                                               .starts_with("spatial"));
  if (tiles) vision.connector.extra_params = model.language.hidden;  // the newline between rows
  model.token_family = tiles ? "llava-next" : "llava-1.5";
  model.vision = vision;
}

/// Windows of 112 pixels in all but the named layers (Qwen2.5-VL).
void set_qwen_windows(ObjectReader& r, Encoder& e) {
  const double side_tokens = r.whole_or("window_size", 112, 1, 1e5) / e.patch;
  e.window_tokens = std::floor(side_tokens) * std::floor(side_tokens);
  const std::vector<JsonValue> full = r.array_or_empty("fullatt_block_indexes");
  e.full_attention_layers = full.empty() ? 4 : static_cast<double>(full.size());
}

void read_qwen_vl(ObjectReader& config, bool second_and_half, Model& model) {
  ObjectReader text = config.has("text_config") ? config.required_object("text_config") : config;
  model.language = read_hugging_face_text(text, "qwen2_vl_text");
  ObjectReader& tying = text.has("tie_word_embeddings") ? text : config;
  model.language.tied_embeddings = tying.boolean_or("tie_word_embeddings", false);
  ObjectReader r = config.required_object("vision_config");
  VisionModel vision;
  Encoder& e = vision.encoder;
  e.layers = r.whole_or("depth", 32, 1, kMostLayers);
  e.hidden = second_and_half ? r.whole_or("hidden_size", 3584, 1, kWidest)
                             : r.whole_or("embed_dim", 1280, 1, kWidest);
  e.heads = r.whole_or("num_heads", 16, 1, kWidest);
  e.ffn = second_and_half ? r.whole_or("intermediate_size", 3420, 1, kWidest)
                          : std::round(r.number_or("mlp_ratio", 4, 0.1, 100) * e.hidden);
  e.patch = r.has("patch_size") ? side(r, "patch_size", 14)
                                : r.whole_or("spatial_patch_size", 14, 1, 4096);
  e.temporal_patch = r.whole_or("temporal_patch_size", 2, 1, 64);
  e.learned_positions = false;
  if (second_and_half) {
    e.mlp = Mlp::gated;
    e.norm = Norm::rms;
    set_qwen_windows(r, e);
  }
  const double merge = r.whole_or("spatial_merge_size", 2, 1, 64);
  Connector& c = vision.connector;
  c.kind = ConnectorKind::pixel_shuffle;
  c.merge = merge * merge;
  c.hidden = e.hidden * c.merge;
  c.norm = true;
  c.norm_type = e.norm;
  c.norm_width = e.hidden;
  model.token_family = second_and_half ? "qwen2.5-vl" : "qwen2-vl";
  model.vision = vision;
}

void read_internvl(ObjectReader& config, bool native, Model& model) {
  model.language = text_of(config, native ? "text_config" : "llm_config",
                           native ? "qwen2" : "llama");
  ObjectReader r = config.required_object("vision_config");
  VisionModel vision;
  vision.encoder = read_tower(r, native ? kInternVlNative : kInternVl);
  Encoder& e = vision.encoder;
  e.class_token = true;
  e.patch_bias = true;
  e.layer_scale = true;
  e.qk_norm = r.boolean_or(native ? "use_qk_norm" : "qk_normalization", !native);
  if (!r.boolean_or(native ? "attention_bias" : "qkv_bias", false)) e.missing_biases = 3;
  const std::string norm = r.text_or("norm_type", native ? "layer_norm" : "rms_norm");
  e.norm = norm == "rms_norm" ? Norm::rms : Norm::layer;
  set_image_size(e, e.image);
  const double ratio = config.number_or("downsample_ratio", 0.5, 0.01, 1);
  vision.connector.kind = ConnectorKind::pixel_shuffle;
  vision.connector.merge = std::round(1 / (ratio * ratio));
  vision.connector.norm = true;
  model.token_family = "internvl";
  model.vision = vision;
}

void read_idefics2(ObjectReader& config, Model& model) {
  model.language = text_of(config, "text_config", "mistral");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = siglip_tower(tower, kIdefics2);
  ObjectReader r = config.object_or_empty("perceiver_config");
  Connector& c = vision.connector;
  c.kind = ConnectorKind::perceiver;
  c.width = r.whole_or("hidden_size", 4096, 1, kWidest);
  c.latents = r.whole_or("resampler_n_latents", 64, 1, 1e6);
  c.depth = r.whole_or("resampler_depth", 3, 1, kMostLayers);
  c.heads = r.whole_or("resampler_n_heads", 16, 1, kWidest);
  c.head_dim = r.whole_or("resampler_head_dim", 96, 1, kWidest);
  c.kv_heads = r.whole_or("num_key_value_heads", 4, 1, kWidest);
  c.gated_ffn = model.language.ffn;
  model.token_family = "idefics2";
  model.vision = vision;
}

void read_idefics3(ObjectReader& config, bool smolvlm, Model& model) {
  model.language = text_of(config, "text_config", "llama");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = siglip_tower(tower, kIdefics3);
  const double scale = config.whole_or("scale_factor", 2, 1, 64);
  vision.connector.kind = ConnectorKind::linear;
  vision.connector.merge = scale * scale;
  vision.connector.biases = false;
  model.token_family = smolvlm || scale > 2 ? "smolvlm" : "idefics3";
  model.vision = vision;
}

void read_paligemma(ObjectReader& config, Model& model) {
  model.language = text_of(config, "text_config", "gemma");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = siglip_tower(tower, kSiglip);
  vision.connector.kind = ConnectorKind::linear;
  model.token_family = "paligemma";
  model.vision = vision;
}

/// Patches are pooled to mm_tokens_per_image, then a norm and one matrix without bias.
void read_gemma3(ObjectReader& config, Model& model) {
  model.language = text_of(config, "text_config", "gemma3_text");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = siglip_tower(tower, kSiglip);
  vision.connector.kind = ConnectorKind::linear;
  vision.connector.biases = false;
  vision.connector.norm = true;
  vision.connector.norm_type = Norm::rms;
  vision.tokens_per_image = config.whole_or("mm_tokens_per_image", 256, 1, 1e6);
  model.token_family = "gemma3";
  model.vision = vision;
}

/// Local and gated global layers, tables of tile positions for every aspect ratio; the features of
/// the last and of five inner layers go to the projector.
Encoder mllama_tower(ObjectReader& r, double& output_width) {
  Encoder e = read_tower(r, kMllama);
  const double tiles = r.whole_or("max_num_tiles", 4, 1, 64);
  const std::vector<JsonValue> ratios = r.array_or_empty("supported_aspect_ratios");
  const double ids = 1 + (ratios.empty() ? 8 : static_cast<double>(ratios.size()));
  const double global_layers = r.whole_or("num_global_layers", 8, 0, kMostLayers);
  const std::vector<JsonValue> inner = r.array_or_empty("intermediate_layers_indices");
  e.class_token = true;
  e.pre_norm = true;
  e.post_norm = true;
  e.missing_biases = 4;
  e.layers += global_layers;
  set_image_size(e, e.image);
  const double positions = e.tokens_per_image;
  const double table = ids * tiles * e.hidden;
  e.extra_params = table * positions + 1 + 2 * (table + 1) + 2 * global_layers;
  e.tokens_per_image = tiles * std::ceil(positions / 8) * 8;  // padded, all tiles always
  const double features = 1 + (inner.empty() ? 5 : static_cast<double>(inner.size()));
  output_width = r.whole_or("vision_output_dim", e.hidden * features, 1, kWidest);
  return e;
}

void read_mllama(ObjectReader& config, Model& model) {
  ObjectReader text = config.required_object("text_config");
  LanguageModel& m = model.language;
  m = read_hugging_face_text(text, "mllama_text_model");
  m.extra_embedding_rows = 8;  // modeling_mllama.py: embedding of vocab_size + 8
  std::vector<double> inserted;
  for (const JsonValue& layer : text.array_or_empty("cross_attention_layers")) {
    inserted.push_back(layer.whole(0, kMostLayers));
  }
  if (inserted.empty()) inserted = {3, 8, 13, 18, 23, 28, 33, 38};
  CrossAttention cross;
  cross.layers = static_cast<double>(inserted.size());
  cross.ffn = m.ffn;
  cross.own_layers_before = *std::min_element(inserted.begin(), inserted.end());
  if (cross.layers >= m.layers) text.value().fail("every layer is a cross-attention layer");
  m.layers -= cross.layers;
  m.cross_attention = cross;
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = mllama_tower(tower, vision.connector.input_width);
  vision.connector.kind = ConnectorKind::cross_attention;
  model.token_family = "mllama";
  model.vision = vision;
}

constexpr std::array<std::string_view, 14> kFamilies{
    "llava",    "llava_next", "llava_onevision", "qwen2_vl",  "qwen2_5_vl", "internvl_chat",
    "internvl", "idefics2",   "idefics3",        "smolvlm",   "paligemma",  "gemma3",
    "mllama",   "llava_llama"};

}  // namespace

bool is_vision_language_family(std::string_view family) {
  return std::find(kFamilies.begin(), kFamilies.end(), family) != kFamilies.end();
}

std::string vision_language_family_names() {
  std::string names;
  for (const std::string_view name : kFamilies) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

void read_hugging_face_vision_language(ObjectReader& config, std::string_view family,
                                       Model& model) {
  if (family == "llava_llama") family = "llava";
  if (family.starts_with("llava")) read_llava(config, family, model);
  if (family == "qwen2_vl" || family == "qwen2_5_vl") {
    read_qwen_vl(config, family == "qwen2_5_vl", model);
  }
  if (family.starts_with("internvl")) read_internvl(config, family == "internvl", model);
  if (family == "idefics2") read_idefics2(config, model);
  if (family == "idefics3" || family == "smolvlm") {
    read_idefics3(config, family == "smolvlm", model);
  }
  if (family == "paligemma") read_paligemma(config, model);
  if (family == "gemma3") read_gemma3(config, model);
  if (family == "mllama") read_mllama(config, model);
  set_usual_tokens(*model.vision, model.token_family);
  Encoder& e = model.vision->encoder;
  e.name = "vision tower of " + model.name;
  e.title = e.name;
  e.token_family = model.token_family;
  if (std::fmod(e.hidden, e.heads) != 0) {
    config.value().fail("the vision tower's heads do not divide its width");
  }
}

}  // namespace trcost
