// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <string>

#include "catalog/assumed.h"
#include "catalog/models/models.h"
#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/tokens.h"
#include "workload/blocks/vision.h"
#include "workload/default_model.h"
#include "workload/workload.h"

using namespace trcost;

TEST_CASE("a vision-language model of a given size has that size", "[workload][vision_defaults]") {
  const Catalog catalog;
  for (double params = 1.5e9; params < 1e13; params *= 1.9) {
    for (const ConnectorKind kind :
         {ConnectorKind::linear, ConnectorKind::mlp, ConnectorKind::pixel_shuffle,
          ConnectorKind::perceiver, ConnectorKind::qformer, ConnectorKind::cross_attention}) {
      INFO(params << " connector " << static_cast<int>(kind));
      const Encoder& encoder = catalog.encoder(catalog.assumed().vision_encoder(params).name);
      const Model model = vision_language_model(params, encoder, kind, 128256);
      const ParameterCounts counts = count_parameters(model);
      // The perceiver's projection is as wide as the feed-forward, which moves in steps.
      const bool stepped = params < 4e9 || kind == ConnectorKind::perceiver;
      CHECK_THAT(counts.total, WithinRel(params, stepped ? 0.02 : 5e-3));
      CHECK(counts.encoder == encoder_parameters(encoder));
      CHECK(counts.connector > 0);
      CHECK((kind == ConnectorKind::cross_attention) == model.language.cross_attention.has_value());
      // Of one size, or by the rule of any size.
      CHECK((model.vision->tokens_per_image > 0 || !model.token_family.empty()));
    }
  }
}

TEST_CASE("default encoders are in the catalog and leave room for the rest",
          "[workload][vision_defaults]") {
  const Catalog catalog;
  for (double params = 3e8; params <= 1e16; params *= 3) {
    const EntryChoice& choice = catalog.assumed().vision_encoder(params);
    CHECK(encoder_parameters(catalog.encoder(choice.name)) < 0.5 * params);
    CHECK_FALSE(choice.why.empty());
    CHECK_FALSE(choice.source.empty());
  }
}

TEST_CASE("an encoder larger than the model is refused", "[workload][vision_defaults]") {
  const Catalog catalog;
  CHECK_THROWS_AS(
      vision_language_model(5e9, catalog.encoder("internvit-6b-448"), ConnectorKind::mlp, 128256),
      Error);
}

TEST_CASE("connectors of the catalog's models do their own work", "[workload][connectors]") {
  const Catalog catalog;
  const auto flops = [&](const char* name, double encoder_tokens, double tokens) {
    const Model& model = catalog.model(name);
    return connector_forward_flops(model.vision->connector, model.vision->encoder,
                                   model.language.hidden, encoder_tokens, tokens);
  };
  // 2 FLOPs per weight and token: LLaVA's two matrices, Qwen2-VL's merger over four tokens.
  CHECK(flops("llava-1.5-7b", 577, 576) == 576 * 2.0 * (1024 * 4096 + 4096 * 4096));
  CHECK(flops("qwen2-vl-7b", 1024, 256) == 256 * 2.0 * (5120 * 5120 + 5120 * 3584));
  CHECK(flops("paligemma-3b", 256, 256) == 256 * 2.0 * 1152 * 2048);
  CHECK(flops("smolvlm-256m", 1024, 64) == 64 * 2.0 * (16 * 768) * 576);
  // Idefics2: the gated projection of 4,900 features is most of it, the resampler the rest.
  const double projection = 4900 * 2.0 * (2 * 1152 * 14336.0 + 14336 * 4096.0);
  const double idefics = flops("idefics2-8b", 4900, 64);
  CHECK(idefics > projection);
  CHECK(idefics < 1.5 * projection);
}

TEST_CASE("the families that a file needs no rule for are those whose rule counts all images alike",
          "[workload][tokens]") {
  for (const TokenFamily& family : token_families()) {
    if (!family.image) continue;
    INFO(family.name);
    // What comes out of the rule, the encoder.
    std::set<std::pair<std::int64_t, std::int64_t>> counts;
    for (const ImageSize size :
         {ImageSize{160, 120}, ImageSize{336, 336}, ImageSize{640, 480}, ImageSize{1024, 1024},
          ImageSize{1920, 1080}, ImageSize{448, 1344}}) {
      const TokenCount count = count_image_tokens(family.name, size);
      counts.insert({count.vision, count.vision_encoder.value_or(0)});
    }
    VisionModel vision;
    vision.encoder.tokens_per_image = 256;
    set_usual_tokens(vision, family.name);
    CHECK((vision.encoder_tokens_per_image > 0) == (counts.size() == 1));
  }
}
