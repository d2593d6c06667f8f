// SPDX-License-Identifier: Apache-2.0
// What a vision-language model looks like when only its size is known.
#pragma once

#include <string_view>

#include "catalog/models/model.h"
#include "quantity/layers.h"

namespace trcost::workload {

/// Gives `model` this encoder and a connector of this kind with the usual widths.
/// Throws Error (usage) where the two do not match.
void attach_vision(Model& model, const Encoder& encoder, ConnectorKind kind);

/// A model of `params` in all: the encoder as it is, a connector of this kind, and a language model
/// of what is left by shape_from_parameters. Throws Error (usage) where the encoder alone exceeds
/// `params`, naming it and smaller ones.
Model vision_language_model(double params, const Encoder& encoder, ConnectorKind kind,
                            double vocab);

/// A sample when nothing is said of the data.
struct SampleMix {
  double text_tokens = 0;  ///< per sample
  double images = 1;       ///< per sample that has images
  double image_share = 1;  ///< of the samples
  std::string_view why;
  std::string_view source;
};
/// `pretraining`: a token budget is given or taken; else samples of fine-tuning (captions when only
/// the projector learns, instructions otherwise).
SampleMix default_sample_mix(bool pretraining, bool projector_only);

}  // namespace trcost::workload
