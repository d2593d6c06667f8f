// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/layers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "catalog/models/models.h"

namespace trcost::catalog {
namespace {

/// How a family says where its dense layers are.
enum class Dense : std::uint8_t {
  none,      ///< every layer has experts
  steps,     ///< decoder_sparse_step and mlp_only_layers
  leading,   ///< as many leading layers as `dense_key` says
  listed,    ///< where the list moe_layer_freq has a 0
  interval,  ///< all but every interleave_moe_layer_step-th, or but those of moe_layers
};

/// Number of experts where a file without the key is dense.
constexpr double kOptional = -1;

/// Keys of a family's experts, and what its configuration class in transformers fills in
/// (src/transformers/models/*/configuration_*.py). 0 experts: no default.
struct ExpertKeys {
  std::string_view family;
  std::string_view experts, used, width;          ///< keys
  double usual_experts, usual_used, usual_width;  ///< a width of 0: the feed-forward's
  std::string_view shared;  ///< key of the always-on experts, empty: none or `usual_shared`
  double usual_shared;      ///< of them, each as wide as a routed one; a width where above 100
  Dense dense;
  std::string_view dense_key;
  double usual_dense;
  bool router_bias, all_biases;
};

constexpr std::array kExperts{
    ExpertKeys{"mixtral", "num_local_experts", "num_experts_per_tok", "intermediate_size", 8, 2, 0,
               "", 0, Dense::none, "", 0, false, false},
    ExpertKeys{"gpt_oss", "num_local_experts", "num_experts_per_tok", "intermediate_size", 128, 4,
               0, "", 0, Dense::none, "", 0, true, true},
    ExpertKeys{"qwen2_moe", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 60, 4,
               1408, "shared_expert_intermediate_size", 5632, Dense::steps, "", 0, false, false},
    ExpertKeys{"qwen3_moe", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 128, 8,
               768, "", 0, Dense::steps, "", 0, false, false},
    ExpertKeys{"qwen3_next", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 512, 10,
               512, "shared_expert_intermediate_size", 512, Dense::steps, "", 0, false, false},
    ExpertKeys{"qwen3_vl_moe_text", "num_experts", "num_experts_per_tok", "moe_intermediate_size",
               60, 4, 1408, "", 0, Dense::steps, "", 0, false, false},
    ExpertKeys{"olmoe", "num_experts", "num_experts_per_tok", "intermediate_size", 64, 8, 0, "", 0,
               Dense::none, "", 0, false, false},
    ExpertKeys{"minimax_m2", "num_local_experts", "num_experts_per_tok", "intermediate_size", 256,
               8, 0, "", 0, Dense::none, "", 0, true, false},
    ExpertKeys{"glm4_moe", "n_routed_experts", "num_experts_per_tok", "moe_intermediate_size", 128,
               8, 1408, "n_shared_experts", 1, Dense::leading, "first_k_dense_replace", 1, true,
               false},
    ExpertKeys{"ernie4_5_moe", "moe_num_experts", "moe_k", "moe_intermediate_size", 64, 6, 1536,
               "moe_num_shared_experts", 2, Dense::leading, "moe_layer_start_index", 1, true,
               false},
    ExpertKeys{"hunyuan_v1_moe", "num_experts", "moe_topk", "moe_intermediate_size", 1, 1, 0,
               "num_shared_expert", 1, Dense::none, "", 0, false, false},
    // Families of decoder_families.cpp, which have no defaults.
    ExpertKeys{"deepseek", "n_routed_experts", "num_experts_per_tok", "moe_intermediate_size", 0, 0,
               0, "n_shared_experts", 0, Dense::leading, "first_k_dense_replace", 0, false, false},
    ExpertKeys{"dots1", "n_routed_experts", "num_experts_per_tok", "moe_intermediate_size", 0, 0, 0,
               "n_shared_experts", 0, Dense::leading, "first_k_dense_replace", 0, true, false},
    ExpertKeys{"bailing_moe", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 0, 0,
               0, "num_shared_experts", 0, Dense::leading, "first_k_dense_replace", 0, false,
               false},
    ExpertKeys{"bailing_moe_v2", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 0,
               0, 0, "num_shared_experts", 0, Dense::leading, "first_k_dense_replace", 0, true,
               false},
    ExpertKeys{"afmoe", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 0, 0, 0,
               "num_shared_experts", 0, Dense::leading, "num_dense_layers", 0, true, false},
    ExpertKeys{"granitemoe", "num_local_experts", "num_experts_per_tok", "intermediate_size", 0, 0,
               0, "", 0, Dense::none, "", 0, false, false},
    ExpertKeys{"granitemoeshared", "num_local_experts", "num_experts_per_tok", "intermediate_size",
               0, 0, 0, "shared_intermediate_size", 0, Dense::none, "", 0, false, false},
    ExpertKeys{"granitemoehybrid", "num_local_experts", "num_experts_per_tok", "intermediate_size",
               kOptional, 0, 0, "shared_intermediate_size", 0, Dense::none, "", 0, false, false},
    ExpertKeys{"phimoe", "num_local_experts", "num_experts_per_tok", "intermediate_size", 0, 0, 0,
               "", 0, Dense::none, "", 0, false, false},
    ExpertKeys{"flex_olmo", "num_experts", "num_experts_per_tok", "intermediate_size", 0, 0, 0, "",
               0, Dense::none, "", 0, false, false},
    ExpertKeys{"grok-1", "num_local_experts", "num_experts_per_tok", "intermediate_size", 0, 0, 0,
               "", 0, Dense::none, "", 0, false, false},
    ExpertKeys{"step3p5", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 0, 0, 0,
               "share_expert_dim", 0, Dense::leading, "first_k_dense_replace", 0, true, false},
    ExpertKeys{"step3p7", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 0, 0, 0,
               "share_expert_dim", 0, Dense::leading, "first_k_dense_replace", 0, true, false},
    ExpertKeys{"mimo_v2_flash", "n_routed_experts", "num_experts_per_tok", "moe_intermediate_size",
               0, 0, 0, "", 0, Dense::listed, "first_k_dense_replace", 0, true, false},
    ExpertKeys{"minimax_m3", "num_local_experts", "num_experts_per_tok", "moe_intermediate_size", 0,
               0, 0, "shared_intermediate_size", 0, Dense::listed, "first_k_dense_replace", 0, true,
               false},
    ExpertKeys{"gemma4_text", "num_experts", "top_k_experts", "moe_intermediate_size", kOptional, 0,
               0, "intermediate_size", 0, Dense::none, "", 0, false, false},
    ExpertKeys{"minicpm", "num_experts", "num_experts_per_tok", "intermediate_size", kOptional, 0,
               0, "", 0, Dense::none, "", 0, false, false},
    ExpertKeys{"qwen3_5_moe_text", "num_experts", "num_experts_per_tok", "moe_intermediate_size", 0,
               0, 0, "shared_expert_intermediate_size", 0, Dense::steps, "", 0, false, false},
    ExpertKeys{"llama4_text", "num_local_experts", "num_experts_per_tok", "intermediate_size", 16,
               1, 0, "", 1, Dense::interval, "interleave_moe_layer_step", 1, false, false},
};

/// A shared_expert_... key that holds a width, not a number of experts.
constexpr double kLeastWidth = 100;

/// A number, or a list of one number per layer, which has to be the same everywhere.
double per_layer_or(ObjectReader& r, std::string_view key, double fallback) {
  const std::optional<JsonValue> value = r.optional_value(key);
  if (!value) return r.whole_or(key, fallback, 0, kWidest);
  if (!value->is_array()) return value->whole(0, kWidest);
  const std::vector<JsonValue> all = value->array();
  if (all.empty()) value->fail("a number for each layer is missing");
  const double first = all.front().whole(0, kWidest);
  for (const JsonValue& each : all) {
    if (each.whole(0, kWidest) != first) {
      each.fail("layers with different experts are not read", "write a model file instead");
    }
  }
  return first;
}

/// Layers with a dense feed-forward: those named, and those that the step between sparse ones
/// skips.
double dense_by_steps(ObjectReader& r, double layers) {
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

double dense_by_interval(ObjectReader& r, const ExpertKeys& keys, double layers) {
  const double step = r.whole_or(keys.dense_key, keys.usual_dense, 1, kMostLayers);
  const auto named = static_cast<double>(r.array_or_empty("moe_layers").size());
  return named > 0 ? std::max(0.0, layers - named) : layers - std::floor(layers / step);
}

double dense_by_list(ObjectReader& r, const ExpertKeys& keys) {
  const std::optional<JsonValue> list = r.optional_value("moe_layer_freq");
  if (!list || !list->is_array()) {
    return r.has(keys.dense_key) ? r.required_whole(keys.dense_key, 0, kMostLayers) : 0;
  }
  r.accept(keys.dense_key);
  double dense = 0;
  for (const JsonValue& layer : list->array()) dense += layer.number(0, 1) == 0 ? 1 : 0;
  return dense;
}

double dense_layers(ObjectReader& r, const ExpertKeys& keys, double layers) {
  switch (keys.dense) {
    case Dense::none:
      return 0;
    case Dense::steps:
      return dense_by_steps(r, layers);
    case Dense::leading:
      return r.whole_or(keys.dense_key, keys.usual_dense, 0, kMostLayers);
    case Dense::listed:
      return dense_by_list(r, keys);
    case Dense::interval:
      return dense_by_interval(r, keys, layers);
  }
  return 0;
}

void add_part(LanguageModel& m, Mixer mixer, FeedForward ffn, double count) {
  if (count <= 0) return;
  m.pattern[static_cast<std::size_t>(m.pattern_parts++)] = {mixer, ffn, count};
}

/// Layers of full attention among `layers`: those that layer_types names, else every n-th.
double full_attention_layers(ObjectReader& r, double layers) {
  if (const std::vector<std::string> types = r.texts_or_empty("layer_types"); !types.empty()) {
    r.accept("full_attention_interval");
    return static_cast<double>(std::ranges::count(types, "full_attention"));
  }
  return std::floor(layers / r.whole_or("full_attention_interval", 4, 1, kMostLayers));
}

/// Block of each letter of hybrid_override_pattern.
struct Letter {
  char letter;
  Mixer mixer;
  FeedForward ffn;
};
constexpr Letter kLetters[] = {
    {'M', Mixer::mamba, FeedForward::none},
    {'*', Mixer::attention, FeedForward::none},
    {'-', Mixer::none, FeedForward::dense},
    {'E', Mixer::none, FeedForward::moe},
};

/// The class's own (configuration_nemotron_h.py), of Nemotron-H-8B.
constexpr std::string_view kUsualPattern = "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-";

/// The letters of a file's layers: a text, or a list of names since Nemotron 3 Ultra.
std::string pattern_letters(ObjectReader& r) {
  constexpr std::pair<std::string_view, char> kNames[] = {
      {"mamba", 'M'}, {"attention", '*'}, {"mlp", '-'}, {"moe", 'E'}};
  std::string letters;
  for (const std::string& name : r.texts_or_empty("layers_block_type")) {
    const auto* const found =
        std::ranges::find(kNames, name, &std::pair<std::string_view, char>::first);
    letters += found == std::end(kNames) ? '?' : found->second;
  }
  return letters.empty() ? r.text_or("hybrid_override_pattern", kUsualPattern) : letters;
}

/// One part for each kind of layer, since the order of layers does not matter.
void read_letters(ObjectReader& r, const std::string& letters, LanguageModel& m) {
  double known = 0;
  for (const Letter& each : kLetters) {
    const auto count = static_cast<double>(std::ranges::count(letters, each.letter));
    add_part(m, each.mixer, each.ffn, count);
    known += count;
  }
  if (known != static_cast<double>(letters.size()) || known != m.layers) {
    r.value().fail(
        fmt::format("hybrid_override_pattern has {} letters, of which {:.0f} are of M, *, "
                    "- and E, for {:.0f} layers",
                    letters.size(), known, m.layers));
  }
}

/// Keys of a state-space layer, and the two sizes whose usual values differ between families.
struct StateSpaceKeys {
  const char *heads, *head_dim, *groups, *state, *conv, *conv_bias, *chunk;
  double usual_groups, usual_state;
};
constexpr StateSpaceKeys kNemotronMamba = {"mamba_num_heads",
                                           "mamba_head_dim",
                                           "n_groups",
                                           "ssm_state_size",
                                           "conv_kernel",
                                           "use_conv_bias",
                                           "chunk_size",
                                           8,
                                           128};
constexpr StateSpaceKeys kBambaMamba = {"mamba_n_heads",
                                        "mamba_d_head",
                                        "mamba_n_groups",
                                        "mamba_d_state",
                                        "mamba_d_conv",
                                        "mamba_conv_bias",
                                        "mamba_chunk_size",
                                        1,
                                        256};

StateSpace read_mamba(ObjectReader& r, const StateSpaceKeys& keys) {
  StateSpace s;
  s.heads = width_or(r, keys.heads, 128);
  s.head_dim = width_or(r, keys.head_dim, 64);
  s.groups = width_or(r, keys.groups, keys.usual_groups);
  s.state = width_or(r, keys.state, keys.usual_state);
  s.conv = width_or(r, keys.conv, 4);
  s.conv_bias = r.boolean_or(keys.conv_bias, true);
  s.chunk = width_or(r, keys.chunk, 256);
  return s;
}

/// Plain experts with a bias in the router that only balances them.
MixtureOfExperts read_nemotron_experts(ObjectReader& r) {
  MixtureOfExperts moe;
  moe.experts = r.required_whole("n_routed_experts", 1, 1e6);
  moe.experts_per_token = r.required_whole("num_experts_per_tok", 1, 1e6);
  moe.expert_ffn = r.required_whole("moe_intermediate_size", 1, kWidest);
  const double shared = r.whole_or("n_shared_experts", 1, 0, 1e4);
  moe.shared_ffn =
      shared * r.whole_or("moe_shared_expert_intermediate_size", moe.expert_ffn, 0, kWidest);
  if (r.has("moe_latent_size")) moe.latent = r.required_whole("moe_latent_size", 1, kWidest);
  moe.router_bias = true;
  read_expert_groups(r, 1, 1, moe);
  return moe;
}

}  // namespace

double width_or(ObjectReader& r, std::string_view key, double fallback) {
  return r.whole_or(key, fallback, 1, kWidest);
}

void read_expert_groups(ObjectReader& r, double usual_groups, double usual_used,
                        MixtureOfExperts& moe) {
  const double groups = r.whole_or("n_group", usual_groups, 1, 1e6);
  const double used = r.whole_or("topk_group", usual_used, 1, 1e6);
  if (groups <= 1) return;  // not limited
  moe.expert_groups = groups;
  moe.groups_per_token = std::min(used, groups);
}

void read_experts(ObjectReader& r, std::string_view family, LanguageModel& m) {
  const auto found = std::ranges::find(kExperts, family, &ExpertKeys::family);
  if (found == kExperts.end()) return;
  const ExpertKeys& keys = *found;
  if (keys.usual_experts == kOptional &&
      (!r.has(keys.experts) || r.required_whole(keys.experts, 0, 1e6) == 0)) {
    if (!keys.shared.empty() && r.has(keys.shared)) m.ffn = width_or(r, keys.shared, m.ffn);
    return;
  }
  MixtureOfExperts moe;
  if (keys.usual_experts <= 0) {
    if (r.has("n_group")) read_expert_groups(r, 1, 1, moe);
    moe.experts = r.required_whole(keys.experts, 1, 1e6);
    moe.experts_per_token = r.required_whole(keys.used, 1, 1e6);
    if (keys.width != "intermediate_size") r.required_whole(keys.width, 1, kWidest);
  } else {
    moe.experts = per_layer_or(r, keys.experts, keys.usual_experts);
    moe.experts_per_token = per_layer_or(r, keys.used, keys.usual_used);
  }
  moe.expert_ffn =
      keys.width == "intermediate_size"
          ? m.ffn
          : per_layer_or(r, keys.width, keys.usual_width > 0 ? keys.usual_width : m.ffn);
  const double shared =
      keys.shared.empty() ? keys.usual_shared : per_layer_or(r, keys.shared, keys.usual_shared);
  moe.shared_ffn = shared >= kLeastWidth ? shared : shared * moe.expert_ffn;
  moe.shared_gate = family == "qwen2_moe" || family == "qwen3_next" || family == "qwen3_5_moe_text";
  moe.dense_layers = dense_layers(r, keys, m.layers);
  moe.router_bias = keys.router_bias;
  moe.expert_bias = keys.all_biases;
  m.attention_sinks = family == "gpt_oss";
  if (family == "llama4_text") m.ffn = r.whole_or("intermediate_size_mlp", 16384, 1, kWidest);
  if (family == "glm4_moe") {
    read_expert_groups(r, 1, 1, moe);
    m.mtp_layers =
        r.has("num_nextn_predict_layers") ? r.required_whole("num_nextn_predict_layers", 0, 64) : 0;
  }
  m.moe = moe;
}

void read_delta_layers(ObjectReader& r, LanguageModel& m) {
  LinearAttention a;
  a.key_heads = width_or(r, "linear_num_key_heads", 16);
  a.key_dim = width_or(r, "linear_key_head_dim", 128);
  a.value_heads = width_or(r, "linear_num_value_heads", 32);
  a.value_dim = width_or(r, "linear_value_head_dim", 128);
  a.conv = width_or(r, "linear_conv_kernel_dim", 4);
  m.linear = a;
  m.output_gate = true;
  const double full = std::min(m.layers, full_attention_layers(r, m.layers));
  const FeedForward ffn = m.moe ? FeedForward::moe : FeedForward::dense;
  add_part(m, Mixer::linear, ffn, m.layers - full);
  add_part(m, Mixer::attention, ffn, full);
}

void read_mamba_layers(ObjectReader& r, LanguageModel& m) {
  m.mamba = read_mamba(r, kBambaMamba);
  for (const char* key : {"mamba_expand", "mamba_proj_bias"}) r.accept(key);
  double attention = 0;
  for (const std::string& type : r.texts_or_empty("layer_types")) attention += type == "attention";
  attention += static_cast<double>(r.array_or_empty("attn_layer_indices").size());
  const FeedForward ffn = m.moe ? FeedForward::moe : FeedForward::dense;
  add_part(m, Mixer::mamba, ffn, m.layers - std::min(m.layers, attention));
  add_part(m, Mixer::attention, ffn, std::min(m.layers, attention));
}

void read_indexer(ObjectReader& r, LanguageModel& m) {
  m.sparse = SparseAttention{width_or(r, "index_n_heads", 64), width_or(r, "index_head_dim", 128),
                             width_or(r, "index_topk", 2048)};
  add_part(m, Mixer::sparse, FeedForward::moe, m.layers);
}

LanguageModel read_nemotron_h(ObjectReader& r) {
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", 131072, 1, 1e9);
  m.hidden = width_or(r, "hidden_size", 4096);
  m.ffn = width_or(r, "intermediate_size", 21504);
  const std::string letters = pattern_letters(r);
  m.layers = r.has("layers_block_type") && !r.has("num_hidden_layers")
                 ? static_cast<double>(letters.size())
                 : r.whole_or("num_hidden_layers", 52, 1, kMostLayers);
  m.heads = width_or(r, "num_attention_heads", 32);
  m.kv_heads = width_or(r, "num_key_value_heads", 8);
  m.head_dim = width_or(r, r.has("attention_head_dim") ? "attention_head_dim" : "head_dim", 128);
  m.tied_embeddings = r.boolean_or("tie_word_embeddings", false);
  m.mlp = Mlp::plain;  // squared ReLU
  m.mamba = read_mamba(r, kNemotronMamba);
  if (letters.find('E') != std::string::npos) m.moe = read_nemotron_experts(r);
  read_letters(r, letters, m);
  return m;
}

}  // namespace trcost::catalog
