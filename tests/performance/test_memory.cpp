// SPDX-License-Identifier: Apache-2.0
// The formulas of memory against the exact vectors.
#include <nlohmann/json.hpp>
#include <string>

#include "catalog/software/stacks.h"
#include "catch.h"
#include "performance/memory/memory_model.h"
#include "performance/training/step_model.h"
#include "trcost/catalog.h"
#include "workload/blocks/block.h"
#include "workload/blocks/vision.h"
#include "workload/reference_vectors.h"
#include "workload/served_model.h"
#include "workload/trainable.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
// 16-bit weights, 32-bit gradients, Adam (data/model.md 4.1).
constexpr StateBytes kAdam = {2, 4, 12};

struct Korthikanti {
  double layers, hidden, heads, seq, batch, tp, pp, vp;
};

Korthikanti korthikanti(const nlohmann::json& inputs) {
  return {inputs["L"], inputs["h"],  inputs["a"],  inputs["s"],
          inputs["b"], inputs["tp"], inputs["pp"], inputs["vpp"]};
}

/// GPT's layer: as wide queries, keys and values as the hidden state, a feed-forward of four times
/// that, attention materialised, dropout.
ActivationBytes gpt_activations(const Korthikanti& k, Recompute recompute) {
  LayerWidths layer;
  layer.hidden = k.hidden;
  layer.mixer = 4 * k.hidden;
  layer.scores = k.heads * k.seq;
  layer.ffn = 4 * k.hidden;
  layer.gated = false;
  layer.dropout = true;
  return activation_bytes(layer, recompute);
}

/// Activations of the first stage: its layers, times the micro-batches that it holds.
double first_stage_activations(const Korthikanti& k, Recompute recompute, bool sequence_parallel) {
  const double token = gpt_activations(k, recompute).per_token(k.tp, sequence_parallel);
  const double micro_batches = 64 * k.pp;
  return token * k.seq * k.batch * k.layers / k.pp *
         micro_batches_in_flight(k.pp, k.vp, micro_batches);
}

LayerWidths llama3_8b() {
  return layer_widths(blocks_of(reference::language("llama3-8b")).begin()->block);
}

}  // namespace

TEST_CASE("states of the models of arXiv:2205.05198, figure 1", "[memory]") {
  int seen = 0;
  for (const nlohmann::json* vector : reference::with_prefix("mem_states/")) {
    const Korthikanti k = korthikanti((*vector)["inputs"]);
    const double params = 12 * k.hidden * k.hidden * k.layers / (k.tp * k.pp);
    CHECK_THAT(params * kAdam.total() / kGiB,
               WithinRel((*vector)["expected"].get<double>(), 1e-12));
    ++seen;
  }
  CHECK(seen == 4);
}

TEST_CASE("activations of the models of arXiv:2205.05198, figure 1", "[memory]") {
  int seen = 0;
  for (const std::string model : {"22B", "175B", "530B", "1T"}) {
    const auto& none = reference::find("mem_act_none/" + model);
    const Korthikanti k = korthikanti(none["inputs"]);
    CHECK_THAT(first_stage_activations(k, Recompute::none, false) / kGiB,
               WithinRel(none["expected"].get<double>(), 1e-12));
    CHECK_THAT(first_stage_activations(k, Recompute::selective, true) / kGiB,
               WithinRel(reference::number("mem_act_sp_sel/" + model), 1e-12));
    ++seen;
  }
  CHECK(seen == 4);
}

TEST_CASE("activations of a Llama-3-8B layer by recomputation", "[memory]") {
  const auto bytes = [](Recompute recompute) {
    return activation_bytes(llama3_8b(), recompute).per_token(1, false);
  };
  const auto expected = [](const std::string& mode) {
    return reference::number("mem_act_layer_per_token/llama3-8b " + mode);
  };
  CHECK_THAT(bytes(Recompute::none), WithinRel(expected("none"), 1e-12));
  CHECK_THAT(bytes(Recompute::selective), WithinRel(expected("selective"), 1e-12));
  CHECK_THAT(bytes(Recompute::full), WithinRel(expected("full"), 1e-12));
}

TEST_CASE("sharded parameters on 8 and on 128 ranks", "[memory]") {
  const double params = count_parameters(reference::language("llama3-8b")).total;
  const StateBytes states{2, 2, 12};
  const auto on = [&](double ranks) {
    const auto over = [&](Sharding from) { return shard_count(Sharding::parameters, from, ranks); };
    return params / kGiB *
           (states.weights / over(Sharding::parameters) +
            states.gradients / over(Sharding::gradients) +
            states.optimizer / over(Sharding::optimizer));
  };
  CHECK_THAT(on(8) - on(128),
             WithinRel(reference::number("mem_zero3/llama3-8b 8 vs 128 GPUs delta"), 1e-9));
}

TEST_CASE("states and 4-bit weights of whole models", "[memory]") {
  const double params = count_parameters(reference::language("llama2-7b")).total;
  CHECK_THAT(params * kAdam.total() / 1e9,
             WithinRel(reference::number("mem/llama2-7b full FT Megatron 18B/p"), 1e-9));
  const auto packed = [](const LanguageModel& m) {
    const ParameterCounts c = count_parameters(m);
    const double vectors = m.hidden * (2 * m.layers + 1);
    const double linear = c.layers - vectors;
    return (linear * base_bytes(BaseFormat::nf4) + (c.total - linear) * 2) / 1e9;
  };
  CHECK_THAT(packed(reference::language("llama2-7b")),
             WithinRel(reference::number("mem/llama2-7b QLoRA weights"), 1e-9));
  const auto& large = reference::find("mem/llama-65b QLoRA weights");
  CHECK_THAT(packed(reference::language_of(large["inputs"]["arch"])),
             WithinRel(large["expected"].get<double>(), 1e-9));
}

TEST_CASE("adapters, encoder activations and keys", "[memory]") {
  Workload w = reference::text_workload(reference::language("llama2-7b"), 2048);
  w.language_training = Training::lora;
  w.train_embeddings = false;
  w.lora_rank = 128;
  CHECK(count_trainable(w).total == reference::number("lora_params/llama2-7b r=128 all-linear"));
  LayerWidths clip = layer_widths(encoder_block(reference::clip_l_336()));
  clip.statistics = 0;  // of fused attention, which the reference leaves out
  CHECK_THAT(577 * 24 * activation_bytes(clip, Recompute::none).per_token(1, false) / 1e9,
             WithinRel(reference::number("mem_vit_act/clip-l-336 per image"), 1e-12));
  Model model;
  model.language = reference::language("llama3-8b");
  CHECK(cache_bytes_per_token(served_model(model), 2) ==
        reference::number("mem_kv/llama3-8b per token bf16"));
}

TEST_CASE("selective recomputation of materialised attention drops its scores and nothing else",
          "[memory]") {
  // Falcon's kind: 71 heads of 64 over one key and value, a feed-forward of 4 h, no dropout kept.
  LayerWidths layer;
  layer.hidden = 4544;
  layer.mixer = 2 * (71 + 1) * 64;
  layer.scores = 71 * 2048;
  layer.ffn = 18176;
  layer.gated = false;
  const auto token = [&](Recompute recompute) {
    return activation_bytes(layer, recompute).per_token(1, false);
  };
  CHECK(token(Recompute::none) - token(Recompute::selective) == 5 * 71 * 2048);
  CHECK(token(Recompute::selective) == 8 * 4544 + 2 * 2 * 72 * 64 + 4 * 18176);
}

// down(silu(gate) * up) in PyTorch: autograd saves gate, silu(gate), up and the product. A fused
// kernel saves no silu(gate), and neither does a layer that repeats its activation.
TEST_CASE("an eager gated feed-forward keeps the activation of its gate", "[memory]") {
  LayerWidths layer = llama3_8b();
  const auto token = [&](double gate_bytes, Recompute recompute) {
    layer.gate_bytes = gate_bytes;
    return activation_bytes(layer, recompute).per_token(1, false);
  };
  CHECK(token(2, Recompute::none) - token(0, Recompute::none) == 2 * 14336);
  CHECK(token(2, Recompute::selective) == token(0, Recompute::selective));
  CHECK(token(2, Recompute::full) == token(0, Recompute::full));
  layer.gated = false;
  CHECK(token(2, Recompute::none) == token(0, Recompute::none));
}

TEST_CASE("one-forward-one-backward keeps at most the micro-batches that exist", "[memory]") {
  CHECK(micro_batches_in_flight(1, 1, 64) == 1);
  CHECK(micro_batches_in_flight(8, 1, 64) == 8);
  CHECK(micro_batches_in_flight(8, 1, 4) == 4);
  CHECK(micro_batches_in_flight(8, 2, 64) == 8 + 7.0 / 2);
  CHECK(micro_batches_in_flight(8, 2, 8) == 8);
}

// arXiv:2412.19437, section 2.2: one module is a Transformer block like the others, so its experts
// are spread like theirs: 11.3B parameters over 64 ranks at 18 bytes are 3.2 GB, 0.3B dense ones at
// 6 bytes and their share of the optimizer 2 GB. Replicated they would be 70 GB.
TEST_CASE("a multi-token-prediction module adds a layer, not a replica of its experts",
          "[memory]") {
  const Catalog catalog;
  Layout layout;
  layout.pp = 16;
  layout.ep = 64;
  layout.dp = 64;
  layout.global_batch = 1024;
  layout.sharding = Sharding::optimizer;
  layout.recompute = Recompute::full;
  const auto total = [&](const char* name) {
    Workload workload;
    workload.language = catalog.model(name).language;
    workload.seq_length = workload.attention_length = 4096;
    return MemoryModel(workload, catalog.stack("megatron").memory, Precision::bf16,
                       catalog.accelerator("h100-sxm").memory_bytes)
        .use(layout)
        .total;
  };
  CHECK(total("deepseek-v3-mtp") > total("deepseek-v3"));
  CHECK(total("deepseek-v3-mtp") < total("deepseek-v3") + 6e9);
}
