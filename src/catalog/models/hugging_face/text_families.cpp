// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/text_families.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/models/hugging_face/decoder_families.h"
#include "catalog/models/hugging_face/layers.h"
#include "catalog/models/models.h"

namespace trcost::catalog {

namespace {

/// Norms of queries and keys: none, over each head (Qwen3), or over all heads at once (OLMo 2).
enum class QkNorm : std::uint8_t { none, head, wide };

/// Families laid out as Llama is, with what their configuration classes in transformers fill in
/// for keys that a file leaves out (src/transformers/models/*/configuration_*.py). A kv_heads or
/// head_dim of 0 stands for None: heads, and hidden / heads. A family that is another by its shape
/// is a row here, and one in layers.cpp where it has experts.
struct LlamaLike {
  std::string_view family;
  double vocab, hidden, ffn, layers, heads, kv_heads, head_dim;
  bool tied;
  Biases biases;
  QkNorm qk_norm;
  double norms_per_layer;
};

constexpr auto kNone = QkNorm::none;
constexpr auto kHead = QkNorm::head;
constexpr auto kWide = QkNorm::wide;
constexpr auto kNoBias = Biases::none;

constexpr std::array kLlamaLike{
    LlamaLike{"llama", 32000, 4096, 11008, 32, 32, 0, 0, false, kNoBias, kNone, 2},
    LlamaLike{"mistral", 32000, 4096, 14336, 32, 32, 8, 0, false, kNoBias, kNone, 2},
    LlamaLike{"mixtral", 32000, 4096, 14336, 32, 32, 8, 0, false, kNoBias, kNone, 2},
    LlamaLike{"qwen2", 151936, 4096, 22016, 32, 32, 32, 0, false, Biases::qkv, kNone, 2},
    LlamaLike{"qwen2_moe", 151936, 2048, 5632, 24, 16, 16, 0, false, Biases::qkv, kNone, 2},
    LlamaLike{"qwen3", 151936, 4096, 22016, 32, 32, 32, 128, false, kNoBias, kHead, 2},
    LlamaLike{"qwen3_moe", 151936, 2048, 6144, 24, 32, 4, 0, false, kNoBias, kHead, 2},
    LlamaLike{"qwen3_next", 151936, 2048, 5632, 48, 16, 2, 256, false, kNoBias, kHead, 2},
    LlamaLike{"gemma", 256000, 3072, 24576, 28, 16, 16, 256, true, kNoBias, kNone, 2},
    LlamaLike{"gemma2", 256000, 2304, 9216, 26, 8, 4, 256, true, kNoBias, kNone, 4},
    LlamaLike{"gemma3_text", 262208, 2304, 9216, 26, 8, 4, 256, true, kNoBias, kHead, 4},
    LlamaLike{"gpt_oss", 201088, 2880, 2880, 36, 64, 8, 64, false, Biases::all, kNone, 2},
    LlamaLike{"smollm3", 128256, 2048, 11008, 36, 16, 4, 0, true, kNoBias, kNone, 2},
    LlamaLike{"internlm2", 103168, 4096, 11008, 32, 32, 0, 0, false, kNoBias, kNone, 2},
    LlamaLike{"phi3", 32064, 3072, 8192, 32, 32, 0, 0, false, kNoBias, kNone, 2},
    LlamaLike{"olmo2", 50304, 4096, 11008, 32, 32, 0, 0, false, kNoBias, kWide, 2},
    LlamaLike{"olmo3", 50304, 4096, 11008, 32, 32, 0, 0, false, kNoBias, kWide, 2},
    LlamaLike{"olmoe", 50304, 2048, 2048, 16, 16, 0, 0, false, kNoBias, kWide, 2},
    LlamaLike{"glm", 151552, 4096, 13696, 40, 32, 2, 128, false, kNoBias, kNone, 2},
    LlamaLike{"glm4", 151552, 4096, 13696, 40, 32, 2, 128, false, kNoBias, kNone, 4},
    LlamaLike{"glm4_moe", 151552, 4096, 10944, 46, 96, 8, 0, false, kNoBias, kNone, 2},
    LlamaLike{"llama4_text", 202048, 5120, 8192, 48, 40, 8, 128, false, kNoBias, kNone, 2},
    LlamaLike{"minimax_m2", 200064, 3072, 1536, 62, 48, 8, 128, false, kNoBias, kWide, 2},
    LlamaLike{"ernie4_5", 103424, 1024, 3072, 18, 16, 2, 128, true, kNoBias, kNone, 2},
    LlamaLike{"ernie4_5_moe", 103424, 2560, 12288, 28, 20, 4, 0, true, kNoBias, kNone, 2},
    LlamaLike{"hunyuan_v1_dense", 290943, 4096, 11008, 32, 32, 0, 0, false, kNoBias, kHead, 2},
    LlamaLike{"hunyuan_v1_moe", 290943, 4096, 11008, 32, 32, 0, 0, false, kNoBias, kHead, 2},
    LlamaLike{"qwen3_vl_text", 151936, 4096, 22016, 32, 32, 32, 128, false, kNoBias, kHead, 2},
    LlamaLike{"qwen3_vl_moe_text", 151936, 2048, 5632, 24, 16, 16, 0, false, kNoBias, kHead, 2},
    LlamaLike{"qwen2_vl_text", 152064, 8192, 29568, 80, 64, 8, 0, false, Biases::qkv, kNone, 2},
    LlamaLike{"mllama_text_model", 128256, 4096, 14336, 40, 32, 8, 0, false, kNoBias, kNone, 2},
};

/// Families that are another by their shape under a name of their own.
struct SameShape {
  std::string_view family, as;
};
constexpr std::array kSameShape{
    SameShape{"kimi_k2", "deepseek_v3"},
    SameShape{"qwen2_5_vl_text", "qwen2_vl_text"},
    SameShape{"llama4", "llama4_text"},
    SameShape{"glm4_moe_lite", "deepseek_v3"},
    SameShape{"glm4v_moe_text", "glm4_moe"},
    SameShape{"glm4v_text", "glm4"},
    SameShape{"glm_moe_dsa", "deepseek_v32"},
    SameShape{"qwen3_5", "qwen3_5_text"},
    SameShape{"qwen3_5_moe", "qwen3_5_moe_text"},
    SameShape{"codellama", "llama"},
    SameShape{"solar", "llama"},
};

const LlamaLike* find_llama_like(std::string_view family) {
  const auto found = std::find_if(kLlamaLike.begin(), kLlamaLike.end(),
                                  [&](const LlamaLike& row) { return row.family == family; });
  return found == kLlamaLike.end() ? nullptr : found;
}

/// A switch that only some configuration classes have; off where the file does not name it.
bool is_on(ObjectReader& r, std::string_view key) {
  return r.has(key) && r.boolean_or(key, false);
}

/// hidden / heads, which has to be whole where the file gives no head_dim.
double usual_head_dim(const ObjectReader& r, const LanguageModel& m) {
  if (std::fmod(m.hidden, m.heads) != 0) {
    r.value().fail("hidden_size is not a multiple of num_attention_heads, and head_dim is missing");
  }
  return m.hidden / m.heads;
}

void set_windows(LanguageModel& m, double windowed_layers, double window) {
  if (windowed_layers <= 0 || window <= 0) return;
  const double share = std::min(1.0, windowed_layers / m.layers);
  m.windows[0] = {share, window};
  if (share >= 1) return;
  m.windows[1] = {1 - share, 0};
  m.window_count = 2;
}

/// Layers of Llama 4 with rotary positions see their chunk of the text only; every fourth has no
/// positions and sees all of it.
double chunked_layers(ObjectReader& r, double layers) {
  double chunked = 0;
  for (const JsonValue& rotary : r.array_or_empty("no_rope_layers")) {
    chunked += rotary.number(0, 1);
  }
  const double step = r.whole_or("no_rope_layer_interval", 4, 1, kMostLayers);
  return chunked > 0 ? std::min(chunked, layers) : layers - std::floor(layers / step);
}

/// Layers with a window when the file gives none in layer_types, by the class's own pattern.
double windowed_by_pattern(ObjectReader& r, std::string_view family, double layers) {
  if (family == "mistral" || family == "mixtral" || family == "phi3") return layers;
  if (family == "starcoder2" || family == "ministral" || family == "phi3_v") return layers;
  if (family == "mimo_v2_flash") {
    double windowed = 0;
    for (const JsonValue& each : r.array_or_empty("hybrid_layer_pattern")) {
      windowed += each.number(0, 1);
    }
    return windowed;
  }
  if (family == "cohere2" || family == "exaone4") return layers - std::floor(layers / 4);
  if (family == "olmo3") return layers - std::floor(layers / 4);
  if (family == "llama4_text") return chunked_layers(r, layers);
  if (family == "gemma2" || family == "gpt_oss") return std::ceil(layers / 2);
  if (family == "gemma3_text") {
    return layers - std::floor(layers / r.whole_or("sliding_window_pattern", 6, 1, kMostLayers));
  }
  if (is_on(r, "use_sliding_window")) {
    return std::max(0.0, layers - r.whole_or("max_window_layers", 28, 0, kMostLayers));
  }
  return 0;
}

/// The window of a class where the file does not name one; 0: none.
double usual_window(std::string_view family) {
  if (family == "mistral" || family == "olmo3") return 4096;
  if (family.starts_with("gemma")) return family == "gemma" ? 0 : 4096;
  if (family == "llama4_text") return 8192;
  return family == "gpt_oss" ? 128 : 0;
}

}  // namespace

void read_window_layers(ObjectReader& r, std::string_view family, LanguageModel& m) {
  const char* key = family == "llama4_text" ? "attention_chunk_size" : "sliding_window";
  double window = usual_window(family);
  if (std::optional<JsonValue> value = r.optional_value(key)) {
    window = value->whole(0, 1e9);
  } else if (r.holds_null(key)) {
    window = 0;
  }
  double windowed = windowed_by_pattern(r, family, m.layers);
  if (const std::vector<std::string> types = r.texts_or_empty("layer_types"); !types.empty()) {
    windowed = static_cast<double>(std::count_if(types.begin(), types.end(), [](const auto& type) {
      return type == "sliding_attention" || type == "chunked_attention";
    }));
  }
  set_windows(m, windowed, window);
}

namespace {

/// Biases of queries, keys and values that a file asks for. GLM and ERNIE have none in the
/// output.
void read_biases(ObjectReader& r, std::string_view family, LanguageModel& m) {
  if (m.biases != Biases::none) return;
  if (!is_on(r, "attention_bias") && !is_on(r, "use_bias")) return;
  m.biases = is_on(r, "mlp_bias") ? Biases::all : Biases::qkv;
  m.output_bias = !family.starts_with("glm");
}

LanguageModel read_llama_like(ObjectReader& r, const LlamaLike& usual) {
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", usual.vocab, 1, 1e9);
  m.hidden = width_or(r, "hidden_size", usual.hidden);
  m.ffn = width_or(r, "intermediate_size", usual.ffn);
  m.layers = r.whole_or("num_hidden_layers", usual.layers, 1, kMostLayers);
  m.heads = width_or(r, "num_attention_heads", usual.heads);
  const bool own_kv_heads = usual.kv_heads > 0 && !r.holds_null("num_key_value_heads");
  m.kv_heads = width_or(r, "num_key_value_heads", own_kv_heads ? usual.kv_heads : m.heads);
  m.head_dim = usual.head_dim > 0 || r.has("head_dim") ? width_or(r, "head_dim", usual.head_dim)
                                                       : usual_head_dim(r, m);
  // Qwen-VL's stands at the top of the file.
  if (!usual.family.starts_with("qwen2_vl") && !usual.family.starts_with("qwen3_vl")) {
    m.tied_embeddings = r.boolean_or("tie_word_embeddings", usual.tied);
  }
  m.biases = usual.biases;
  m.qk_norm =
      usual.qk_norm == QkNorm::head || (usual.qk_norm == QkNorm::none && is_on(r, "use_qk_norm"));
  m.wide_qk_norm = usual.qk_norm == QkNorm::wide;
  m.norms_per_layer = usual.norms_per_layer;
  for (const char* key : {"use_qk_norm", "attention_bias"}) r.accept(key);  // some always have them
  read_biases(r, usual.family, m);
  read_window_layers(r, usual.family, m);
  read_experts(r, usual.family, m);
  if (usual.family == "qwen3_next") read_delta_layers(r, m);
  return m;
}

/// Families of plain feed-forwards and layer norms, each with the keys and defaults of its own
/// configuration class. An empty `positions` is a key that the class does not have.
struct PlainFamily {
  std::string_view family;
  std::string_view hidden, layers, heads, positions;
  double usual_vocab, usual_hidden, usual_layers, usual_heads, usual_positions;
  bool tied;
  Biases biases;
};

constexpr std::array kPlain{
    PlainFamily{"gpt2", "n_embd", "n_layer", "n_head", "n_positions", 50257, 768, 12, 12, 1024,
                true, Biases::all},
    PlainFamily{"gpt_neox", "hidden_size", "num_hidden_layers", "num_attention_heads", "", 50432,
                6144, 44, 64, 0, false, Biases::all},
    PlainFamily{"falcon", "hidden_size", "num_hidden_layers", "num_attention_heads", "", 65024,
                4544, 32, 71, 0, true, Biases::none},
    PlainFamily{"mpt", "d_model", "n_layers", "n_heads", "", 50368, 2048, 24, 16, 0, true,
                Biases::none},
};

const PlainFamily* find_plain(std::string_view family) {
  const auto found = std::ranges::find(kPlain, family, &PlainFamily::family);
  return found == kPlain.end() ? nullptr : &*found;
}

void read_falcon_parts(ObjectReader& r, LanguageModel& m) {
  const bool grouped = r.boolean_or("new_decoder_architecture", false);
  const bool one_group = r.boolean_or("multi_query", true);
  const bool parallel = r.boolean_or("parallel_attn", true);
  const double groups = width_or(r, "num_kv_heads", m.heads);
  m.kv_heads = grouped ? groups : one_group ? 1 : m.heads;
  m.norms_per_layer = grouped ? r.whole_or("num_ln_in_parallel_attn", 2, 1, 2) : parallel ? 1 : 2;
  m.ffn = width_or(r, "ffn_hidden_size", 4 * m.hidden);
  if (r.boolean_or("bias", false)) m.biases = Biases::all;
}

LanguageModel read_plain(ObjectReader& r, const PlainFamily& usual) {
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", usual.usual_vocab, 1, 1e9);
  m.hidden = width_or(r, usual.hidden, usual.usual_hidden);
  m.layers = r.whole_or(usual.layers, usual.usual_layers, 1, kMostLayers);
  m.heads = width_or(r, usual.heads, usual.usual_heads);
  m.kv_heads = m.heads;
  m.head_dim = usual_head_dim(r, m);
  if (!usual.positions.empty()) {
    m.learned_positions = width_or(r, usual.positions, usual.usual_positions);
  }
  m.tied_embeddings = r.boolean_or("tie_word_embeddings", usual.tied);
  m.mlp = Mlp::plain;
  m.norm = Norm::layer;
  m.biases = usual.biases;
  if (usual.family == "gpt2") m.ffn = width_or(r, "n_inner", 4 * m.hidden);
  if (usual.family == "gpt_neox") m.ffn = width_or(r, "intermediate_size", 24576);
  if (usual.family == "falcon") read_falcon_parts(r, m);
  if (usual.family == "mpt") {
    m.ffn = width_or(r, "expansion_ratio", 4) * m.hidden;
    m.norm_bias = false;  // transformers builds its norms without a shift
  }
  return m;
}

bool is_deepseek(std::string_view family) {
  return family == "deepseek_v2" || family == "deepseek_v3" || family == "deepseek_v32";
}

/// Multi-token-prediction modules are left out, as transformers leaves them out.
LanguageModel read_deepseek(ObjectReader& r, bool third) {
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", third ? 129280 : 32000, 1, 1e9);
  m.hidden = width_or(r, "hidden_size", third ? 7168 : 4096);
  m.ffn = width_or(r, "intermediate_size", third ? 18432 : 11008);
  m.layers = r.whole_or("num_hidden_layers", third ? 61 : 32, 1, kMostLayers);
  m.heads = width_or(r, "num_attention_heads", third ? 128 : 32);
  m.kv_heads = m.heads;
  m.tied_embeddings = r.boolean_or("tie_word_embeddings", false);
  LatentAttention mla;
  const bool compressed = !r.holds_null("q_lora_rank");
  mla.q_lora_rank = compressed ? r.whole_or("q_lora_rank", 1536, 0, kWidest) : 0;
  mla.kv_lora_rank = width_or(r, "kv_lora_rank", 512);
  mla.qk_nope_head_dim = width_or(r, "qk_nope_head_dim", 128);
  mla.qk_rope_head_dim = width_or(r, "qk_rope_head_dim", 64);
  mla.v_head_dim = width_or(r, "v_head_dim", 128);
  m.head_dim = mla.v_head_dim;
  // Of other attention; V2's groups are of accelerators.
  for (const char* key :
       {"head_dim", "num_key_value_heads", "n_group", "topk_group", "attention_bias"}) {
    r.accept(key);
  }
  m.mla = mla;
  MixtureOfExperts moe;
  moe.experts = width_or(r, "n_routed_experts", third ? 256 : 64);
  moe.experts_per_token = third ? width_or(r, "num_experts_per_tok", 8)
                                : r.required_whole("num_experts_per_tok", 1, 1e6);
  moe.expert_ffn = width_or(r, "moe_intermediate_size", third ? 2048 : 1407);
  moe.shared_ffn = r.whole_or("n_shared_experts", third ? 1 : 2, 0, 1e4) * moe.expert_ffn;
  moe.dense_layers = r.whole_or("first_k_dense_replace", third ? 3 : 0, 0, kMostLayers);
  moe.router_bias = third;
  // Groups of V2 are of accelerators, not of nodes.
  if (third) read_expert_groups(r, 8, 4, moe);
  m.moe = moe;
  return m;
}

/// DBRX, whose attention and experts stand in objects of their own (configuration_dbrx.py).
LanguageModel read_dbrx(ObjectReader& r) {
  LanguageModel m;
  m.vocab = r.required_whole("vocab_size", 1, 1e9);
  m.hidden = r.required_whole("d_model", 1, kWidest);
  m.layers = r.required_whole("n_layers", 1, kMostLayers);
  m.heads = r.required_whole("n_heads", 1, kWidest);
  m.head_dim = usual_head_dim(r, m);
  ObjectReader attention = r.required_object("attn_config");
  m.kv_heads = attention.required_whole("kv_n_heads", 1, kWidest);
  ObjectReader ffn = r.required_object("ffn_config");
  MixtureOfExperts moe;
  moe.experts = ffn.required_whole("moe_num_experts", 1, 1e6);
  moe.experts_per_token = ffn.required_whole("moe_top_k", 1, 1e6);
  moe.expert_ffn = ffn.required_whole("ffn_hidden_size", 1, kWidest);
  m.ffn = moe.expert_ffn;
  m.moe = moe;
  m.norm = Norm::layer;
  m.norm_bias = false;
  m.tied_embeddings = r.boolean_or("tie_word_embeddings", false);
  return m;
}

/// The row that reads a family, or the family itself.
std::string_view family_shape(std::string_view family) {
  const auto found = std::ranges::find(kSameShape, family, &SameShape::family);
  return found == kSameShape.end() ? family : found->as;
}

LanguageModel read_family(ObjectReader& config, std::string_view family) {
  if (const LlamaLike* usual = find_llama_like(family)) return read_llama_like(config, *usual);
  if (const PlainFamily* usual = find_plain(family)) return read_plain(config, *usual);
  if (const DecoderFamily* row = find_decoder_family(family)) {
    return read_decoder_family(config, *row);
  }
  if (family == "nemotron_h") return read_nemotron_h(config);
  if (family == "dbrx") return read_dbrx(config);
  LanguageModel m = read_deepseek(config, family != "deepseek_v2");
  if (family == "deepseek_v32") read_indexer(config, m);
  return m;
}

}  // namespace

bool is_text_family(std::string_view name) {
  const std::string_view family = family_shape(name);
  return find_llama_like(family) != nullptr || find_plain(family) != nullptr ||
         find_decoder_family(family) != nullptr || is_deepseek(family) || family == "nemotron_h" ||
         family == "dbrx";
}

std::string text_family_names() {
  std::string names;
  for (const LlamaLike& row : kLlamaLike) {
    if (row.family.find("_vl_") != std::string_view::npos || row.family == "mllama_text_model") {
      continue;  // halves of vision-language families
    }
    names += (names.empty() ? "" : ", ") + std::string(row.family);
  }
  for (const PlainFamily& row : kPlain) names += ", " + std::string(row.family);
  for (const DecoderFamily& row : decoder_families()) names += ", " + std::string(row.family);
  return names + ", deepseek_v2, deepseek_v3, deepseek_v32, kimi_k2, nemotron_h, dbrx";
}

LanguageModel read_text_family(ObjectReader& config, std::string_view family) {
  LanguageModel m = read_family(config, family_shape(family));
  for (const char* key : {"max_position_embeddings", "max_seq_len"}) {
    if (config.has(key)) m.context = config.required_whole(key, 1, 1e15);
  }
  return m;
}

}  // namespace trcost::catalog
