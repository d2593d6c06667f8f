// SPDX-License-Identifier: Apache-2.0
// The planner's choice against layouts that were published as the best of their authors, both by
// the model's own clock.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "catch.h"
#include "planner/scenarios.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

struct Published {
  const char* source;
  const char* model;
  const char* accelerator;
  const char* stack;
  Precision precision;
  double gpus, seq_length, batch;
  int tp, pp, cp, ep;
  bool shards_weights;  ///< published with ZeRO-3
};

constexpr Precision kBf16 = Precision::bf16;
constexpr Precision kFp8 = Precision::fp8;

const std::vector<Published>& published() {
  static const std::vector<Published> all = {
      {"arXiv:2407.21783, table 4", "llama-3.1-405b", "h100-sxm", "megatron", kBf16, 16384, 8192,
       2048, 8, 16, 1, 1, false},
      {"arXiv:2407.21783, table 4", "llama-3.1-405b", "h100-sxm", "megatron", kBf16, 8192, 8192,
       2048, 8, 16, 1, 1, false},
      {"arXiv:2407.21783, table 4", "llama-3.1-405b", "h100-sxm", "megatron", kBf16, 16384, 131072,
       128, 8, 16, 16, 1, false},
      {"arXiv:2104.04473, table 1", "gpt-3-175b", "a100-sxm-80gb", "megatron", kBf16, 1024, 2048,
       1536, 8, 8, 1, 1, false},
      {"arXiv:2205.05198, table 3", "530b", "a100-sxm-80gb", "megatron", kBf16, 2240, 2048, 2240, 8,
       35, 1, 1, false},
      {"arXiv:2205.05198, table 3", "22b", "a100-sxm-80gb", "megatron", kBf16, 8, 2048, 4, 8, 1, 1,
       1, false},
      {"arXiv:2205.05198, table 3", "1t", "a100-sxm-80gb", "megatron", kBf16, 512, 2048, 512, 8, 64,
       1, 1, false},
      {"arXiv:2412.19437, section 3.2", "deepseek-v3", "h800", "megatron", kFp8, 2048, 4096, 15360,
       1, 16, 1, 64, false},
      {"arXiv:2406.11704, section 2.3", "340b", "h100-sxm", "megatron", kBf16, 6144, 4096, 2304, 8,
       12, 1, 1, false},
      {"NVIDIA NeMo, performance summary 24.07", "llama-3.1-70b", "h100-sxm", "megatron", kBf16, 64,
       8192, 128, 4, 4, 2, 1, false},
      {"NVIDIA NeMo, performance summary 24.07", "llama-3.1-8b", "h100-sxm", "megatron", kBf16, 8,
       8192, 128, 1, 1, 2, 1, false},
      {"NVIDIA NeMo, performance summary 25.04", "llama-3.1-405b", "h100-sxm", "megatron", kFp8,
       1024, 8192, 512, 8, 8, 2, 1, false},
      {"NVIDIA Megatron-Bridge, performance summary", "deepseek-v3", "gb200-nvl72", "megatron",
       kFp8, 256, 4096, 2048, 1, 4, 1, 64, false},
      {"NVIDIA Megatron-Bridge, performance summary", "deepseek-v3", "h100-sxm", "megatron", kFp8,
       1024, 4096, 8192, 2, 8, 1, 64, false},
      {"NVIDIA Megatron-Bridge, performance summary", "qwen3-235b-a22b", "h100-sxm", "megatron",
       kBf16, 256, 4096, 2048, 2, 8, 1, 32, false},
      {"pytorch/torchtitan, benchmarks/llama3_h100_202412", "llama-3.1-70b", "h100-sxm-96gb",
       "fsdp-compiled", kFp8, 256, 8192, 512, 8, 1, 1, 1, true},
      {"pytorch/torchtitan, benchmarks/llama3_h100_202412, 3D", "llama-3.1-405b", "h100-sxm-96gb",
       "fsdp-compiled", kFp8, 512, 8192, 256, 8, 8, 1, 1, true},
      {"NVIDIA NeMo, scaling of Llama 3 70B", "llama-3.1-70b", "h100-sxm", "megatron", kBf16, 2048,
       8192, 2048, 4, 4, 2, 1, false},
      {"NVIDIA Megatron-Bridge, performance summary", "llama-3.1-70b", "gb200-nvl72", "megatron",
       kFp8, 64, 8192, 128, 2, 4, 1, 1, true},
  };
  return all;
}

LanguageModel plain(double layers, double hidden, double heads, double kv_heads, double ffn,
                    double vocab) {
  LanguageModel m;
  m.layers = layers;
  m.hidden = hidden;
  m.heads = heads;
  m.kv_heads = kv_heads;
  m.head_dim = hidden / heads;
  m.ffn = ffn;
  m.vocab = vocab;
  m.mlp = Mlp::plain;
  return m;
}

LanguageModel language_of(const std::string& name) {
  // arXiv:2205.05198, table 3, and arXiv:2406.11704, table 1.
  if (name == "22b") return plain(48, 6144, 64, 64, 4 * 6144, 51200);
  if (name == "530b") return plain(105, 20480, 128, 128, 4 * 20480, 51200);
  if (name == "1t") return plain(128, 25600, 160, 160, 4 * 25600, 51200);
  if (name == "340b") return plain(96, 18432, 96, 8, 73728, 256000);
  return test_catalog().model(name).language;
}

}  // namespace

TEST_CASE("the planner's choice is near published best layouts", "[planner][published]") {
  int near = 0;
  for (const Published& p : published()) {
    const Workload work = reference::text_workload(language_of(p.model), p.seq_length);
    const StepModel model(work, planning::platform(p.accelerator, p.stack, p.precision));
    PlanRequest request;
    request.gpus = p.gpus;
    request.global_batch = p.batch;
    const Plan chosen = plan_with_idle(model, request);
    PlanRequest theirs = request;
    theirs.tp = p.tp;
    theirs.pp = p.pp;
    theirs.cp = p.cp;
    theirs.ep = p.ep;
    const Plan given = plan(model, theirs);
    const double ratio = given.time.seconds / given.layout.global_batch /
                         (chosen.time.seconds / chosen.layout.global_batch);
    const Layout& l = chosen.layout;
    char line[240];
    std::snprintf(line, sizeof line,
                  "%-16s %6.0f %-14s tp %d pp %d cp %d ep %d | tp %d pp %d vp %d cp %d ep %d dp %d "
                  "mbs %.0f zero %d, %.0f idle: %.3f",
                  p.model, p.gpus, p.accelerator, p.tp, p.pp, p.cp, p.ep, l.tp, l.pp, l.vp, l.cp,
                  l.ep, l.dp, l.micro_batch, static_cast<int>(l.sharding), p.gpus - l.gpus(),
                  ratio);
    INFO(p.source);
    INFO(line);
    if (ratio <= 1.05) ++near;
    const bool across_hosts =
        l.dp * l.cp * l.tp > planning::platform(p.accelerator, p.stack).system->usable_per_domain;
    // Weights gathered over the network only where they did, or where both are a tie: the step
    // model misses measured steps by more. Of DeepSeek-V3 on 256 GB200 such a layout comes out 1.3
    // % faster than their pipeline, whose stages fill a rack each, so that its transfers leave it.
    constexpr double kTie = 1.02;
    CHECK_FALSE(
        (l.sharding == Sharding::parameters && across_hosts && !p.shards_weights && ratio > kTie));
    CHECK(l.gpus() == p.gpus);
    CHECK_FALSE((l.pp > 1 && p.pp == 1));
    CHECK(ratio > 0.98);
  }
  // At least so many of 19. The others are 5 to 16 % apart by the step model, most of it the
  // exchange of tensor and context ranks.
  CHECK(near >= 6);
}
