// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/usual_connector.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace trcost::catalog {

Connector usual_connector(ConnectorKind kind, const LanguageModel& language) {
  Connector c;
  c.kind = kind;
  switch (kind) {
    case ConnectorKind::pixel_shuffle:  // InternVL 1.5: 2 x 2 tokens, a norm, two matrices
      c.merge = 4;
      c.norm = true;
      break;
    case ConnectorKind::perceiver:  // Idefics2
      c.latents = 64;
      c.depth = 3;
      c.heads = 16;
      c.kv_heads = 4;
      c.head_dim = 96;
      c.gated_ffn = language.ffn;
      break;
    case ConnectorKind::qformer:  // BLIP-2
      c.latents = 32;
      c.depth = 12;
      c.heads = 12;
      c.kv_heads = 12;
      c.head_dim = 64;
      c.width = 768;
      break;
    default:
      break;
  }
  return c;
}

CrossAttention usual_cross_attention(const LanguageModel& language) {
  CrossAttention cross;
  cross.layers = std::max(1.0, std::floor(language.layers / 4));
  cross.ffn = language.ffn;
  cross.own_layers_before = std::min(3.0, language.layers);
  return cross;
}

std::optional<double> usual_encoder_tokens(const Encoder& e) {
  return e.tokens_per_image > 0 ? std::optional(e.tokens_per_image) : std::nullopt;
}

std::optional<double> usual_vision_tokens(const Encoder& e, const Connector& c) {
  if (c.kind == ConnectorKind::attention_pool) return 1;
  if (c.kind == ConnectorKind::perceiver || c.kind == ConnectorKind::qformer) return c.latents;
  const std::optional<double> tokens = usual_encoder_tokens(e);
  if (!tokens || c.kind == ConnectorKind::cross_attention) return tokens;
  return std::floor((*tokens - (e.class_token ? 1 : 0)) / c.merge);
}

std::string connector_mismatch(const Encoder& e, const Connector& c) {
  if (c.input_width && std::fmod(*c.input_width, e.hidden) != 0) {
    return fmt::format("the connector reads features {} wide, and {} gives {}", *c.input_width,
                       e.name, e.hidden);
  }
  if (c.norm_width && c.norm_width != e.hidden && c.norm_width != e.hidden * c.merge) {
    return fmt::format("the connector's norm is {} wide, and {} gives {}", *c.norm_width, e.name,
                       e.hidden);
  }
  const bool tokens_are_merged =
      c.merge > 1 && (c.kind == ConnectorKind::linear || c.kind == ConnectorKind::mlp ||
                      c.kind == ConnectorKind::pixel_shuffle);
  if (!tokens_are_merged) return {};
  const double square = std::round(std::sqrt(c.merge));
  if (square * square != c.merge) {
    return fmt::format("{} tokens are no square of neighbours to merge", c.merge);
  }
  if (e.image <= 0 || e.patch <= 0) return {};  // its images are sized to fit
  const double side = std::floor(e.image / e.patch);
  if (std::fmod(side, square) == 0) return {};
  return fmt::format("{} has {} x {} patches, which {} x {} merging does not divide", e.name, side,
                     side, square, square);
}

}  // namespace trcost::catalog
