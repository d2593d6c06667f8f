// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/architecture_reader.h"
#include "catalog/models/usual_connector.h"
#include "catalog/software/choices.h"

namespace trcost::catalog {

namespace {

Connector read_connector(const JsonValue& value, const LanguageModel& language) {
  if (value.is_text()) {
    return usual_connector(value.choice(kConnectors), language);
  }
  ObjectReader r = value.object();
  Connector c = usual_connector(r.required_choice("kind", kConnectors), language);
  const auto width = [&](std::string_view key, std::optional<double>& of) {
    if (const auto given = r.optional_value(key)) of = given->whole(1, kWidest);
  };
  width("hidden", c.hidden);
  c.merge = r.whole_or("merge", c.merge, 1, 1e6);
  c.norm = r.boolean_or("norm", c.norm);
  c.norm_type = r.choice_or("norm_type", Norm::layer, kNorms);
  width("norm_width", c.norm_width);
  c.biases = r.boolean_or("biases", c.biases);
  c.latents = r.whole_or("latents", c.latents, 0, 1e6);
  c.depth = r.whole_or("depth", c.depth, 0, kMostLayers);
  c.heads = r.whole_or("heads", c.heads, 0, kWidest);
  c.kv_heads = r.whole_or("kv_heads", c.kv_heads, 0, kWidest);
  c.head_dim = r.whole_or("head_dim", c.head_dim, 0, kWidest);
  width("width", c.width);
  c.copies = r.whole_or("copies", c.copies, 1, 1e3);
  c.gated_ffn = r.whole_or("gated_ffn", c.gated_ffn, 0, kWidest);
  width("input_width", c.input_width);
  c.extra_params = r.whole_or("extra_params", c.extra_params, 0, 1e15);
  r.finish();
  return c;
}

/// An encoder of the catalog by name or path, or one that the file itself describes.
Encoder read_encoder_of_model(const JsonValue& value, const Catalog& catalog) {
  if (value.is_text()) return catalog.encoder(value.text());
  Encoder encoder = read_encoder(value.object());
  encoder.name = "its own";
  return encoder;
}

/// Families whose images always become the same number of tokens, as those of an encoder without a
/// rule of its own do; the others go by their rule.
bool fixed_tokens(std::string_view family) {
  return family.empty() || family == "llava-1.5" || family == "paligemma" || family == "gemma3" ||
         family == "whisper";
}

}  // namespace

void set_usual_tokens(VisionModel& vision, std::string_view family) {
  if (!fixed_tokens(family)) return;
  if (!vision.encoder_tokens_per_image) {
    vision.encoder_tokens_per_image = usual_encoder_tokens(vision.encoder);
  }
  if (!vision.tokens_per_image) {
    vision.tokens_per_image = usual_vision_tokens(vision.encoder, vision.connector);
  }
}

VisionModel read_vision(ObjectReader r, LanguageModel& language, std::string_view family,
                        const Catalog& catalog) {
  VisionModel vision;
  vision.encoder = read_encoder_of_model(r.required_value("encoder"), catalog);
  if (r.has("image_pixels")) {
    set_image_size(vision.encoder, r.required_whole("image_pixels", 1, 1e5));
  }
  vision.encoder.fused_attention = r.boolean_or("fused_attention", vision.encoder.fused_attention);
  const std::optional<JsonValue> connector = r.optional_value("connector");
  vision.connector = connector ? read_connector(*connector, language)
                               : usual_connector(ConnectorKind::mlp, language);
  const std::string mismatch = connector_mismatch(vision.encoder, vision.connector);
  if (!mismatch.empty()) {
    (connector ? *connector : r.value()).fail(mismatch, "change the encoder or the connector");
  }
  if (vision.connector.kind == ConnectorKind::cross_attention && !language.cross_attention) {
    language.cross_attention = usual_cross_attention(language);
  }
  const auto tokens = [&](std::string_view key) {
    const std::optional<JsonValue> value = r.optional_value(key);
    return value ? std::optional(value->whole(1, 1e9)) : std::nullopt;
  };
  vision.encoder_tokens_per_image = tokens("encoder_tokens_per_image");
  vision.tokens_per_image = tokens("tokens_per_image");
  r.finish();
  set_usual_tokens(vision, family.empty() ? vision.encoder.token_family : family);
  return vision;
}

}  // namespace trcost::catalog
