// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "trcost/workload.h"
#include "workload/linear_layers.h"

namespace trcost {
namespace {

/// FLOPs per token of scores and values for one head dim's worth of width, over `length` tokens:
/// full attention 4 s, its causal half 2 s; a causal window of w sees 4 (w - w (w-1) / (2 s)).
/// Source: Megatron-LM megatron/training/training.py, num_floating_point_operations.
double core_per_width(double length, double window, bool causal) {
  const double full = causal ? 2 * length : 4 * length;
  if (window <= 0 || window >= length) return full;
  if (!causal) return 4 * window;
  return std::min(full, 4 * (window - window * (window - 1) / (2 * length)));
}

/// Width over which the core works: a d for scores and values; half of each for latent attention,
/// whose two differ: (d_nope + d_rope + d_v) / 2 per head.
double core_width(const LanguageModel& m) {
  if (!m.mla) return m.heads * m.head_dim;
  return m.heads * (m.mla->qk_nope_head_dim + m.mla->qk_rope_head_dim + m.mla->v_head_dim) / 2;
}

/// Scores and values of all layers, MTP modules included, per token.
double attention_core(const LanguageModel& m, double length, bool causal) {
  double mean = 0;
  for (int i = 0; i < m.window_count; ++i) {
    const AttentionWindow& window = m.windows[static_cast<std::size_t>(i)];
    mean += window.share * core_per_width(length, window.window, causal && !m.bidirectional);
  }
  return (m.layers + m.mtp_layers) * core_width(m) * mean;
}

/// Inserted layers: text tokens query the images of their own document, n_kv keys each, no half.
void add_cross_attention(const Workload& w, ForwardFlops& flops) {
  const LanguageModel& m = w.language;
  if (!m.cross_attention || w.images_per_sequence <= 0) return;
  const double image_tokens = w.images_per_sequence * w.vision_tokens_per_image;
  visit_cross_text(m, [&](const LinearLayers& l) {
    flops.cross_attention_gemm += 2 * l.active_weights();
  });
  visit_cross_image(m, [&](const LinearLayers& l) {
    flops.cross_attention_gemm += 2 * l.active_weights() * image_tokens / w.seq_length;
  });
  const double keys = image_tokens * std::min(1.0, w.attention_length / w.seq_length);
  flops.cross_attention_core = m.cross_attention->layers * 4 * keys * m.heads * m.head_dim;
  flops.cross_attention = flops.cross_attention_gemm + flops.cross_attention_core;
}

double encoder_core(const Encoder& e, double tokens, double attention_tokens) {
  const double span = attention_span(e, tokens, attention_tokens);
  const double full_layers = e.window_tokens > 0 ? e.full_attention_layers : e.layers;
  const double window = std::min(e.window_tokens, span);
  return 4 * tokens * e.hidden * (full_layers * span + (e.layers - full_layers) * window);
}

/// Latents attend to the features and to themselves; everything else by the matrices.
double perceiver_flops(const Connector& c, double input, double output, double encoder_tokens,
                       double vision_tokens) {
  const double w = c.width > 0 ? c.width : output;
  const double groups = c.latents > 0 ? vision_tokens / c.latents : 1;
  const double keys = encoder_tokens + vision_tokens;
  const double projection = c.gated_ffn > 0 ? 2 * input * c.gated_ffn + c.gated_ffn * w
                                            : (input == w ? 0 : input * w);
  const double inner = c.heads * c.head_dim;
  const double latent = 2 * w * inner + 3 * w * 4 * w;
  const double key = 2 * w * c.kv_heads * c.head_dim;
  const double core = groups > 0 ? 4 * vision_tokens * keys / groups * inner : 0;
  return 2 * encoder_tokens * projection +
         c.depth * (2 * vision_tokens * latent + 2 * keys * key + core) +
         (w == output ? 0 : 2 * vision_tokens * w * output);
}

double qformer_flops(const Connector& c, double input, double output, double encoder_tokens,
                     double vision_tokens) {
  const double w = c.width;
  const double groups = c.latents > 0 ? vision_tokens / c.latents : 1;
  const double self = 2 * vision_tokens * 12 * w * w + 4 * vision_tokens * c.latents * w;
  const double per_group = groups > 0 ? encoder_tokens / groups : 0;
  const double cross = 2 * (vision_tokens * 2 * w * w + encoder_tokens * 2 * input * w) +
                       4 * vision_tokens * per_group * w;
  return c.depth * self + std::ceil(c.depth / 2) * cross + 2 * vision_tokens * w * output;
}

/// Keys and values of every token; query, output and feed-forward of one.
double attention_pool_flops(const Encoder& e, double encoder_tokens) {
  const double h = e.hidden;
  return 2 * encoder_tokens * 2 * h * h + 4 * encoder_tokens * h + 2 * (2 * h * h + 2 * h * e.ffn);
}

/// Encoder and connector, per image, and what contrastive training adds: the projection of the
/// text and a similarity with every pair of the batch.
void add_vision(const Workload& w, ForwardFlops& flops) {
  if (!w.encoder) return;
  flops.encoder_core =
      encoder_core(*w.encoder, w.encoder_tokens_per_image, w.encoder_attention_tokens);
  flops.encoder = encoder_forward_flops(*w.encoder, w.encoder_tokens_per_image,
                                        w.encoder_attention_tokens);
  if (!w.connector) return;
  const bool pooled = w.contrastive_batch > 0;
  flops.connector =
      connector_forward_flops(*w.connector, *w.encoder, w.language.hidden,
                              w.encoder_tokens_per_image, pooled ? 1 : w.vision_tokens_per_image);
  if (!pooled) return;
  const double width = w.connector->width > 0 ? w.connector->width : w.language.hidden;
  const double text_projection = w.language.hidden * width;
  flops.connector += 2 * text_projection + 2 * w.contrastive_batch * width;
}

}  // namespace

double attention_span(const Encoder& encoder, double tokens, double attention_tokens) {
  const double span = attention_tokens > 0 ? attention_tokens : encoder.tokens_per_image;
  return span > 0 ? std::min(span, tokens) : tokens;
}

double encoder_forward_flops(const Encoder& e, double tokens, double attention_tokens) {
  const double matrices = 4 * e.hidden * e.hidden +
                          (input_matrices(e.mlp) + 1) * e.hidden * e.ffn;
  return tokens * e.layers * 2 * matrices + encoder_core(e, tokens, attention_tokens);
}

double connector_forward_flops(const Connector& c, const Encoder& encoder, double language_hidden,
                               double encoder_tokens, double vision_tokens) {
  const double input = c.input_width > 0 ? c.input_width : encoder.hidden;
  switch (c.kind) {
    case ConnectorKind::linear:
    case ConnectorKind::cross_attention:
      return 2 * vision_tokens * input * c.merge * (c.width > 0 ? c.width : language_hidden);
    case ConnectorKind::mlp:
    case ConnectorKind::pixel_shuffle: {
      const double inner = c.hidden > 0 ? c.hidden : language_hidden;
      return 2 * c.copies * vision_tokens * inner * (input * c.merge + language_hidden);
    }
    case ConnectorKind::perceiver:
      return perceiver_flops(c, input, language_hidden, encoder_tokens, vision_tokens);
    case ConnectorKind::qformer:
      return qformer_flops(c, input, language_hidden, encoder_tokens, vision_tokens);
    case ConnectorKind::attention_pool: return attention_pool_flops(encoder, encoder_tokens);
  }
  return 0;
}

// Per token: 2 x the matrices that it passes + scores and values + 2 h V.
// Source: Megatron-LM megatron/training/training.py, num_floating_point_operations (causal since
// commit 8873b55d6a of March 2025). Packed documents: s -> sum L^2 / sum L.
ForwardFlops forward_flops(const Workload& workload, bool causal) {
  const LanguageModel& m = workload.language;
  ForwardFlops flops;
  const auto add = [&](const LinearLayers& l) { flops.layers_gemm += 2 * l.active_weights(); };
  visit_decoder(m, add);
  visit_mtp(m, add);
  flops.attention_core = attention_core(m, workload.attention_length, causal);
  if (m.output_head) flops.head = 2 * m.hidden * m.vocab * (1 + m.mtp_layers);
  add_cross_attention(workload, flops);
  add_vision(workload, flops);
  return flops;
}

}  // namespace trcost
