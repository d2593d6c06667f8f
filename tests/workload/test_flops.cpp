// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "catch.h"
#include "workload/blocks/vision.h"
#include "workload/flops.h"
#include "workload/published_flops.h"
#include "workload/reference_vectors.h"
#include "workload/trainable.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

double train_flops(std::string_view name, double seq_length, bool causal = true) {
  return training_flops(reference::text_workload(reference::language(name), seq_length), causal)
      .total();
}

MegatronShape megatron_shape(const nlohmann::json& in) {
  return {in.at("L"), in.at("h"), in.at("V"), in.at("s")};
}

}  // namespace

TEST_CASE("training FLOPs per token, exact", "[workload][flops]") {
  int checked = 0;
  for (const nlohmann::json* vector : reference::with_prefix("train_flops_per_token/")) {
    const nlohmann::json& in = vector->at("inputs");
    if (!in.contains("arch")) continue;
    INFO(vector->at("name"));
    CHECK_THAT(train_flops(in.at("arch").get<std::string>(), in.at("seq")),
               WithinRel(vector->at("expected").get<double>(), 1e-9));
    ++checked;
  }
  CHECK(checked == 6);
  CHECK_THAT(train_flops("deepseek-v3", 4096),
             WithinRel(reference::number("train_flops_per_token/deepseek-v3@4096"), 1e-9));
  LanguageModel with_mtp = reference::language("deepseek-v3");
  with_mtp.mtp_layers = 1;
  CHECK_THAT(training_flops(reference::text_workload(with_mtp, 4096)).total(),
             WithinRel(reference::number("train_flops_per_token/deepseek-v3+MTP@4096"), 1e-9));
}

TEST_CASE("the non-causal count of older tables", "[workload][flops]") {
  for (const char* name : {"llama2-7b", "llama2-70b"}) {
    CHECK_THAT(train_flops(name, 4096, false),
               WithinRel(reference::number("train_flops_per_token_noncausal/" + std::string(name) +
                                           "@4096"),
                         1e-9));
  }
}

TEST_CASE("whole runs", "[workload][flops]") {
  const double tokens = 15.6e12;
  CHECK_THAT(rule_6nd(count_parameters(reference::language("llama3-405b")).active, tokens),
             WithinRel(reference::number("flops/6ND llama3-405b 15.6T"), 1e-12));
  CHECK_THAT(train_flops("llama3-405b", 8192) * tokens,
             WithinRel(reference::number("flops/exact llama3-405b 15.6T @8k"), 1e-9));
}

TEST_CASE("share of attention", "[workload][flops]") {
  for (const auto& [seq_length, name] :
       {std::pair{8192.0, "flops/attn_share llama3-405b @8k"},
        std::pair{131072.0, "flops/attn_share llama3-405b @128k"}}) {
    const Workload w = reference::text_workload(reference::language("llama3-405b"), seq_length);
    CHECK_THAT(3 * forward_flops(w).attention_core / training_flops(w).total(),
               WithinRel(reference::number(name), 1e-9));
  }
}

TEST_CASE("published conventions", "[workload][flops]") {
  for (const nlohmann::json* vector : reference::with_prefix("mfu/korthikanti")) {
    const nlohmann::json& in = vector->at("inputs");
    INFO(vector->at("name"));
    const double flops = korthikanti_step_flops(megatron_shape(in), in.at("B"));
    const double mfu = flops / (in.at("step_s").get<double>() * in.at("gpus").get<double>() *
                                in.at("peak").get<double>());
    CHECK_THAT(mfu, WithinRel(vector->at("expected").get<double>(), 1e-9));
  }
  const nlohmann::json& narayanan = reference::find("flops/narayanan eq3 1T").at("inputs");
  CHECK_THAT(narayanan_step_flops(megatron_shape(narayanan), narayanan.at("B")),
             WithinRel(reference::number("flops/narayanan eq3 1T"), 1e-12));
  CHECK(nvidia_lora_flops_per_token(70553706496, 128256, 8192) ==
        reference::number("lora_flops_per_token/llama3-70b"));
  for (const nlohmann::json* vector : reference::with_prefix("allin_mfu_6ND/")) {
    const nlohmann::json& in = vector->at("inputs");
    INFO(vector->at("name"));
    CHECK_THAT(all_in_mfu(in.at("N"), in.at("D"), in.at("gpu_hours"), in.at("peak")),
               WithinRel(vector->at("expected").get<double>(), 1e-9));
  }
  // arXiv 2204.02311 appendix B: PaLM-540B, 118 layers, 48 heads of 256, 2,048 tokens; its MFU of
  // 46.2 % at 238.3K tokens/s on 6,144 chips of 275 TFLOP/s.
  const double palm = palm_flops_per_token(540.35e9, 118, 48 * 256, 2048);
  CHECK_THAT(238.3e3 * palm / (6144 * 275e12), WithinRel(0.462, 2e-3));
}

TEST_CASE("low-rank adapters: no weight gradients of the base", "[workload][flops]") {
  Workload w = reference::text_workload(reference::language("llama3-70b"), 4096);
  w.language_training = Training::lora;
  const TrainingFlops flops = training_flops(w);
  const double adapters = 6 * lora_parameters(w.language, w.lora_rank);
  const double core = 3 * forward_flops(w).attention_core;
  // The published counter has neither adapters nor attention core and counts the norms as matrices.
  CHECK_THAT(flops.total() - adapters - core,
             WithinRel(reference::number("lora_flops_per_token/llama3-70b"), 1e-4));
  CHECK_THAT(flops.language_wgrad, WithinRel(adapters / 3, 1e-12));
}

TEST_CASE("encoder FLOPs per image", "[workload][flops]") {
  CHECK(encoder_forward_flops(reference::clip_l_336(), 577) ==
        reference::number("vit_flops/clip-l-336 fwd"));
  CHECK(encoder_forward_flops(reference::siglip_so400m_384(), 729) ==
        reference::number("vit_flops/so400m-384 fwd"));
  // Tiles do not see each other: five cost five times one.
  CHECK(encoder_forward_flops(reference::clip_l_336(), 5 * 577) ==
        5 * reference::number("vit_flops/clip-l-336 fwd"));
}

TEST_CASE("windows cut the encoder's attention", "[workload][flops]") {
  Encoder e = reference::clip_l_336();
  e.tokens_per_image = 0;
  const double full = encoder_forward_flops(e, 4096);
  e.window_tokens = 64;
  e.full_attention_layers = 4;
  const double expected = full - 20 * 4 * 4096.0 * 1024 * (4096 - 64);
  CHECK_THAT(encoder_forward_flops(e, 4096), WithinRel(expected, 1e-12));
}

TEST_CASE("packed documents pay for their own length", "[workload][flops]") {
  Workload packed = reference::text_workload(reference::language("llama3-8b"), 8192);
  packed.attention_length = 1024;
  const Workload shorter = reference::text_workload(reference::language("llama3-8b"), 1024);
  CHECK(training_flops(packed).total() == training_flops(shorter).total());
}

TEST_CASE("FLOPs per token grow with length, and windows bound them", "[workload][flops]") {
  LanguageModel windowed = reference::language("llama3-8b");
  windowed.windows[0] = {1, 1024};
  double last = 0, last_windowed = 0;
  for (double s = 128; s <= 1 << 20; s *= 1.5) {
    const double full = train_flops("llama3-8b", s);
    const double bounded = training_flops(reference::text_workload(windowed, s)).total();
    CHECK(full > last);
    CHECK(bounded >= last_windowed);
    CHECK(bounded <= full);
    last = full;
    last_windowed = bounded;
  }
  CHECK(last_windowed < last / 10);
}
