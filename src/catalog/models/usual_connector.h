// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "catalog/models/model.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// The default connector of a kind: that of the released model that introduced it.
Connector usual_connector(ConnectorKind kind, const LanguageModel& language);

/// The default inserted layers, as in Llama 3.2 Vision: one per four of the decoder's own, the
/// first after three. Source: its config.json, cross_attention_layers.
CrossAttention usual_cross_attention(const LanguageModel& language);

/// Tokens of one image of the encoder's own size, in the encoder and in the language model. Empty
/// for an encoder of native resolution.
std::optional<double> usual_encoder_tokens(const Encoder& encoder);
std::optional<double> usual_vision_tokens(const Encoder& encoder, const Connector& connector);

/// The reason why this connector cannot read this encoder, empty if it can. Features are as wide as
/// the encoder, or as several of its layers side by side. Tokens are merged in squares that have to
/// divide the encoder's grid.
std::string connector_mismatch(const Encoder& encoder, const Connector& connector);

}  // namespace trcost::catalog
