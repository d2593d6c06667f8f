// SPDX-License-Identifier: Apache-2.0
// Who pays backward passes when modules are frozen.
#include "catch.h"
#include "trcost/error.h"
#include "workload/flops.h"
#include "workload/reference_vectors.h"
#include "workload/trainable.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

/// LLaVA-1.5-7B: one image of 576 tokens in a sequence of 1,200.
Workload llava(Training language, Training encoder, Training connector) {
  Workload w = reference::text_workload(reference::language("llama2-7b"), 1200);
  w.encoder = reference::clip_l_336();
  w.connector = Connector{};
  w.language_training = language;
  w.encoder_training = encoder;
  w.connector_training = connector;
  w.images_per_sequence = 1;
  w.encoder_tokens_per_image = 577;
  w.vision_tokens_per_image = 576;
  return w;
}

/// Llama 3.2 11B Vision: eight inserted layers, the first after three of the decoder's 32.
Workload llama_vision(Training language, Training connector) {
  Workload w = llava(language, Training::frozen, connector);
  w.language = reference::language("llama3-8b");
  CrossAttention cross;
  cross.layers = 8;
  cross.ffn = 14336;
  cross.own_layers_before = 3;
  w.language.cross_attention = cross;
  w.connector->kind = ConnectorKind::cross_attention;
  w.connector->input_width = 7680;
  w.vision_tokens_per_image = 1601;
  return w;
}

constexpr Training kFrozen = Training::frozen;
constexpr Training kFull = Training::full;

}  // namespace

TEST_CASE("everything learns: three forward passes", "[workload][recipes]") {
  const TrainingFlops f = training_flops(llava(kFull, kFull, kFull));
  CHECK_THAT(f.language(), WithinRel(3 * f.language_forward, 1e-12));
  CHECK_THAT(f.encoder(), WithinRel(3 * f.encoder_forward, 1e-12));
  CHECK_THAT(f.connector(), WithinRel(3 * f.connector_forward, 1e-12));
}

TEST_CASE("projector pre-training sends gradients through the frozen decoder",
          "[workload][recipes]") {
  const Workload w = llava(kFrozen, kFrozen, kFull);
  const TrainingFlops f = training_flops(w);
  const ForwardFlops forward = forward_flops(w);
  CHECK(f.language_wgrad == 0);
  CHECK_THAT(
      f.language(),
      WithinRel(2 * (forward.layers_gemm + forward.head) + 3 * forward.attention_core, 1e-12));
  CHECK(f.encoder_dgrad == 0);
  CHECK(f.encoder_wgrad == 0);
  CHECK_THAT(f.connector(), WithinRel(3 * f.connector_forward, 1e-12));
  // 4 N for 6 N: the measured ratio of LLaVA-1.5's two stages per token is 0.60.
  const double full = training_flops(llava(kFull, kFrozen, kFull)).language();
  CHECK_THAT(f.language() / full, WithinAbs(0.67, 0.01));
}

TEST_CASE("a frozen encoder under a decoder that learns only runs forward", "[workload][recipes]") {
  const TrainingFlops f = training_flops(llava(kFull, kFrozen, kFrozen));
  CHECK(f.encoder_dgrad + f.encoder_wgrad == 0);
  CHECK(f.connector_dgrad + f.connector_wgrad == 0);
  const TrainingFlops upstream = training_flops(llava(kFrozen, kFull, kFrozen));
  CHECK(upstream.connector_dgrad > 0);
  CHECK(upstream.connector_wgrad == 0);
  CHECK(upstream.language_dgrad > 0);
}

TEST_CASE("cached features cost no encoder pass", "[workload][recipes]") {
  Workload w = llava(kFull, kFrozen, kFull);
  w.cached_features = true;
  CHECK(training_flops(w).encoder() == 0);
  CHECK(training_flops(w).connector() > 0);
  w.encoder_training = kFull;
  CHECK_THROWS_AS(training_flops(w), Error);
}

TEST_CASE("nothing upstream learns: the decoder only runs forward", "[workload][recipes]") {
  const TrainingFlops f = training_flops(llava(kFrozen, kFrozen, kFrozen));
  CHECK(f.language_dgrad == 0);
  CHECK(count_trainable(llava(kFrozen, kFrozen, kFrozen)).total == 0);
}

TEST_CASE("inserted layers leave the decoder below them without gradients", "[workload][recipes]") {
  const Workload w = llama_vision(kFrozen, kFull);
  const ForwardFlops forward = forward_flops(w);
  const TrainingFlops f = training_flops(w);
  const double share = 29.0 / 32;
  CHECK_THAT(f.language_dgrad,
             WithinRel(share * (forward.layers_gemm + 2 * forward.attention_core) + forward.head +
                           forward.cross_attention_gemm + 2 * forward.cross_attention_core,
                       1e-12));
  CHECK_THAT(f.language_wgrad, WithinRel(forward.cross_attention_gemm, 1e-12));
  // Eight layers of 218,112,258 parameters and the projector 7680 -> 4096.
  const TrainableCounts counts = count_trainable(w);
  CHECK(counts.connector == 8 * 218112258.0 + 7680.0 * 4096 + 4096);
  CHECK(counts.language == 0);
}

TEST_CASE("inserted layers of a language model with adapters learn as it does",
          "[workload][recipes]") {
  Workload w = llama_vision(Training::lora, kFull);
  w.lora_rank = 16;
  const double projector = 7680.0 * 4096 + 4096, h = 4096, kv = 1024, f = 14336;
  // 16 (in + out) of q, k, v, o, gate, up and down, of 32 own layers and 8 inserted ones alike.
  const double pairs = 16.0 * (2 * (h + h) + 2 * (h + kv) + 3 * (h + f));
  const TrainableCounts counts = count_trainable(w);
  CHECK(counts.connector == projector);
  CHECK(counts.language == 40 * pairs);
  const TrainingFlops flops = training_flops(w);
  // All but those of the image's keys and values, which no token of the text passes.
  CHECK_THAT(flops.language_wgrad, WithinRel(2 * (40 * pairs - 8 * 16.0 * 2 * (h + kv)), 1e-12));
  CHECK(count_trainable(llama_vision(Training::adapter, kFull)).connector == projector);
}

TEST_CASE("cross-attention counts image tokens for keys only", "[workload][recipes]") {
  Workload w = llama_vision(kFull, kFull);
  const ForwardFlops forward = forward_flops(w);
  const double text = 8 * 2 * (2 * 4096.0 * 4096 + 3 * 4096.0 * 14336);
  const double keys = 8 * 2 * 2 * 4096.0 * 1024 * 1601 / 1200;
  CHECK_THAT(forward.cross_attention_gemm, WithinRel(text + keys, 1e-12));
  CHECK_THAT(forward.cross_attention_core, WithinRel(8 * 4 * 1601 * 4096.0, 1e-12));
  w.images_per_sequence = 0;
  CHECK(forward_flops(w).cross_attention == 0);
}

TEST_CASE("trainable parameters by recipe", "[workload][recipes]") {
  const double language = 6738415616, encoder = 303507456, connector = 20979712;
  CHECK(count_trainable(llava(kFull, kFull, kFull)).total == language + encoder + connector);
  CHECK(count_trainable(llava(kFull, kFrozen, kFull)).total == language + connector);
  CHECK(count_trainable(llava(kFrozen, kFrozen, kFull)).total == connector);
  Workload adapter = llava(Training::adapter, kFrozen, kFrozen);
  adapter.lora_rank = 64;
  CHECK(count_trainable(adapter).total == 32 * 2 * (2 * 4096.0 * 64 + 64 + 4096));
  const TrainingFlops f = training_flops(adapter);
  CHECK_THAT(f.language_wgrad, WithinRel(2 * count_trainable(adapter).total, 1e-12));
}
