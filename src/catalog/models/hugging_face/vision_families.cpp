// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/vision_families.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/models/hugging_face/image_families.h"
#include "catalog/models/hugging_face/native_families.h"
#include "catalog/models/hugging_face/text_families.h"
#include "catalog/models/hugging_face/towers.h"
#include "catalog/models/models.h"

// Vision-language families of transformers (src/transformers/models/*/configuration_*.py and
// modeling_*.py) and of OpenGVLab/InternVL.
namespace trcost::catalog {

namespace {

/// The tower of a LLaVA-like model, by its own model_type.
Encoder read_llava_tower(ObjectReader& config) {
  ObjectReader r = config.required_object("vision_config");
  const std::string family = r.text_or("model_type", "clip_vision_model");
  if (family.starts_with("siglip")) return siglip_tower(r, kSiglip);
  if (family == "pixtral") return pixtral_tower(r);
  if (family.starts_with("clip")) return clip_tower(r, kClip);
  r.value().fail("the vision tower \"" + family + "\" is not read",
                 "towers that are: clip_vision_model, siglip_vision_model, pixtral");
}

/// The authors' own files have the decoder's keys at the top and name the tower only.
Encoder read_authors_tower(ObjectReader& config) {
  const std::string tower = config.text_or("mm_vision_tower", "clip-vit-large-patch14-336");
  if (tower.find("clip-vit-large-patch14-336") != std::string::npos) {
    ObjectReader nothing = parse_strict_json("{}", tower).object();
    return clip_tower(nothing, kClipOfLlava);
  }
  config.value().fail("the vision tower \"" + tower.substr(0, 60) + "\" is not read",
                      "write a model file with \"vision\": encoder, connector");
}

/// VILA keeps decoder, tower and projector in objects of its own. Its projector merges 2 x 2
/// patches before a norm and two matrices (llava/model/multimodal_projector/base_projector.py of
/// NVlabs/VILA, DownSampleBlock).
void read_vila(ObjectReader& config, Model& model) {
  model.language = nested_text(config, "llm_cfg", "llama");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_tower_cfg");
  const std::string kind = tower.text_or("model_type", "siglip_vision_model");
  if (!kind.starts_with("siglip") && !kind.starts_with("clip")) {
    tower.value().fail("the vision tower \"" + kind.substr(0, 60) + "\" is not read");
  }
  vision.encoder =
      kind.starts_with("siglip") ? siglip_tower(tower, kSiglip) : clip_tower(tower, kClip);
  ObjectReader projector = config.object_or_empty("mm_projector_cfg");
  Connector& c = vision.connector;
  const bool merges = projector.text_or("mm_projector_type", "mlp2x_gelu") == "mlp_downsample";
  c.kind = merges ? ConnectorKind::pixel_shuffle : ConnectorKind::mlp;
  c.merge = merges ? 4 : 1;
  c.norm = merges;
  model.token_family = "llava-1.5";
  model.vision = vision;
}

void read_llava(ObjectReader& config, std::string_view family, Model& model) {
  if (config.has("llm_cfg")) return read_vila(config, model);
  const bool flat = !config.has("text_config") && config.has("hidden_size");
  model.language =
      flat ? read_text_family(config, "llama")
           : nested_text(config, "text_config", family == "llava_onevision" ? "qwen2" : "llama");
  VisionModel vision;
  vision.encoder = flat ? read_authors_tower(config) : read_llava_tower(config);
  vision.connector.kind = ConnectorKind::mlp;
  vision.connector.biases = config.boolean_or("multimodal_projector_bias", true);
  const bool tiles =
      family != "llava" || (config.has("mm_patch_merge_type") &&
                            config.required_text("mm_patch_merge_type").starts_with("spatial"));
  if (tiles) vision.connector.extra_params = model.language.hidden;  // the newline between rows
  const bool native = vision.encoder.image <= 0;                     // Pixtral
  model.token_family = family == "llava_onevision" ? "llava-onevision"
                       : tiles                     ? "llava-next"
                       : native                    ? "pixtral"
                                                   : "llava-1.5";
  model.vision = vision;
}

void read_internvl(ObjectReader& config, bool native, Model& model) {
  model.language =
      nested_text(config, native ? "text_config" : "llm_config", native ? "qwen2" : "llama");
  ObjectReader r = config.required_object("vision_config");
  VisionModel vision;
  vision.encoder = read_tower(r, native ? kInternVlNative : kInternVl);
  Encoder& e = vision.encoder;
  e.fused_attention = true;  // modeling_intern_vit.py
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
  model.language = nested_text(config, "text_config", "mistral");
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
  model.language = nested_text(config, "text_config", "llama");
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
  model.language = nested_text(config, "text_config", "gemma");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = siglip_tower(tower, kSiglip);
  vision.connector.kind = ConnectorKind::linear;
  model.token_family = "paligemma";
  model.vision = vision;
}

/// Patches are pooled to mm_tokens_per_image, then a norm and one matrix without bias.
void read_gemma3(ObjectReader& config, Model& model) {
  model.language = nested_text(config, "text_config", "gemma3_text");
  VisionModel vision;
  ObjectReader tower = config.required_object("vision_config");
  vision.encoder = siglip_tower(tower, kSiglip);
  vision.encoder.fused_attention = true;  // transformers had SDPA for it before the model
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
Encoder mllama_tower(ObjectReader& r, std::optional<double>& output_width) {
  Encoder e = read_tower(r, kMllama);
  e.fused_attention = true;
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
  m = read_text_family(text, "mllama_text_model");
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

/// A class token that goes before the pixel shuffle, an adapter of two matrices, and the projector.
void read_llama4(ObjectReader& config, Model& model) {
  model.language = nested_text(config, "text_config", "llama4_text");
  VisionModel vision;
  ObjectReader r = config.required_object("vision_config");
  vision.encoder = clip_tower(r, kLlama4);
  vision.encoder.fused_attention = true;
  const double ratio = r.number_or("pixel_shuffle_ratio", 0.5, 0.01, 1);
  const double adapter = r.whole_or("projector_output_dim", 4096, 1, kWidest);
  Connector& c = vision.connector;
  c.kind = ConnectorKind::pixel_shuffle;
  c.merge = std::round(1 / (ratio * ratio));
  c.biases = false;
  c.hidden = r.whole_or("projector_input_dim", 4096, 1, kWidest);
  c.extra_params = *c.hidden * adapter;
  model.token_family = "llama4";
  model.vision = vision;
}

void read_llava_family(ObjectReader& config, Model& model) {
  const std::string family = config.required_text("model_type");
  read_llava(config, family == "llava_llama" ? "llava" : family, model);
}

void read_internvl_family(ObjectReader& config, Model& model) {
  read_internvl(config, config.required_text("model_type") == "internvl", model);
}

void read_idefics3_family(ObjectReader& config, Model& model) {
  read_idefics3(config, config.required_text("model_type") == "smolvlm", model);
}

struct VisionFamily {
  std::string_view name;
  void (*read)(ObjectReader& config, Model& model);
};

constexpr std::array kFamilies{
    VisionFamily{"llava", read_llava_family},
    VisionFamily{"llava_next", read_llava_family},
    VisionFamily{"llava_onevision", read_llava_family},
    VisionFamily{"llava_llama", read_llava_family},
    VisionFamily{"qwen2_vl", read_qwen_vl},
    VisionFamily{"qwen2_5_vl", read_qwen_vl},
    VisionFamily{"qwen3_vl", read_qwen_vl},
    VisionFamily{"qwen3_vl_moe", read_qwen_vl},
    VisionFamily{"qwen3_5", read_qwen_vl},
    VisionFamily{"qwen3_5_moe", read_qwen_vl},
    VisionFamily{"internvl_chat", read_internvl_family},
    VisionFamily{"internvl", read_internvl_family},
    VisionFamily{"mistral3", read_mistral3},
    VisionFamily{"ministral3", read_mistral3},
    VisionFamily{"kimi_vl", read_kimi_vl},
    VisionFamily{"llama4", read_llama4},
    VisionFamily{"idefics2", read_idefics2},
    VisionFamily{"idefics3", read_idefics3_family},
    VisionFamily{"smolvlm", read_idefics3_family},
    VisionFamily{"paligemma", read_paligemma},
    VisionFamily{"gemma3", read_gemma3},
    VisionFamily{"mllama", read_mllama},
    VisionFamily{"clip", read_clip},
    VisionFamily{"siglip", read_siglip},
};

}  // namespace

bool is_vision_family(std::string_view family) {
  return std::ranges::find(kFamilies, family, &VisionFamily::name) != kFamilies.end();
}

std::string vision_family_names() {
  std::string names;
  for (const VisionFamily& family : kFamilies) {
    names += (names.empty() ? "" : ", ") + std::string(family.name);
  }
  return names;
}

void read_vision_family(ObjectReader& config, std::string_view family, Model& model) {
  std::ranges::find(kFamilies, family, &VisionFamily::name)->read(config, model);
  set_usual_tokens(*model.vision, model.token_family);
  Encoder& e = model.vision->encoder;
  e.name = "vision tower of " + model.name;
  e.title = e.name;
  e.token_family = model.token_family;
  e.connector = model.vision->connector.kind;
  if (std::fmod(e.hidden, e.heads) != 0) {
    config.value().fail("the vision tower's heads do not divide its width");
  }
}

}  // namespace trcost::catalog
