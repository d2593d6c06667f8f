// SPDX-License-Identifier: Apache-2.0
#include "trcost/vision_defaults.h"

#include <fmt/format.h>

#include "trcost/error.h"
#include "trcost/numbers.h"
#include "trcost/workload.h"

namespace trcost {
namespace {

// Least share of the parameters that has to be left for the language model.
constexpr double kSmallestLanguageShare = 0.2;

Connector connector_of(ConnectorKind kind, const Encoder& encoder) {
  Connector out;
  out.kind = kind;
  if (kind == ConnectorKind::pixel_shuffle) {
    out.merge = 4;  // 2x2 neighbours, InternVL and Qwen2-VL
    out.norm = true;
  }
  if (kind == ConnectorKind::perceiver || kind == ConnectorKind::qformer) {
    // Idefics2 (arXiv:2405.02246): 64 latents, 3 layers; BLIP-2 (arXiv:2301.12597): 32, 12 layers.
    const bool perceiver = kind == ConnectorKind::perceiver;
    out.latents = perceiver ? 64 : 32;
    out.depth = perceiver ? 3 : 12;
    out.width = perceiver ? encoder.hidden : 768;
    out.heads = perceiver ? 16 : 12;
    out.kv_heads = perceiver ? 4 : 12;
    out.head_dim = perceiver ? 96 : 64;
  }
  return out;
}

double tokens_after(const Connector& connector, const Encoder& encoder) {
  if (connector.latents > 0) return connector.latents;
  const double patches = encoder.tokens_per_image - (encoder.class_token ? 1 : 0);
  return patches / connector.merge;
}

}  // namespace

EncoderChoice default_encoder(double params) {
  constexpr double kSmall = 1e9;
  constexpr double kLarge = 30e9;
  if (params < kSmall) {
    return {"siglip-base-16-224", "below 1B parameters released models use a ViT-B",
            "nanoVLM, SmolVLM-256M"};
  }
  if (params < kLarge) {
    return {"clip-vit-l-14-336", "the usual encoder of 1B to 30B models",
            "LLaVA-1.5 (arXiv:2310.03744)"};
  }
  return {"siglip-so400m-14-384", "the usual encoder of models above 30B",
          "Cambrian-1 (arXiv:2406.16860), Idefics2 (arXiv:2405.02246)"};
}

void attach_vision(Model& model, const Encoder& encoder, ConnectorKind kind) {
  VisionModel vision;
  vision.encoder = encoder;
  vision.connector = connector_of(kind, encoder);
  vision.encoder_tokens_per_image = encoder.tokens_per_image;
  vision.tokens_per_image = tokens_after(vision.connector, encoder);
  model.vision = vision;
  model.token_family = encoder.token_family;
}

Model vision_language_model(double params, const Encoder& encoder, ConnectorKind kind,
                            double vocab) {
  const double encoder_params = encoder_parameters(encoder);
  if (params - encoder_params < kSmallestLanguageShare * params) {
    throw Error(ErrorKind::usage,
                fmt::format("the encoder {} alone has {} parameters of {}", encoder.name,
                            format_number(encoder_params, NumberKind::count),
                            format_number(params, NumberKind::count)),
                "choose a smaller --vision-encoder (`trcost list encoders`) or more --params");
  }
  Model model;
  double language = params - encoder_params;
  // The projector's width is the language model's, so its share settles after a round or two.
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    model.language = shape_from_parameters(language, vocab);
    attach_vision(model, encoder, kind);
    language = params - encoder_params -
               connector_parameters(model.vision->connector, encoder, model.language.hidden);
  }
  return model;
}

SampleMix default_sample_mix(bool pretraining, bool projector_only) {
  if (pretraining) {
    return {512, 1, 0.5, "half of the documents carry an image; 512 text tokens each",
            "between caption pairs and interleaved pages: MM1 (arXiv:2403.09611), "
            "Idefics2 (arXiv:2405.02246)"};
  }
  if (projector_only) {
    return {44, 1, 1, "captions of image-text pairs",
            "LLaVA-1.5 pre-training, 558K pairs of about 620 tokens with 576 of the image"};
  }
  return {324, 1, 1, "instructions about an image",
          "LLaVA-1.5 instruction tuning, 665K samples of about 900 tokens with 576 of the image"};
}

}  // namespace trcost
