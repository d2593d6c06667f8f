// SPDX-License-Identifier: Apache-2.0
// Hybrid and sparse layers of a Hugging Face config.json.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catalog/models/architecture_reader.h"
#include "catalog/models/hugging_face/parts.h"

namespace trcost::catalog {

namespace {

double hybrid_width(ObjectReader& r, std::string_view key, double fallback) {
  return r.whole_or(key, fallback, 1, kWidest);
}

void add_part(LanguageModel& m, Mixer mixer, FeedForward ffn, double count) {
  if (count <= 0) return;
  m.pattern[static_cast<std::size_t>(m.pattern_parts++)] = {mixer, ffn, count};
}

/// Layers of full attention among `layers`: those that layer_types names, else every n-th.
double full_attention_layers(ObjectReader& r, double layers) {
  if (const std::vector<std::string> types = r.texts_or_empty("layer_types"); !types.empty()) {
    return static_cast<double>(std::ranges::count(types, "full_attention"));
  }
  return std::floor(layers / r.whole_or("full_attention_interval", 4, 1, kMostLayers));
}

/// What each letter of hybrid_override_pattern stands for.
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

/// What a model is made of does not depend on the order of its layers: one part for each kind.
void read_letters(ObjectReader& r, LanguageModel& m) {
  const std::string letters = r.text_or("hybrid_override_pattern", kUsualPattern);
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

StateSpace read_mamba(ObjectReader& r) {
  StateSpace s;
  s.heads = hybrid_width(r, "mamba_num_heads", 128);
  s.head_dim = hybrid_width(r, "mamba_head_dim", 64);
  s.groups = hybrid_width(r, "n_groups", 8);
  s.state = hybrid_width(r, "ssm_state_size", 128);
  s.conv = hybrid_width(r, "conv_kernel", 4);
  s.conv_bias = r.boolean_or("use_conv_bias", true);
  s.chunk = hybrid_width(r, "chunk_size", 256);
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
  moe.router_bias = true;
  read_expert_groups(r, 1, 1, moe);
  return moe;
}

}  // namespace

void read_delta_layers(ObjectReader& r, LanguageModel& m) {
  LinearAttention a;
  a.key_heads = hybrid_width(r, "linear_num_key_heads", 16);
  a.key_dim = hybrid_width(r, "linear_key_head_dim", 128);
  a.value_heads = hybrid_width(r, "linear_num_value_heads", 32);
  a.value_dim = hybrid_width(r, "linear_value_head_dim", 128);
  a.conv = hybrid_width(r, "linear_conv_kernel_dim", 4);
  m.linear = a;
  m.output_gate = true;
  const double full = std::min(m.layers, full_attention_layers(r, m.layers));
  const FeedForward ffn = m.moe ? FeedForward::moe : FeedForward::dense;
  add_part(m, Mixer::linear, ffn, m.layers - full);
  add_part(m, Mixer::attention, ffn, full);
}

void read_indexer(ObjectReader& r, LanguageModel& m) {
  m.sparse =
      SparseAttention{hybrid_width(r, "index_n_heads", 64), hybrid_width(r, "index_head_dim", 128),
                      hybrid_width(r, "index_topk", 2048)};
  add_part(m, Mixer::sparse, FeedForward::moe, m.layers);
}

LanguageModel read_nemotron_h(ObjectReader& r) {
  LanguageModel m;
  m.vocab = r.whole_or("vocab_size", 131072, 1, 1e9);
  m.hidden = hybrid_width(r, "hidden_size", 4096);
  m.ffn = hybrid_width(r, "intermediate_size", 21504);
  m.layers = r.whole_or("num_hidden_layers", 52, 1, kMostLayers);
  m.heads = hybrid_width(r, "num_attention_heads", 32);
  m.kv_heads = hybrid_width(r, "num_key_value_heads", 8);
  m.head_dim =
      hybrid_width(r, r.has("attention_head_dim") ? "attention_head_dim" : "head_dim", 128);
  m.tied_embeddings = r.boolean_or("tie_word_embeddings", false);
  m.mlp = Mlp::plain;  // squared ReLU
  m.mamba = read_mamba(r);
  if (r.text_or("hybrid_override_pattern", kUsualPattern).find('E') != std::string::npos) {
    m.moe = read_nemotron_experts(r);
  }
  read_letters(r, m);
  return m;
}

}  // namespace trcost::catalog
