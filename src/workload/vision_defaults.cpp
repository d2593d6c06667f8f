// SPDX-License-Identifier: Apache-2.0
#include "workload/vision_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog/models/usual_connector.h"
#include "trcost/error.h"
#include "trcost/numbers.h"
#include "workload/workload.h"

namespace trcost::workload {

namespace {

// Least share of the parameters that has to be left for the language model.
constexpr double kSmallestLanguageShare = 0.2;
// Least that shape_from_parameters takes.
constexpr double kSmallestLanguage = 1e3;

}  // namespace

void attach_vision(Model& model, const Encoder& encoder, ConnectorKind kind) {
  VisionModel vision;
  vision.encoder = encoder;
  vision.connector = usual_connector(kind, model.language);
  if (const std::string mismatch = connector_mismatch(encoder, vision.connector);
      !mismatch.empty()) {
    throw Error(ErrorKind::usage, mismatch, "choose another --connector, or another encoder",
                "--connector");
  }
  vision.encoder_tokens_per_image = usual_encoder_tokens(encoder);
  vision.tokens_per_image = usual_vision_tokens(encoder, vision.connector);
  if (kind == ConnectorKind::cross_attention && !model.language.cross_attention) {
    model.language.cross_attention = usual_cross_attention(model.language);
  }
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
  Model model, best;
  double least = params;
  double language = params - encoder_params;
  // What joins the two is as wide as the language model, so its share settles in a few rounds.
  constexpr int kRounds = 12;
  constexpr double kClose = 1e-3;
  constexpr double kDamping = 0.7;  // wide connectors grow with the language model
  for (int round = 0; round < kRounds; ++round) {
    model.language = shape_from_parameters(std::max(language, kSmallestLanguage), vocab);
    attach_vision(model, encoder, kind);
    const double missing = params - count_parameters(model).total;
    if (std::abs(missing) < least) {
      least = std::abs(missing);
      best = model;
    }
    if (least < kClose * params) break;
    language += kDamping * missing;
  }
  return best;
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

}  // namespace trcost::workload
