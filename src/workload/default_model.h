// SPDX-License-Identifier: Apache-2.0
// Models of which only the size is known, and samples of which nothing is known.
#pragma once

#include <string_view>

#include "catalog/models/model.h"
#include "quantity/layers.h"

namespace trcost::workload {

/// The default language model of a parameter count: head dim 128, hidden/layers near 128,
/// SwiGLU, grouped queries, tied embeddings below 3e9. `params` from 1e3 to 1e16, total within
/// 0.3 % of it from 1e9 on. If the embedding alone would exceed `params` (below 3.5e7 at a
/// vocabulary of 128,256), the result has a smaller vocabulary and head dim. Throws Error (usage)
/// outside the range.
LanguageModel shape_from_parameters(double params, double vocab);

/// Gives `model` this encoder and a connector of this kind with the usual widths. Throws Error
/// (usage) if the two do not match.
void attach_vision(Model& model, const Encoder& encoder, ConnectorKind kind);

/// A model of `params` parameters: the encoder, a connector of this kind, and a language model by
/// shape_from_parameters() of the rest. Throws Error (usage) if the encoder alone exceeds `params`.
Model vision_language_model(double params, const Encoder& encoder, ConnectorKind kind,
                            double vocab);

/// Default sample of training with images.
struct SampleMix {
  double text_tokens = 0;  ///< per sample
  double images = 1;       ///< per sample that has images
  double image_share = 1;  ///< of the samples
  std::string_view why;
  std::string_view source;
};
/// The default for `pretraining`, which has a token budget, else for fine-tuning: captions if only
/// the projector learns, else instructions.
SampleMix default_sample_mix(bool pretraining, bool projector_only);

}  // namespace trcost::workload
