// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/decoder_families.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/models/hugging_face/layers.h"
#include "catalog/models/hugging_face/text_families.h"
#include "catalog/models/models.h"

namespace trcost::catalog {
namespace {

constexpr SizeKeys kUsualKeys{"num_hidden_layers",
                              "hidden_size",
                              "num_attention_heads",
                              "num_key_value_heads",
                              "intermediate_size",
                              "vocab_size",
                              "head_dim",
                              "max_position_embeddings"};
constexpr SizeKeys kGpt{"n_layer", "n_embd",     "n_head", "n_head_kv",
                        "n_inner", "vocab_size", "",       "n_positions"};
constexpr SizeKeys kChatGlm{
    "num_layers",      "hidden_size",       "num_attention_heads", "multi_query_group_num",
    "ffn_hidden_size", "padded_vocab_size", "kv_channels",         ""};
constexpr SizeKeys kGptNeo{
    "num_layers",        "hidden_size", "num_heads", "",
    "intermediate_size", "vocab_size",  "",          "max_position_embeddings"};
constexpr SizeKeys kBloom{"n_layer", "hidden_size", "n_head", "", "n_inner", "vocab_size", "", ""};
constexpr SizeKeys kOpt{
    "num_hidden_layers",      "hidden_size", "num_attention_heads", "", "ffn_dim", "vocab_size", "",
    "max_position_embeddings"};
constexpr SizeKeys kExaone{"num_layers",
                           "hidden_size",
                           "num_attention_heads",
                           "num_key_value_heads",
                           "intermediate_size",
                           "vocab_size",
                           "head_dim",
                           ""};
constexpr SizeKeys kQwen{"num_hidden_layers", "hidden_size", "num_attention_heads", "",
                         "intermediate_size", "vocab_size",  "kv_channels",         ""};
constexpr SizeKeys kDistil{"n_layers",   "dim",        "n_heads", "",
                           "hidden_dim", "vocab_size", "",        "max_position_embeddings"};
constexpr SizeKeys kMiniMaxM3{"num_hidden_layers",
                              "hidden_size",
                              "num_attention_heads",
                              "num_key_value_heads",
                              "dense_intermediate_size",
                              "vocab_size",
                              "head_dim",
                              ""};
constexpr SizeKeys kNomic{"n_layer", "n_embd", "n_head", "", "n_inner", "vocab_size", "", ""};

constexpr auto kGated = Mlp::gated, kPlainMlp = Mlp::plain;
constexpr auto kRms = Norm::rms, kLayer = Norm::layer;
constexpr auto kNo = Biases::none, kQkv = Biases::qkv, kAll = Biases::all;
constexpr auto kNoQk = QkNorms::none, kHeadQk = QkNorms::head, kWideQk = QkNorms::wide,
               kAskedQk = QkNorms::asked;
using Family = DecoderFamily;

// What the layers hold: src/transformers/models/*/modeling_*.py of transformers, and the modeling
// files that the repositories of the weights carry (phi-msft, chatglm, qwen, baichuan, internlm,
// orion, minicpm, mimo, deepseek, bailing_moe, afmoe, exaone, nomic_bert, step3p5).
constexpr std::array kDecoderFamilies{
    Family{"mimo", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"ministral", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"ministral3", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"minicpm", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, true, 0},
    Family{"minicpm3", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, true, 0},
    Family{"cohere", &kUsualKeys, kGated, kLayer, kNo, kAskedQk, 1, true, Family::plain_norm},
    Family{"cohere2", &kUsualKeys, kGated, kLayer, kNo, kNoQk, 1, true, Family::plain_norm},
    Family{"starcoder2", &kUsualKeys, kPlainMlp, kLayer, kAll, kNoQk, 2, true, 0},
    Family{"phi", &kUsualKeys, kPlainMlp, kLayer, kAll, kAskedQk, 1, false, Family::head_bias},
    Family{"phi-msft", &kGpt, kPlainMlp, kLayer, kAll, kNoQk, 1, false, Family::head_bias},
    Family{"mixformer-sequential", &kGpt, kPlainMlp, kLayer, kAll, kNoQk, 1, false,
           Family::head_bias},
    Family{"phimoe", &kUsualKeys, kGated, kLayer, kAll, kNoQk, 2, false, Family::head_bias},
    Family{"phi3_v", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"stablelm", &kUsualKeys, kGated, kLayer, kNo, kNoQk, 2, false, 0},
    Family{"chatglm", &kChatGlm, kGated, kRms, kQkv, kNoQk, 2, false, 0},
    Family{"baichuan", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, Family::full_heads},
    Family{"internlm", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, Family::full_heads},
    Family{"internlm3", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"orion", &kUsualKeys, kGated, kLayer, kNo, kNoQk, 2, false, Family::full_heads},
    Family{"qwen", &kQwen, kGated, kRms, kQkv, kNoQk, 2, false, Family::half_ffn},
    Family{"xverse", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, Family::full_heads},
    Family{"aquila", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, Family::full_heads},
    Family{"Yi", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"skywork", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, Family::full_heads},
    Family{"telechat", &kBloom, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"gptj", &kGpt, kPlainMlp, kLayer, kNo, kNoQk, 1, false, Family::head_bias},
    Family{"codegen", &kGpt, kPlainMlp, kLayer, kNo, kNoQk, 1, false, Family::head_bias},
    Family{"gpt_bigcode", &kGpt, kPlainMlp, kLayer, kAll, kNoQk, 2, true,
           Family::one_kv_head | Family::positions},
    Family{"gpt_neo", &kGptNeo, kPlainMlp, kLayer, kAll, kNoQk, 2, true, Family::positions},
    Family{"bloom", &kBloom, kPlainMlp, kLayer, kAll, kNoQk, 2, true, 0},
    Family{"opt", &kOpt, kPlainMlp, kLayer, kAll, kNoQk, 2, true, Family::positions},
    Family{"persimmon", &kUsualKeys, kPlainMlp, kLayer, kAll, kHeadQk, 2, false,
           Family::full_heads},
    Family{"nemotron", &kUsualKeys, kPlainMlp, kLayer, kNo, kNoQk, 2, false, 0},
    Family{"arcee", &kUsualKeys, kPlainMlp, kRms, kNo, kNoQk, 2, false, 0},
    Family{"apertus", &kUsualKeys, kPlainMlp, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"nanochat", &kUsualKeys, kPlainMlp, kRms, kNo, kNoQk, 0, false, 0},
    Family{"olmo", &kUsualKeys, kGated, kRms, kNo, kNoQk, 0, false, 0},
    Family{"flex_olmo", &kUsualKeys, kGated, kRms, kNo, kWideQk, 2, false, 0},
    Family{"granite", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"granitemoe", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"granitemoeshared", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"exaone", &kExaone, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"exaone4", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"bamba", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"granitemoehybrid", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"helium", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"seed_oss", &kUsualKeys, kGated, kRms, kQkv, kNoQk, 2, false, 0},
    Family{"deepseek", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"dots1", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"bailing_moe", &kUsualKeys, kGated, kRms, kNo, kAskedQk, 2, false, 0},
    Family{"bailing_moe_v2", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"afmoe", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 4, false, Family::gated_attention},
    Family{"grok-1", &kUsualKeys, kGated, kRms, kNo, kNoQk, 4, true, 0},
    Family{"vaultgemma", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, true, 0},
    Family{"step3p5", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"step3p7", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"mimo_v2_flash", &kUsualKeys, kGated, kRms, kNo, kNoQk, 2, false, 0},
    Family{"minimax_m3", &kMiniMaxM3, kGated, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"gemma4_text", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 4, true, 0},
    Family{"qwen3_5_text", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"qwen3_5_moe_text", &kUsualKeys, kGated, kRms, kNo, kHeadQk, 2, false, 0},
    Family{"bert", &kUsualKeys, kPlainMlp, kLayer, kAll, kNoQk, 2, true,
           Family::positions | Family::bidirectional},
    Family{"roberta", &kUsualKeys, kPlainMlp, kLayer, kAll, kNoQk, 2, true,
           Family::positions | Family::bidirectional},
    Family{"xlm-roberta", &kUsualKeys, kPlainMlp, kLayer, kAll, kNoQk, 2, true,
           Family::positions | Family::bidirectional},
    Family{"camembert", &kUsualKeys, kPlainMlp, kLayer, kAll, kNoQk, 2, true,
           Family::positions | Family::bidirectional},
    Family{"mpnet", &kUsualKeys, kPlainMlp, kLayer, kAll, kNoQk, 2, true,
           Family::positions | Family::bidirectional},
    Family{"deberta-v2", &kUsualKeys, kPlainMlp, kLayer, kAll, kNoQk, 2, true,
           Family::bidirectional},
    Family{"esm", &kUsualKeys, kPlainMlp, kLayer, kAll, kNoQk, 2, true, Family::bidirectional},
    Family{"distilbert", &kDistil, kPlainMlp, kLayer, kAll, kNoQk, 2, true,
           Family::positions | Family::bidirectional},
    Family{"modernbert", &kUsualKeys, kGated, kLayer, kNo, kNoQk, 2, true,
           Family::plain_norm | Family::bidirectional},
    Family{"nomic_bert", &kNomic, kGated, kLayer, kNo, kNoQk, 2, true, Family::bidirectional},
};

bool extra(const DecoderFamily& family, Family::Extra which) {
  return (family.extras & which) != 0;
}

/// The first of `keys` that the file has, else the first.
std::string_view present(const ObjectReader& r, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (!key.empty() && r.has(key)) return key;
  }
  return *keys.begin();
}

double size_of(ObjectReader& r, std::initializer_list<std::string_view> keys) {
  return r.required_whole(present(r, keys), 1, kWidest);
}

/// Width of the feed-forward: that of the GPT families is four times the hidden width if the file
/// has a null.
double ffn_of(ObjectReader& r, const DecoderFamily& family, double hidden) {
  const SizeKeys& keys = *family.keys;
  const bool four = family.mlp == Mlp::plain && keys.ffn != "ffn_dim" && keys.ffn != "hidden_dim";
  if (!r.has(keys.ffn) && r.has("ffn_hidden_size")) return size_of(r, {"ffn_hidden_size"});
  if (!r.has(keys.ffn) && four && (keys.layers != "num_hidden_layers" || r.holds_null(keys.ffn))) {
    r.accept(keys.ffn);
    return 4 * hidden;
  }
  if (!r.has(keys.ffn) && r.has("moe_intermediate_size")) {  // no layer is dense
    return size_of(r, {"moe_intermediate_size"});
  }
  const double ffn = size_of(r, {keys.ffn});
  return extra(family, Family::half_ffn) ? ffn / 2 : ffn;
}

double kv_heads_of(ObjectReader& r, const DecoderFamily& family, double heads) {
  const std::string_view key = family.keys->kv_heads;
  const bool shared = r.has("multi_query") ? r.boolean_or("multi_query", false)
                                           : extra(family, Family::one_kv_head);
  if (shared) return 1;
  if (key.empty() || (family.family == "chatglm" && r.has("multi_query_attention") &&
                      !r.boolean_or("multi_query_attention", true))) {
    return heads;
  }
  if (!r.has(key) && (extra(family, Family::full_heads) || extra(family, Family::bidirectional) ||
                      r.has("kv_lora_rank"))) {
    return heads;
  }
  return width_or(r, key, heads);  // as the classes have it
}

/// Accepts the usual name of a size beside the family's own, if both say the same.
void accept_same(ObjectReader& r, std::string_view own, std::string_view usual, double size) {
  if (own == usual || !r.has(own) || !r.has(usual)) return;
  if (r.value().object().required_whole(usual, 0, 1e9) == size) r.accept(usual);
}

bool is_switched_on(ObjectReader& r, std::string_view key) {
  return r.has(key) && r.boolean_or(key, false);
}

void set_biases(ObjectReader& r, const DecoderFamily& family, LanguageModel& m) {
  m.biases = family.biases;
  for (const char* key : {"use_bias", "bias"}) {  // StarCoder2, InternLM
    if (!r.has(key)) continue;
    const bool on = r.boolean_or(key, false);
    if (family.biases == Biases::all && !on) m.biases = Biases::none;
    if (on && m.biases == Biases::none) {
      m.biases = Biases::qkv;
      m.output_bias = true;
    }
  }
  for (const char* key : {"attention_bias", "use_qkv_bias", "qkv_bias", "add_qkv_bias"}) {
    if (!r.has(key)) continue;
    const bool on = r.boolean_or(key, false);
    if (on && m.biases == Biases::none) {
      m.biases = Biases::qkv;
      const std::string_view name = family.family;
      m.output_bias = std::string_view(key) == "attention_bias" && name != "mimo";
    }
    if (!on && family.biases != Biases::none) m.biases = Biases::none;
  }
  if (r.has("attention_out_bias")) m.output_bias = r.boolean_or("attention_out_bias", false);
  if (m.biases == Biases::qkv && is_switched_on(r, "mlp_bias")) m.biases = Biases::all;
}

bool has_head_norms(ObjectReader& r, const DecoderFamily& family) {
  if (family.qk_norm == QkNorms::head) return true;
  for (const char* key : {"use_qk_norm", "qk_layernorm", "qk_norm"}) {
    if (is_switched_on(r, key)) return true;
  }
  return false;
}

LatentAttention latent_attention_of(ObjectReader& r, const LanguageModel& m) {
  LatentAttention mla;
  mla.q_lora_rank = r.has("q_lora_rank") ? r.required_whole("q_lora_rank", 0, kWidest) : 0;
  mla.kv_lora_rank = size_of(r, {"kv_lora_rank"});
  mla.qk_nope_head_dim = size_of(r, {"qk_nope_head_dim"});
  mla.qk_rope_head_dim = size_of(r, {"qk_rope_head_dim"});
  mla.v_head_dim = r.has("v_head_dim") ? size_of(r, {"v_head_dim"}) : m.hidden / m.heads;
  return mla;
}

/// Widths of the table of positions: OPT and RoBERTa's number counts their two reserved rows apart.
double positions_of(ObjectReader& r, const DecoderFamily& family) {
  const double rows = size_of(r, {family.keys->positions});
  return family.family == "opt" ? rows + 2 : rows;
}

void set_encoder_parts(ObjectReader& r, LanguageModel& m) {
  m.bidirectional = true;
  if (r.has("type_vocab_size")) {
    m.extra_embedding_rows = r.required_whole("type_vocab_size", 0, kWidest);
  }
  // DeBERTa's table of relative positions, on either side.
  if (r.has("position_buckets")) {
    m.extra_embedding_rows += 2 * r.required_whole("position_buckets", 0, kWidest);
  }
  if (!r.has("global_attn_every_n_layers")) return;
  const double every = r.required_whole("global_attn_every_n_layers", 1, kMostLayers);
  const double window = r.whole_or("local_attention", 128, 1, 1e9);
  const double full = std::ceil(m.layers / every);
  m.windows[0] = {(m.layers - full) / m.layers, window};
  m.windows[1] = {full / m.layers, 0};
  m.window_count = full < m.layers ? 2 : 1;
  if (full >= m.layers) m.windows[0] = {1, 0};
}

}  // namespace

std::span<const DecoderFamily> decoder_families() {
  return kDecoderFamilies;
}

const DecoderFamily* find_decoder_family(std::string_view family) {
  const auto found = std::ranges::find(kDecoderFamilies, family, &DecoderFamily::family);
  return found == kDecoderFamilies.end() ? nullptr : &*found;
}

LanguageModel read_decoder_family(ObjectReader& r, const DecoderFamily& family) {
  const SizeKeys& keys = *family.keys;
  if (r.has("hidden_size_per_layer_input") &&
      r.required_whole("hidden_size_per_layer_input", 0, kWidest) > 0) {
    r.value().fail("embeddings for each layer (Gemma 4 E2B and E4B) are not read",
                   "gemma-3-4b of the catalog comes nearest");
  }
  LanguageModel m;
  m.layers = r.required_whole(present(r, {keys.layers, "num_hidden_layers"}), 1, kMostLayers);
  m.hidden = size_of(r, {keys.hidden, "n_embed"});
  m.heads = size_of(r, {keys.heads, "num_attention_heads"});
  accept_same(r, keys.layers, "num_hidden_layers", m.layers);
  accept_same(r, keys.hidden, "hidden_size", m.hidden);
  accept_same(r, keys.heads, "num_attention_heads", m.heads);
  m.kv_heads = kv_heads_of(r, family, m.heads);
  m.vocab = r.required_whole(present(r, {keys.vocab, "vocab_size"}), 1, 1e9);
  m.mlp = family.mlp;
  m.norm = family.norm;
  m.norm_bias = !extra(family, Family::plain_norm);
  m.norms_per_layer = is_switched_on(r, "use_parallel_residual") ? 1 : family.norms_per_layer;
  m.ffn = ffn_of(r, family, m.hidden);
  if (r.has("kv_lora_rank")) {
    m.mla = latent_attention_of(r, m);
    m.head_dim = m.mla->v_head_dim;
    m.kv_heads = m.heads;
  } else if (!keys.head_dim.empty() && r.has(keys.head_dim)) {
    m.head_dim = size_of(r, {keys.head_dim});
  } else {
    if (std::fmod(m.hidden, m.heads) != 0) {
      r.value().fail(std::string(keys.hidden) + " is not a multiple of " + std::string(keys.heads));
    }
    m.head_dim = m.hidden / m.heads;
  }
  m.tied_embeddings =
      r.has("tie_word_embeddings") ? r.boolean_or("tie_word_embeddings", false) : family.tied;
  set_biases(r, family, m);
  m.qk_norm = has_head_norms(r, family);
  m.wide_qk_norm = family.qk_norm == QkNorms::wide;
  m.head_bias = extra(family, Family::head_bias);
  m.output_gate = extra(family, Family::gated_attention);
  if (extra(family, Family::positions)) m.learned_positions = positions_of(r, family);
  if (extra(family, Family::bidirectional)) {
    set_encoder_parts(r, m);
  } else {
    read_window_layers(r, family.family, m);
  }
  read_experts(r, family.family, m);
  if (family.family.starts_with("qwen3_5")) read_delta_layers(r, m);
  if (r.has("mamba_n_heads")) read_mamba_layers(r, m);
  return m;
}

}  // namespace trcost::catalog
