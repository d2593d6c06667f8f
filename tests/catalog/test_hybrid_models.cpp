// SPDX-License-Identifier: Apache-2.0
// Hybrid and sparse models: configurations as published, held against published totals and a second
// count of their FLOPs.
#include <algorithm>
#include <string>

#include "catalog/models/models.h"
#include "catalog/software/stacks.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "json/strict_json.h"
#include "performance/memory/memory_model.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "workload/flops.h"
#include "workload/served_model.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

LanguageModel language(const char* name) {
  return test_catalog().model(name).language;
}

// Of one token, as an engine keeps them; an indexer's key has 8 bits.
double cached_bytes(const LanguageModel& m, double bytes) {
  Model model;
  model.language = m;
  return cache_bytes_per_token(served_model(model), bytes);
}

LanguageModel of_config(const std::string& json) {
  return test_model(json, "config.json").language;
}

std::string refusal(const std::string& pattern) {
  try {
    of_config(R"({"name": "mine", "language": {"layers": 4, "hidden": 64, "heads": 4, "ffn": 128,
              "vocab": 1000, )" +
              pattern + "}}");
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::data);
    return error.message;
  }
  return {};
}

ForwardFlops forward(const LanguageModel& m, double length) {
  Workload workload;
  workload.language = m;
  workload.seq_length = workload.attention_length = length;
  return forward_flops(workload);
}

double per_token(const LanguageModel& m, double length) {
  const ForwardFlops flops = forward(m, length);
  return flops.layers_gemm + flops.attention_core + flops.head;
}

// Per token, as Megatron-LM counts them: megatron/training/training.py, mamba_layer_flops (without
// the convolution), attn_layer_flops, mlp_layer_flops, gdn_layer_flops, moe_layer_flops.
double mamba_flops(double h, double state, double groups, double heads, double inner) {
  return 2 * h * (2 * inner + 2 * groups * state + heads) + 7 * inner * state + 2 * inner * h;
}
double attention_layer_flops(double h, double heads, double kv, double dim, double length) {
  const double p = dim * heads / h;
  return 4 * h * p * (h + h * (kv / heads) + length / 2);
}
double delta_flops(double h, double key_dim, double value_dim, double key_heads, double value_heads,
                   double conv) {
  const double qk = key_dim * key_heads, v = value_dim * value_heads;
  return 2 * (h * (2 * qk + 2 * v + 2 * value_heads) + conv * (2 * qk + v) +
              value_heads * value_dim * value_dim * 4 + h * v);
}

}  // namespace

TEST_CASE("FLOPs of Nemotron-H are those that Megatron-LM counts", "[models][hybrid]") {
  const double length = 8192, vocab = 131072;
  const double small = 24 * mamba_flops(4096, 128, 8, 128, 8192) +
                       4 * attention_layer_flops(4096, 32, 8, 128, length) +
                       24 * 4 * 4096.0 * 21504 + 2 * 4096 * vocab;
  CHECK_THAT(per_token(language("nemotron-h-8b"), length), WithinRel(small, 1e-3));
  const double large = 54 * mamba_flops(8192, 256, 8, 256, 16384) +
                       10 * attention_layer_flops(8192, 64, 8, 128, length) +
                       54 * 4 * 8192.0 * 32768 + 2 * 8192 * vocab;
  CHECK_THAT(per_token(language("nemotron-h-56b"), length), WithinRel(large, 1e-3));
  // Routers are left out there.
  const double experts = 23 * (4 * 2688.0 * (6 * 1856 + 3712) + 2 * 2688.0 * 128);
  const double sparse = 23 * mamba_flops(2688, 128, 8, 64, 4096) +
                        6 * attention_layer_flops(2688, 32, 2, 128, length) + experts +
                        2 * 2688 * vocab;
  CHECK_THAT(per_token(language("nemotron-3-nano-30b-a3b"), length), WithinRel(sparse, 1e-3));
}

TEST_CASE("FLOPs of Qwen3-Next are those that Megatron-LM counts", "[models][hybrid]") {
  const double length = 32768, h = 2048;
  const double gate = 2 * h * 16 * 256;  // of the attention's output, which it leaves out
  const double experts = 6 * h * 512 * (10 + 1) + 2 * h * (512 + 1);
  const double sum = 36 * delta_flops(h, 128, 128, 16, 32, 4) +
                     12 * (attention_layer_flops(h, 16, 2, 256, length) + gate) + 48 * experts +
                     2 * h * 151936;
  CHECK_THAT(per_token(language("qwen3-next-80b-a3b"), length), WithinRel(sum, 1e-9));
}

TEST_CASE("tokens of DeepSeek-V3.2 attend to 2,048, chosen from all before", "[models][hybrid]") {
  const LanguageModel sparse = language("deepseek-v3.2"), dense = language("deepseek-v3");
  constexpr int kLength = 131072;
  double attended = 0, scored = 0;
  for (int at = 0; at < kLength; ++at) {
    attended += std::min(at + 1, 2048);
    scored += at + 0.5;
  }
  // Heads on the latent of 512 and the shared key of 64 (multi-query mode); 64 index heads of 128.
  const double core =
      61 * (2 * 128 * (512 + 64 + 512) * attended + 2 * 64 * 128 * scored) / kLength;
  CHECK_THAT(forward(sparse, kLength).attention_core, WithinRel(core, 1e-9));
  // arXiv:2512.02556, section 2.3: what grows with the square of the length is the indexer's.
  CHECK(3 * forward(sparse, kLength).attention_core < forward(dense, kLength).attention_core);
  const double indexer = 61 * (1536.0 * 64 * 128 + 7168 * 128 + 7168 * 64 + 2 * 128);
  CHECK(count_parameters(sparse).total - count_parameters(dense).total == indexer);
  // Nothing to choose from where all is attended to.
  const double all = 61 * 2 * 128 * (512 + 64 + 512) * 1024.0 / 2;
  CHECK_THAT(forward(sparse, 1024).attention_core, WithinRel(all, 1e-9));
}

TEST_CASE("active parameters of hybrids are as published", "[models][hybrid]") {
  // NVIDIA Nemotron 3 Nano technical report: 3.6B active, 3.2B without the embedding.
  const ParameterCounts nano = count_parameters(language("nemotron-3-nano-30b-a3b"));
  CHECK_THAT(nano.active, WithinRel(3.6e9, 0.01));
  CHECK_THAT(nano.active - nano.embedding, WithinRel(3.2e9, 0.01));
  // Qwen3-Next's card: 79B without embeddings, 3B activated.
  const ParameterCounts next = count_parameters(language("qwen3-next-80b-a3b"));
  const double embeddings = next.embedding + next.head;
  CHECK_THAT(next.total - embeddings, WithinRel(79e9, 0.002));
  CHECK_THAT(next.active - embeddings, WithinRel(3e9, 0.1));
}

TEST_CASE("only layers of attention leave a cache that grows", "[models][hybrid]") {
  CHECK(cached_bytes(language("nemotron-3-nano-30b-a3b"), 2) == 6.0 * 1024);
  CHECK(cached_bytes(language("nemotron-h-8b"), 2) == 4.0 * 2 * 8 * 128 * 2);
  CHECK(cached_bytes(language("qwen3-next-80b-a3b"), 2) == 12.0 * 2 * 2 * 256 * 2);
  // The latent, its shared key, and the indexer's.
  CHECK(cached_bytes(language("deepseek-v3.2"), 1) == 61.0 * (512 + 64 + 128));
}

TEST_CASE("config.json of a hybrid is the catalog's model", "[models][hybrid][hugging_face]") {
  const auto same = [](const LanguageModel& read, const char* name) {
    INFO(name);
    const LanguageModel known = language(name);
    CHECK(count_parameters(read).total == count_parameters(known).total);
    CHECK(count_parameters(read).active == count_parameters(known).active);
    CHECK_THAT(per_token(read, 8192), WithinRel(per_token(known, 8192), 1e-12));
    CHECK(cached_bytes(read, 2) == cached_bytes(known, 2));
  };
  same(of_config(R"({"model_type": "nemotron_h", "hidden_size": 2688, "intermediate_size": 1856,
    "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "num_hidden_layers": 52,
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
    "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8,
    "conv_kernel": 4, "chunk_size": 128, "n_routed_experts": 128, "num_experts_per_tok": 6,
    "moe_intermediate_size": 1856, "n_shared_experts": 1,
    "moe_shared_expert_intermediate_size": 3712, "vocab_size": 131072})"),
       "nemotron-3-nano-30b-a3b");
  // Sizes by the class's defaults; the order of layers has none.
  same(of_config(R"({"model_type": "nemotron_h", "hybrid_override_pattern":
    "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-"})"),
       "nemotron-h-8b");
  CHECK_THROWS_WITH(of_config(R"({"model_type": "nemotron_h"})"),
                    Catch::Matchers::Contains("lacks hybrid_override_pattern"));
  same(of_config(R"({"model_type": "qwen3_next"})"), "qwen3-next-80b-a3b");
  same(of_config(R"({"model_type": "deepseek_v32"})"), "deepseek-v3.2");
  // Layers by name instead of by interval.
  const LanguageModel named = of_config(R"({"model_type": "qwen3_next", "num_hidden_layers": 4,
    "layer_types": ["linear_attention", "full_attention", "linear_attention", "full_attention"]})");
  CHECK(cached_bytes(named, 1) == 2.0 * 2 * 2 * 256);
}

TEST_CASE("a pattern that cannot be is refused", "[models][hybrid]") {
  CHECK(refusal(R"("pattern": [{"block": "mamba"}])").find("\"mamba\" is missing") !=
        std::string::npos);
  CHECK(refusal(R"("pattern": [{"count": 3}])").find("3 layers long") != std::string::npos);
  CHECK(refusal(R"("pattern": [{"block": "none", "ffn": "none"}])").find("is empty") !=
        std::string::npos);
  CHECK(refusal(R"("pattern": [{"ffn": "moe"}])").find("\"moe\" is missing") != std::string::npos);
  CHECK(refusal(R"("mamba": {"heads": 2, "head_dim": 64, "state": 16})").find("need a pattern") !=
        std::string::npos);
  CHECK(refusal(R"("sparse": {"index_heads": 1, "index_dim": 64, "top_k": 16},
                   "pattern": [{"block": "sparse"}])")
            .find("\"mla\" is missing") != std::string::npos);
  CHECK(refusal(R"("pattern": [{"block": "mamb"}])").find("mamb") != std::string::npos);
}

TEST_CASE("an estimate of a hybrid says that nothing published holds it", "[models][hybrid]") {
  const auto answer = [](const char* name) {
    Scenario s;
    s.set_text(Field::model_name, name);
    s.set_number(Field::data_tokens, 1e12);
    s.set_text(Field::hardware_accelerator, "h100-sxm");
    s.set_number(Field::hardware_gpus, 512);
    return estimate(s, test_catalog()).front();
  };
  const Estimate hybrid = answer("nemotron-h-8b"), dense = answer("llama-3.1-8b");
  CHECK(hybrid.performance.method.find("not held against published rows") != std::string::npos);
  CHECK(hybrid.performance.quality->sigma > dense.performance.quality->sigma);
  // Of about as many parameters, with fewer layers of attention.
  CHECK(hybrid.flops.per_token < dense.flops.per_token);
  CHECK(hybrid.performance.mfu > 0.2);
  CHECK(hybrid.performance.mfu < 0.6);
}

TEST_CASE("a hybrid is not served as if all its layers were of attention", "[models][hybrid]") {
  // Of 52 layers 4 keep keys and values, of 8 heads of 128 (config.json of Nemotron-H-8B-Base).
  const ServedModel hybrid = served_model(test_catalog().model("nemotron-h-8b"));
  CHECK(cache_bytes_per_token(hybrid, 2) == Approx(4 * 2 * 8 * 128 * 2));
  CHECK(hybrid.state_bytes > 0);
}

// Everything that a device without parallelism holds is the model's, whatever its layers.
TEST_CASE("states of a hybrid on one device are those of its parameters", "[models][hybrid]") {
  for (const char* name : {"nemotron-h-56b", "nemotron-3-nano-30b-a3b", "qwen3-next-80b-a3b",
                           "deepseek-v3.2", "llama-3.1-8b"}) {
    INFO(name);
    Workload workload;
    workload.language = language(name);
    workload.seq_length = workload.attention_length = 4096;
    const MemoryRecipe recipe = assumed_stack(test_catalog()).memory;
    const MemoryUse use = MemoryModel(workload, recipe, Precision::bf16, 1e15).use(Layout{});
    const double params = count_parameters(workload.language).total;
    CHECK_THAT(use.weights, WithinRel(params * recipe.states.weights, 1e-9));
    CHECK_THAT(use.gradients, WithinRel(params * recipe.states.gradients, 1e-9));
    CHECK_THAT(use.optimizer, WithinRel(params * recipe.states.optimizer, 1e-9));
    // As many stages as divide the layers hold it once.
    Layout split;
    split.pp = 2;
    MemoryModel model(workload, recipe, Precision::bf16, 1e15);
    const MemoryUse first = model.stage(split, MemoryModel::Stage::first);
    const MemoryUse last = model.stage(split, MemoryModel::Stage::last);
    CHECK_THAT(first.weights + last.weights, WithinRel(params * recipe.states.weights, 1e-9));
  }
}
