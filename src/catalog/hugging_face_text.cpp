// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/architecture_reader.h"
#include "catalog/hugging_face_parts.h"

namespace trcost {
namespace {

/// Families laid out as Llama is, with what their configuration classes in transformers fill in
/// for keys that a file leaves out (src/transformers/models/*/configuration_*.py). A kv_heads or
/// head_dim of 0 stands for None: heads, and hidden / heads.
struct LlamaLike {
  std::string_view family;
  double vocab, hidden, ffn, layers, heads, kv_heads, head_dim;
  bool tied;
  Biases biases;
  bool qk_norm;
  double norms_per_layer;
};

constexpr std::array kLlamaLike{
    LlamaLike{"llama", 32000, 4096, 11008, 32, 32, 0, 0, false, Biases::none, false, 2},
    LlamaLike{"mistral", 32000, 4096, 14336, 32, 32, 8, 0, false, Biases::none, false, 2},
    LlamaLike{"mixtral", 32000, 4096, 14336, 32, 32, 8, 0, false, Biases::none, false, 2},
    LlamaLike{"qwen2", 151936, 4096, 22016, 32, 32, 32, 0, false, Biases::qkv, false, 2},
    LlamaLike{"qwen2_moe", 151936, 2048, 5632, 24, 16, 16, 0, false, Biases::qkv, false, 2},
    LlamaLike{"qwen3", 151936, 4096, 22016, 32, 32, 32, 128, false, Biases::none, true, 2},
    LlamaLike{"qwen3_moe", 151936, 2048, 6144, 24, 32, 4, 0, false, Biases::none, true, 2},
    LlamaLike{"gemma", 256000, 3072, 24576, 28, 16, 16, 256, true, Biases::none, false, 2},
    LlamaLike{"gemma2", 256000, 2304, 9216, 26, 8, 4, 256, true, Biases::none, false, 4},
    LlamaLike{"gemma3_text", 262208, 2304, 9216, 26, 8, 4, 256, true, Biases::none, true, 4},
    LlamaLike{"gpt_oss", 201088, 2880, 2880, 36, 64, 8, 64, false, Biases::all, false, 2},
    LlamaLike{"smollm3", 128256, 2048, 11008, 36, 16, 4, 0, true, Biases::none, false, 2},
    LlamaLike{"internlm2", 103168, 4096, 11008, 32, 32, 0, 0, false, Biases::none, false, 2},
    LlamaLike{"qwen2_vl_text", 152064, 8192, 29568, 80, 64, 8, 0, false, Biases::qkv, false, 2},
    LlamaLike{"mllama_text_model", 128256, 4096, 14336, 40, 32, 8, 0, false, Biases::none, false,
              2},
};

const LlamaLike* find_llama_like(std::string_view family) {
  const auto found = std::find_if(kLlamaLike.begin(), kLlamaLike.end(),
                                  [&](const LlamaLike& row) { return row.family == family; });
  return found == kLlamaLike.end() ? nullptr : found;
}

double width(ObjectReader& r, std::string_view key, double fallback) {
  return r.whole_or(key, fallback, 1, kWidest);
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

/// Layers with a window when the file gives none in layer_types, by the class's own pattern.
double windowed_by_pattern(ObjectReader& r, std::string_view family, double layers) {
  if (family == "mistral" || family == "mixtral") return layers;
  if (family == "gemma2" || family == "gpt_oss") return std::ceil(layers / 2);
  if (family == "gemma3_text") {
    return layers - std::floor(layers / r.whole_or("sliding_window_pattern", 6, 1, kMostLayers));
  }
  if (is_on(r, "use_sliding_window")) {
    return std::max(0.0, layers - r.whole_or("max_window_layers", 28, 0, kMostLayers));
  }
  return 0;
}

void read_windows(ObjectReader& r, std::string_view family, LanguageModel& m) {
  double window = 0;
  if (family == "mistral" || family.starts_with("gemma")) window = family == "gemma" ? 0 : 4096;
  if (family == "gpt_oss") window = 128;
  if (std::optional<JsonValue> value = r.optional_value("sliding_window")) {
    window = value->whole(0, 1e9);
  } else if (r.holds_null("sliding_window")) {
    window = 0;
  }
  double windowed = windowed_by_pattern(r, family, m.layers);
  if (const std::vector<std::string> types = r.texts_or_empty("layer_types"); !types.empty()) {
    windowed = static_cast<double>(std::count(types.begin(), types.end(), "sliding_attention"));
  }
  set_windows(m, windowed, window);
}

/// Layers with a dense feed-forward: those named, and those that the step between sparse ones
/// skips.
double dense_layers(ObjectReader& r, double layers) {
  const double step = r.whole_or("decoder_sparse_step", 1, 1, kMostLayers);
  std::vector<double> named;
  for (const JsonValue& layer : r.array_or_empty("mlp_only_layers")) {
    named.push_back(layer.whole(0, kMostLayers));
  }
  double dense = 0;
  for (double layer = 0; layer < layers; ++layer) {
    const bool skipped = std::fmod(layer + 1, step) != 0;
    if (skipped || std::find(named.begin(), named.end(), layer) != named.end()) ++dense;
  }
  return dense;
}

void read_qwen_moe(ObjectReader& r, std::string_view family, LanguageModel& m) {
  const bool second = family == "qwen2_moe";
  MixtureOfExperts moe;
  moe.experts = width(r, "num_experts", second ? 60 : 128);
  moe.experts_per_token = width(r, "num_experts_per_tok", second ? 4 : 8);
  moe.expert_ffn = width(r, "moe_intermediate_size", second ? 1408 : 768);
  if (second) moe.shared_ffn = width(r, "shared_expert_intermediate_size", 5632);
  moe.shared_gate = second;
  moe.dense_layers = dense_layers(r, m.layers);
  m.moe = moe;
}

void read_local_experts(ObjectReader& r, std::string_view family, LanguageModel& m) {
  const bool oss = family == "gpt_oss";
  MixtureOfExperts moe;
  moe.experts = width(r, "num_local_experts", oss ? 128 : 8);
  moe.experts_per_token = width(r, "num_experts_per_tok", oss ? 4 : 2);
  moe.expert_ffn = m.ffn;
  moe.router_bias = oss;
  moe.expert_bias = oss;
  m.attention_sinks = oss;
  m.moe = moe;
}

LanguageModel read_llama_like(ObjectReader& r, const LlamaLike& usual) {
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", usual.vocab, 1, 1e9);
  m.hidden = width(r, "hidden_size", usual.hidden);
  m.ffn = width(r, "intermediate_size", usual.ffn);
  m.layers = r.whole_or("num_hidden_layers", usual.layers, 1, kMostLayers);
  m.heads = width(r, "num_attention_heads", usual.heads);
  const bool own_kv_heads = usual.kv_heads > 0 && !r.holds_null("num_key_value_heads");
  m.kv_heads = width(r, "num_key_value_heads", own_kv_heads ? usual.kv_heads : m.heads);
  m.head_dim = r.has("head_dim")    ? r.required_whole("head_dim", 1, kWidest)
               : usual.head_dim > 0 ? usual.head_dim
                                    : usual_head_dim(r, m);
  // Qwen2-VL's stands at the top of the file.
  if (usual.family != "qwen2_vl_text") {
    m.tied_embeddings = r.boolean_or("tie_word_embeddings", usual.tied);
  }
  m.biases = usual.biases;
  m.qk_norm = usual.qk_norm;
  m.norms_per_layer = usual.norms_per_layer;
  if (is_on(r, "attention_bias") && m.biases == Biases::none) {
    m.biases = is_on(r, "mlp_bias") ? Biases::all : Biases::qkv;
    m.output_bias = true;
  }
  read_windows(r, usual.family, m);
  if (usual.family.ends_with("_moe")) read_qwen_moe(r, usual.family, m);
  if (usual.family == "mixtral" || usual.family == "gpt_oss") {
    read_local_experts(r, usual.family, m);
  }
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
  const double groups = width(r, "num_kv_heads", m.heads);
  m.kv_heads = grouped ? groups : one_group ? 1 : m.heads;
  m.norms_per_layer = grouped ? r.whole_or("num_ln_in_parallel_attn", 2, 1, 2) : parallel ? 1 : 2;
  m.ffn = width(r, "ffn_hidden_size", 4 * m.hidden);
  if (r.boolean_or("bias", false)) m.biases = Biases::all;
}

LanguageModel read_plain(ObjectReader& r, const PlainFamily& usual) {
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", usual.usual_vocab, 1, 1e9);
  m.hidden = width(r, usual.hidden, usual.usual_hidden);
  m.layers = r.whole_or(usual.layers, usual.usual_layers, 1, kMostLayers);
  m.heads = width(r, usual.heads, usual.usual_heads);
  m.kv_heads = m.heads;
  m.head_dim = usual_head_dim(r, m);
  if (!usual.positions.empty()) {
    m.learned_positions = width(r, usual.positions, usual.usual_positions);
  }
  m.tied_embeddings = r.boolean_or("tie_word_embeddings", usual.tied);
  m.mlp = Mlp::plain;
  m.norm = Norm::layer;
  m.biases = usual.biases;
  if (usual.family == "gpt2") m.ffn = width(r, "n_inner", 4 * m.hidden);
  if (usual.family == "gpt_neox") m.ffn = width(r, "intermediate_size", 24576);
  if (usual.family == "falcon") read_falcon_parts(r, m);
  if (usual.family == "mpt") {
    m.ffn = width(r, "expansion_ratio", 4) * m.hidden;
    m.norm_bias = false;  // transformers builds its norms without a shift
  }
  return m;
}

bool is_deepseek(std::string_view family) {
  return family == "deepseek_v2" || family == "deepseek_v3";
}

/// Multi-token-prediction modules are left out, as transformers leaves them out.
LanguageModel read_deepseek(ObjectReader& r, bool third) {
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", third ? 129280 : 32000, 1, 1e9);
  m.hidden = width(r, "hidden_size", third ? 7168 : 4096);
  m.ffn = width(r, "intermediate_size", third ? 18432 : 11008);
  m.layers = r.whole_or("num_hidden_layers", third ? 61 : 32, 1, kMostLayers);
  m.heads = width(r, "num_attention_heads", third ? 128 : 32);
  m.kv_heads = m.heads;
  m.tied_embeddings = r.boolean_or("tie_word_embeddings", false);
  LatentAttention mla;
  const bool compressed = !r.holds_null("q_lora_rank");
  mla.q_lora_rank = compressed ? r.whole_or("q_lora_rank", 1536, 0, kWidest) : 0;
  mla.kv_lora_rank = width(r, "kv_lora_rank", 512);
  mla.qk_nope_head_dim = width(r, "qk_nope_head_dim", 128);
  mla.qk_rope_head_dim = width(r, "qk_rope_head_dim", 64);
  mla.v_head_dim = width(r, "v_head_dim", 128);
  m.head_dim = mla.v_head_dim;
  m.mla = mla;
  MixtureOfExperts moe;
  moe.experts = width(r, "n_routed_experts", third ? 256 : 64);
  moe.experts_per_token =
      third ? width(r, "num_experts_per_tok", 8) : r.required_whole("num_experts_per_tok", 1, 1e6);
  moe.expert_ffn = width(r, "moe_intermediate_size", third ? 2048 : 1407);
  moe.shared_ffn = r.whole_or("n_shared_experts", third ? 1 : 2, 0, 1e4) * moe.expert_ffn;
  moe.dense_layers = r.whole_or("first_k_dense_replace", third ? 3 : 0, 0, kMostLayers);
  moe.router_bias = third;
  m.moe = moe;
  return m;
}

}  // namespace

bool is_text_family(std::string_view family) {
  return find_llama_like(family) != nullptr || find_plain(family) != nullptr || is_deepseek(family);
}

std::string text_family_names() {
  std::string names;
  for (const LlamaLike& row : kLlamaLike) {
    if (row.family == "qwen2_vl_text" || row.family == "mllama_text_model") continue;
    names += (names.empty() ? "" : ", ") + std::string(row.family);
  }
  for (const PlainFamily& row : kPlain) names += ", " + std::string(row.family);
  return names + ", deepseek_v2, deepseek_v3";
}

namespace {

LanguageModel read_family(ObjectReader& config, std::string_view family) {
  if (const LlamaLike* usual = find_llama_like(family)) return read_llama_like(config, *usual);
  if (const PlainFamily* usual = find_plain(family)) return read_plain(config, *usual);
  return read_deepseek(config, family == "deepseek_v3");
}

}  // namespace

LanguageModel read_hugging_face_text(ObjectReader& config, std::string_view family) {
  LanguageModel m = read_family(config, family);
  for (const char* key : {"max_position_embeddings", "max_seq_len"}) {
    if (config.has(key)) m.context = config.required_whole(key, 1, 1e15);
  }
  return m;
}

}  // namespace trcost
