// SPDX-License-Identifier: Apache-2.0
// Encoders and connectors as matrices and cores, for parameters, FLOPs and memory.
#pragma once

#include "quantity/layers.h"
#include "workload/blocks/block.h"

namespace trcost::workload {

/// One layer of an encoder. Patch embedding, positions and outer norms are none.
Block encoder_block(const Encoder& encoder);

/// Parameters of an encoder, exact.
double encoder_parameters(const Encoder& encoder);

/// Tokens that attend to each other within an image of `tokens`: `attention_tokens`, else the
/// encoder's own input, at most the image.
double attention_span(const Encoder& encoder, double tokens, double attention_tokens);
/// FLOPs of scores and values of all layers over one image.
double encoder_core_flops(const Encoder& encoder, double tokens, double attention_tokens);
/// FLOPs of one forward pass over one image of `tokens` encoder tokens in groups of
/// `attention_tokens` that attend to each other (0: all): T L 2 (4 h^2 + k h f) + 4 L T S h.
double encoder_forward_flops(const Encoder& encoder, double tokens, double attention_tokens = 0);

/// Parameters of a connector to a language model of width `language_hidden`, exact.
double connector_parameters(const Connector& connector, const Encoder& encoder,
                            double language_hidden);
/// FLOPs of one forward pass of the connector over one image.
double connector_forward_flops(const Connector& connector, const Encoder& encoder,
                               double language_hidden, double encoder_tokens, double vision_tokens);
/// Values that its backward pass needs, of one image.
double connector_kept_values(const Connector& connector, const Encoder& encoder,
                             double language_hidden, double encoder_tokens, double vision_tokens);

}  // namespace trcost::workload
