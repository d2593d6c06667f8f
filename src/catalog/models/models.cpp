// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/models.h"

#include <fmt/format.h>

#include <cmath>

#include "catalog/data/sourced_values.h"
#include "catalog/models/pattern_reader.h"
#include "catalog/models/usual_connector.h"
#include "catalog/models/weight_formats.h"
#include "trcost/error.h"

namespace trcost::catalog {
namespace {

MixtureOfExperts read_moe(ObjectReader r) {
  MixtureOfExperts moe;
  moe.experts = r.required_whole("experts", 1, 1e6);
  moe.experts_per_token = r.required_whole("experts_per_token", 1, 1e6);
  moe.expert_ffn = r.required_whole("expert_ffn", 1, kWidest);
  moe.shared_ffn = r.whole_or("shared_ffn", 0, 0, kWidest);
  moe.dense_layers = r.whole_or("dense_layers", 0, 0, kMostLayers);
  moe.expert_groups = r.whole_or("expert_groups", 0, 0, 1e6);
  moe.groups_per_token = r.whole_or("groups_per_token", moe.expert_groups, 0, moe.expert_groups);
  moe.router_bias = r.boolean_or("router_bias", false);
  moe.expert_bias = r.boolean_or("expert_bias", false);
  moe.shared_gate = r.boolean_or("shared_gate", false);
  moe.latent = r.whole_or("latent", 0, 0, kWidest);
  r.finish();
  return moe;
}

LatentAttention read_latent_attention(ObjectReader r) {
  LatentAttention mla;
  mla.q_lora_rank = r.whole_or("q_lora_rank", 0, 0, kWidest);
  mla.kv_lora_rank = r.required_whole("kv_lora_rank", 1, kWidest);
  mla.qk_nope_head_dim = r.required_whole("qk_nope_head_dim", 0, kWidest);
  mla.qk_rope_head_dim = r.required_whole("qk_rope_head_dim", 0, kWidest);
  mla.v_head_dim = r.required_whole("v_head_dim", 1, kWidest);
  r.finish();
  return mla;
}

CrossAttention read_cross_attention(ObjectReader r, double ffn) {
  CrossAttention cross;
  cross.layers = r.required_whole("layers", 1, kMostLayers);
  cross.ffn = r.whole_or("ffn", ffn, 0, kWidest);
  cross.key_width = r.whole_or("key_width", 0, 0, kWidest);
  cross.own_layers_before = r.whole_or("own_layers_before", 0, 0, kMostLayers);
  r.finish();
  return cross;
}

/// null, a number of tokens, or a list of { "share", "window" } over the layers.
void read_windows(ObjectReader& r, LanguageModel& m) {
  const std::optional<JsonValue> value = r.optional_value("attention_window");
  if (!value) return;
  if (value->is_number()) {
    m.windows[0] = {1, value->whole(1, 1e9)};
    return;
  }
  if (!value->is_array()) value->fail("an attention window is null, a number of tokens or a list");
  const std::vector<JsonValue> entries = value->array();
  if (entries.empty() || entries.size() > m.windows.size()) {
    value->fail(fmt::format("a list of windows has 1 to {} entries", m.windows.size()));
  }
  m.window_count = 0;
  for (const JsonValue& entry : entries) {
    ObjectReader window = entry.object();
    AttentionWindow& slot = m.windows[static_cast<std::size_t>(m.window_count++)];
    slot.share = window.required_number("share", 0, 1);
    slot.window = window.whole_or("window", 0, 1, 1e9);
    window.finish();
  }
}

void read_variants(ObjectReader& r, LanguageModel& m) {
  m.mlp = r.choice_or("mlp", Mlp::gated, kMlps);
  m.norm = r.choice_or("norm", Norm::rms, kNorms);
  m.biases = r.choice_or("biases", Biases::none, kBiases);
  m.tied_embeddings = r.boolean_or("tied_embeddings", false);
  m.learned_positions = r.whole_or("learned_positions", 0, 0, kWidest);
  if (r.has("context")) m.context = r.required_whole("context", 1, 1e9);
  m.extra_embedding_rows = r.whole_or("extra_embedding_rows", 0, 0, kWidest);
  m.output_head = r.boolean_or("output_head", true);
  m.bidirectional = r.boolean_or("bidirectional", false);
  m.norms_per_layer = r.whole_or("norms_per_layer", 2, 0, 8);
  m.norm_bias = r.boolean_or("norm_bias", true);
  m.output_bias = r.boolean_or("output_bias", false);
  m.qk_norm = r.boolean_or("qk_norm", false);
  m.wide_qk_norm = r.boolean_or("wide_qk_norm", false);
  m.head_bias = r.boolean_or("head_bias", false);
  m.attention_sinks = r.boolean_or("attention_sinks", false);
  m.output_gate = r.boolean_or("output_gate", false);
  m.mtp_layers = r.whole_or("mtp_layers", 0, 0, 64);
}

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
  width("merged_width", c.merged_width);
  c.extra_params = r.whole_or("extra_params", c.extra_params, 0, 1e15);
  r.finish();
  return c;
}

/// True for families whose images always become the same number of tokens, and for encoders without
/// a rule.
bool fixed_tokens(std::string_view family) {
  return family.empty() || family == "llava-1.5" || family == "paligemma" || family == "gemma3" ||
         family == "gemma3n" || family == "whisper";
}

}  // namespace

LanguageModel read_language(ObjectReader r) {
  LanguageModel m;
  m.layers = r.required_whole("layers", 1, kMostLayers);
  m.hidden = r.required_whole("hidden", 1, kWidest);
  m.heads = r.required_whole("heads", 1, kWidest);
  m.kv_heads = r.whole_or("kv_heads", m.heads, 1, kWidest);
  if (!r.has("head_dim") && std::fmod(m.hidden, m.heads) != 0) {
    r.value().fail("hidden is not a multiple of heads", "set head_dim");
  }
  m.head_dim = r.whole_or("head_dim", m.hidden / m.heads, 1, kWidest);
  m.vocab = r.required_whole("vocab", 1, 1e9);
  if (std::optional<ObjectReader> moe = r.optional_object("moe")) m.moe = read_moe(*moe);
  read_pattern(r, m);
  m.ffn = has_dense_layers(m) ? r.required_whole("ffn", 1, kWidest)
                              : r.whole_or("ffn", m.moe ? m.moe->expert_ffn : 0, 0, kWidest);
  if (std::optional<ObjectReader> mla = r.optional_object("mla")) {
    m.mla = read_latent_attention(*mla);
  }
  if (std::optional<ObjectReader> cross = r.optional_object("cross_attention")) {
    m.cross_attention = read_cross_attention(*cross, m.ffn);
  }
  read_windows(r, m);
  read_variants(r, m);
  r.finish();
  check_language(m, r.value());
  return m;
}

void check_language(const LanguageModel& m, const JsonValue& where) {
  if (std::fmod(m.heads, m.kv_heads) != 0) where.fail("kv_heads has to divide heads");
  if (m.moe && m.moe->experts_per_token > m.moe->experts) {
    where.fail("experts_per_token exceeds experts");
  }
  if (m.moe && m.moe->dense_layers > m.layers) where.fail("dense_layers exceeds layers");
  check_pattern(m, where);
  if (m.cross_attention && m.cross_attention->own_layers_before > m.layers) {
    where.fail("own_layers_before exceeds layers");
  }
  double share = 0;
  for (int i = 0; i < m.window_count; ++i) share += m.windows[static_cast<std::size_t>(i)].share;
  if (std::abs(share - 1) > 1e-6) {
    where.fail(fmt::format("the shares of attention_window sum to {:.6g}, not to 1", share));
  }
}

void set_image_size(Encoder& e, double pixels) {
  e.image = pixels;
  if (pixels <= 0 || e.patch <= 0) return;
  const double side = std::floor(pixels / e.patch);
  e.tokens_per_image = side * side + (e.class_token ? 1 : 0);
}

Encoder read_encoder(ObjectReader r) {
  Encoder e;
  e.layers = r.required_whole("layers", 1, kMostLayers);
  e.hidden = r.required_whole("hidden", 1, kWidest);
  e.heads = r.required_whole("heads", 1, kWidest);
  e.ffn = r.required_whole("ffn", 1, kWidest);
  e.mlp = r.choice_or("mlp", Mlp::plain, kMlps);
  e.norm = r.choice_or("norm", Norm::layer, kNorms);
  e.biases = r.choice_or("biases", Biases::all, kBiases);
  e.missing_biases = r.whole_or("missing_biases", 0, 0, 4);
  e.patch = r.whole_or("patch_pixels", 0, 0, 4096);
  e.longest = r.whole_or("longest_pixels", 0, 0, 1e5);
  e.channels = r.whole_or("channels", 3, 1, 4096);
  e.temporal_patch = r.whole_or("temporal_patch", 1, 1, 64);
  e.patch_bias = r.boolean_or("patch_bias", false);
  e.class_token = r.boolean_or("class_token", false);
  e.learned_positions = r.boolean_or("learned_positions", true);
  e.pre_norm = r.boolean_or("pre_norm", false);
  e.post_norm = r.boolean_or("post_norm", false);
  e.layer_scale = r.boolean_or("layer_scale", false);
  e.qk_norm = r.boolean_or("qk_norm", false);
  e.fused_attention = r.boolean_or("fused_attention", false);
  e.window_tokens = r.whole_or("window_tokens", 0, 0, 1e6);
  e.full_attention_layers = r.whole_or("full_attention_layers", 0, 0, e.layers);
  e.extra_params = r.whole_or("extra_params", 0, 0, 1e15);
  e.head_params = r.whole_or("head_params", 0, 0, 1e15);
  set_image_size(e, r.whole_or("image_pixels", 0, 0, 1e5));
  e.tokens_per_image = r.whole_or("tokens_per_image", e.tokens_per_image, 0, 1e9);
  r.finish();
  if (std::fmod(e.hidden, e.heads) != 0) r.value().fail("heads has to divide hidden");
  return e;
}

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
                        const EncoderLookup& find_encoder) {
  VisionModel vision;
  const JsonValue encoder = r.required_value("encoder");
  if (encoder.is_text()) {
    vision.encoder = find_encoder(encoder.text());
  } else {
    vision.encoder = read_encoder(encoder.object());
    vision.encoder.name = "its own";
  }
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

void read_schema_version(ObjectReader& r) {
  const std::string version = r.text_or("schema_version", "1.0");
  if (!version.starts_with("1.")) {
    r.value().fail(fmt::format("schema_version \"{}\" is not known", version.substr(0, 20)),
                   "this program reads 1.x");
  }
}

PublishedParameters read_published_parameters(ObjectReader& r) {
  const std::optional<JsonValue> value = r.optional_value("published_params");
  if (!value) return {};
  if (value->is_number()) return {value->number(1, 1e16), 0};
  ObjectReader object = value->object();
  PublishedParameters published;
  published.value = object.required_number("value", 1, 1e16);
  published.within = object.number_or("within", 0, 0, 1);
  object.text_or("source", {});
  object.finish();
  return published;
}

Model parse_model(const JsonValue& document, const EncoderLookup& find_encoder) {
  const std::string& origin = document.origin();
  ObjectReader r = document.object();
  Model model;
  read_schema_version(r);
  model.name = r.required_text("name");
  model.title = r.text_or("title", model.name);
  model.source = r.text_or("source", origin);
  r.texts_or_empty("aliases");
  read_date(r, "retrieved");
  r.text_or("note", {});
  model.released_format = r.text_or("released_format", {});
  if (!model.released_format.empty() && !parse_weight_format(model.released_format)) {
    throw Error(ErrorKind::data,
                "\"" + model.released_format + "\" is no format that weights are served in",
                fmt::format("one of {}", fmt::join(words_in(kServedFormats, kWeightFormats), ", ")),
                origin + "#/released_format");
  }
  read_published_parameters(r);
  if (std::optional<ObjectReader> tokens = r.optional_object("training_tokens")) {
    model.training_tokens = {tokens->required_number("value", 1, 1e20),
                             tokens->required_text("source"),
                             tokens->optional_number("sequence", 1, 1e9).value_or(0)};
    tokens->finish();
  }
  if (std::optional<ObjectReader> notes = r.optional_object("alias_notes")) {
    for (const std::string& alias : notes->keys()) {
      model.alias_notes.push_back({alias, notes->required_text(alias)});
    }
  }
  model.language = read_language(r.required_object("language"));
  model.token_family = r.text_or("token_family", {});
  if (std::optional<ObjectReader> vision = r.optional_object("vision")) {
    model.vision = read_vision(*vision, model.language, model.token_family, find_encoder);
    if (model.token_family.empty()) model.token_family = model.vision->encoder.token_family;
  }
  r.finish();
  return model;
}

Encoder parse_encoder(const JsonValue& document) {
  ObjectReader r = document.object();
  read_schema_version(r);
  const std::string name = r.required_text("name");
  const std::string title = r.text_or("title", name);
  r.texts_or_empty("aliases");
  r.required_text("source");
  read_date(r, "retrieved");
  r.text_or("note", {});
  read_published_parameters(r);
  const std::string family = r.text_or("token_family", {});
  const ConnectorKind connector = r.choice_or("connector", ConnectorKind::mlp, kConnectors);
  Encoder encoder = read_encoder(r.required_object("encoder"));
  r.finish();
  encoder.name = name;
  encoder.title = title;
  encoder.token_family = family;
  encoder.connector = connector;
  return encoder;
}

}  // namespace trcost::catalog
