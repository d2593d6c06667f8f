// SPDX-License-Identifier: Apache-2.0
// Modules that pass gradients in FLOPs pass them in time.
#include <string_view>

#include "catch.h"
#include "performance/training/step_account.h"
#include "planner/scenarios.h"
#include "workload/flops.h"
#include "workload/trainable.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

/// Llama 3.2 11B with one image of four tiles in a sequence.
Workload llama_vision(Training language, Training encoder, Training connector) {
  const Model& model = test_catalog().model("llama-3.2-11b-vision");
  Workload w = reference::text_workload(model.language, 8192);
  w.encoder = model.vision->encoder;
  w.connector = model.vision->connector;
  w.images_per_sequence = 1;
  w.encoder_tokens_per_image = model.vision->encoder.tokens_per_image;
  w.vision_tokens_per_image = 6404;
  w.language_training = language;
  w.encoder_training = encoder;
  w.connector_training = connector;
  return w;
}

/// Seconds of a module's matmuls, input and weight gradients.
struct Backward {
  double input = 0, weight = 0;
};
Backward backward(const StepAccount& account, std::string_view module) {
  Backward sum;
  for (const KernelAccount& kernel : account.kernels) {
    if (kernel.module != module || kernel.kind != KernelKind::matmul) continue;
    sum.input += kernel.layers * kernel.input_gradients;
    sum.weight += kernel.layers * kernel.weight_gradients;
  }
  return sum;
}

constexpr Training kFrozen = Training::frozen, kFull = Training::full;

}  // namespace

TEST_CASE("trainable weights have gradients, in FLOPs and in time", "[gradients]") {
  for (const Training language : {kFrozen, kFull, Training::lora}) {
    for (const Training encoder : {kFrozen, kFull}) {
      for (const Training connector : {kFrozen, kFull}) {
        const Workload w = llama_vision(language, encoder, connector);
        const Gradients of = gradients_of(w);
        const StepAccount account =
            StepModel(w, planning::platform("h100-sxm", "megatron")).account(Layout{});
        const auto holds = [&](std::string_view module, const Passing& passing) {
          INFO(module);
          const Backward seconds = backward(account, module);
          CHECK((seconds.input > 0) == (passing.backward > 0));
          if (language != Training::lora || module == "head") {
            CHECK((seconds.weight > 0) == passing.weights);
          }
        };
        holds("layers", of.language);
        holds("cross-attention layers", of.cross);
        holds("head", of.head);
        holds("vision encoder", of.encoder);
        const TrainingFlops flops = training_flops(w);
        CHECK((flops.language_dgrad > 0) == (of.language.backward > 0));
        CHECK((flops.encoder_wgrad > 0) == of.encoder.weights);
        CHECK((flops.connector_dgrad > 0) == (of.connector.backward > 0));
      }
    }
  }
}

// modeling_mllama.py: an inserted layer belongs to what reads the image, and learns with it.
TEST_CASE("inserted trainable layers in a frozen decoder take time for their gradients",
          "[gradients]") {
  const auto account = [](Training connector) {
    const Workload w = llama_vision(kFrozen, kFull, connector);
    return StepModel(w, planning::platform("h100-sxm", "megatron")).account(Layout{});
  };
  const Backward learning = backward(account(kFull), "cross-attention layers");
  const Backward frozen = backward(account(kFrozen), "cross-attention layers");
  CHECK(frozen.weight == 0);
  CHECK(learning.input == frozen.input);
  CHECK(learning.weight > 0.5 * learning.input);
}

TEST_CASE("without an image inserted layers are skipped, in FLOPs and in time", "[gradients]") {
  Workload w = llama_vision(kFull, kFull, kFull);
  w.images_per_sequence = 0;
  CHECK(forward_flops(w).cross_attention == 0);
  const StepAccount account =
      StepModel(w, planning::platform("h100-sxm", "megatron")).account(Layout{});
  for (const KernelAccount& kernel : account.kernels) {
    CHECK(kernel.module != "cross-attention layers");
  }
}
