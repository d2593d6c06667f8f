// SPDX-License-Identifier: Apache-2.0
#include "workload/reference_vectors.h"
#include "workload/workload.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catch.h"

namespace reference {
namespace {

using Json = nlohmann::json;
using trcost::Biases;
using trcost::Encoder;
using trcost::LanguageModel;

trcost::MixtureOfExperts mixture_of_experts(const Json& in) {
  trcost::MixtureOfExperts moe;
  moe.experts = in.at("E");
  moe.experts_per_token = in.at("topk");
  moe.expert_ffn = in.at("f_exp");
  moe.shared_ffn = in.value("f_shared", 0.0);
  moe.dense_layers = in.value("L_dense", 0.0);
  moe.router_bias = in.value("router_bias", false);
  moe.expert_bias = in.value("expert_bias", false);
  return moe;
}

trcost::LatentAttention latent_of(const Json& in) {
  trcost::LatentAttention mla;
  mla.q_lora_rank = in.at("q_lora");
  mla.kv_lora_rank = in.at("kv_lora");
  mla.qk_nope_head_dim = in.at("d_nope");
  mla.qk_rope_head_dim = in.at("d_rope");
  mla.v_head_dim = in.at("d_v");
  return mla;
}

void add_windows(LanguageModel& m, const Json& windows) {
  m.window_count = 0;
  for (const Json& window : windows) {
    m.windows.at(static_cast<std::size_t>(m.window_count++)) = {window.at(0), window.at(1)};
  }
}

}  // namespace

const Json& all() {
  static const Json vectors = [] {
    std::ifstream file(TRCOST_SOURCE_DIR "/tests/vectors.json");
    return Json::parse(file);
  }();
  return vectors;
}

const Json& find(std::string_view name) {
  for (const Json& vector : all()) {
    if (vector.at("name").get_ref<const std::string&>() == name) return vector;
  }
  throw std::runtime_error("no reference vector " + std::string(name));
}

std::vector<const Json*> with_prefix(std::string_view prefix) {
  std::vector<const Json*> found;
  for (const Json& vector : all()) {
    if (vector.at("name").get_ref<const std::string&>().starts_with(prefix)) {
      found.push_back(&vector);
    }
  }
  return found;
}

double number(std::string_view name) {
  return find(name).at("expected").get<double>();
}

LanguageModel language_of(const Json& in) {
  LanguageModel m;
  m.layers = in.at("L");
  m.hidden = in.at("h");
  m.heads = in.at("a");
  m.kv_heads = in.at("kv");
  m.head_dim = in.value("d", m.hidden / m.heads);
  m.ffn = in.at("f");
  m.vocab = in.at("V");
  m.mlp = in.at("gated").get<bool>() ? trcost::Mlp::gated : trcost::Mlp::plain;
  m.norm = in.at("norm") == "rms" ? trcost::Norm::rms : trcost::Norm::layer;
  m.tied_embeddings = in.at("tied");
  m.learned_positions = in.value("pos", 0.0);
  m.qk_norm = in.value("qk_norm", 0.0) > 0;
  m.attention_sinks = in.value("sinks", false);
  if (in.value("bias_qkv", false)) m.biases = Biases::qkv;
  if (in.value("bias_o", false)) m.biases = Biases::all;
  if (in.contains("E")) m.moe = mixture_of_experts(in);
  if (in.value("mla", false)) m.mla = latent_of(in);
  if (in.contains("swa")) add_windows(m, in.at("swa"));
  return m;
}

LanguageModel language(std::string_view name) {
  if (name == "llama3-405b") {
    LanguageModel m = language("llama3-70b");
    m.layers = 126;
    m.hidden = 16384;
    m.heads = 128;
    m.ffn = 53248;
    return m;
  }
  for (const char* prefix : {"params/", "params_active/"}) {
    for (const Json* vector : with_prefix(std::string(prefix) + std::string(name))) {
      if (vector->at("inputs").contains("V")) return language_of(vector->at("inputs"));
    }
  }
  throw std::runtime_error("no reference model " + std::string(name));
}

trcost::Workload text_workload(const LanguageModel& language, double seq_length) {
  trcost::Workload w;
  w.language = language;
  w.seq_length = seq_length;
  w.attention_length = seq_length;
  return w;
}

Encoder clip_l_336() {
  Encoder e;
  e.layers = 24;
  e.hidden = 1024;
  e.heads = 16;
  e.ffn = 4096;
  e.patch = 14;
  e.image = 336;
  e.class_token = true;
  e.pre_norm = true;
  e.post_norm = true;
  e.tokens_per_image = 577;
  return e;
}

Encoder siglip_so400m_384() {
  Encoder e;
  e.layers = 27;
  e.hidden = 1152;
  e.heads = 16;
  e.ffn = 4304;
  e.patch = 14;
  e.image = 384;
  e.patch_bias = true;
  e.post_norm = true;
  e.tokens_per_image = 729;
  return e;
}

}  // namespace reference

TEST_CASE("every group of reference vectors for the workload is there", "[workload]") {
  for (const char* prefix :
       {"params/", "params_active/", "shape_from_params/", "loss/", "train_flops_per_token",
        "lora_", "flops/", "vit_flops/", "mfu/", "chinchilla_optimal/", "allin_mfu_6ND/"}) {
    INFO(prefix);
    CHECK_FALSE(reference::with_prefix(prefix).empty());
  }
}
