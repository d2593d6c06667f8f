// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "trcost/model.h"
#include "workload/linear_layers.h"

namespace trcost {
namespace {

double norm_parameters(Norm norm, double width) {
  return norm == Norm::layer ? 2 * width : width;
}

/// Patch embedding, class token and position table.
double stem_parameters(const Encoder& e) {
  double params = e.channels * e.patch * e.patch * e.temporal_patch * e.hidden;
  if (e.patch_bias) params += e.hidden;
  if (e.class_token) params += e.hidden;
  if (e.learned_positions && e.patch > 0) {
    const double side = std::floor(e.image / e.patch);
    params += (side * side + (e.class_token ? 1 : 0)) * e.hidden;
  }
  return params;
}

/// One layer: 4 h^2, feed-forward, biases, two norms, layer scales, norms of query and key.
double layer_parameters(const Encoder& e) {
  const double h = e.hidden, into = input_matrices(e.mlp);
  double params = 4 * h * h + (into + 1) * h * e.ffn + 2 * norm_parameters(e.norm, h);
  if (e.biases == Biases::all) params += 4 * h + into * e.ffn + h;
  if (e.biases == Biases::qkv) params += 3 * h;
  params -= e.missing_biases * h;
  if (e.layer_scale) params += 2 * h;
  if (e.qk_norm) params += 2 * norm_parameters(e.norm, h);
  return params;
}

/// Latents that attend to image and latents, a gated feed-forward of four times the width, three
/// RMS norms per layer and one last; before it, a gated projection of the features to the width.
/// Source: modeling_idefics2.py of transformers, Idefics2PerceiverResampler and Idefics2MLP.
double perceiver_parameters(const Connector& c, double input, double output) {
  const double w = c.width > 0 ? c.width : output;
  const double projection =
      c.gated_ffn > 0 ? 2 * input * c.gated_ffn + c.gated_ffn * w : (input == w ? 0 : input * w);
  const double attention = 2 * w * c.heads * c.head_dim + 2 * w * c.kv_heads * c.head_dim;
  const double layer = attention + 3 * w * 4 * w + 3 * w;
  const double out = w == output ? 0 : w * output;
  return projection + c.latents * w + c.depth * layer + w + out;
}

/// BERT layers over learned queries, cross-attention to the image in every other one, biases and
/// LayerNorms; then one matrix to the language model. Source: modeling_blip_2.py of transformers,
/// Blip2QFormerModel without text input.
double qformer_parameters(const Connector& c, double input, double output) {
  const double w = c.width;
  const double self = 4 * (w * w + w) + 2 * w;
  const double feed_forward = 2 * w * 4 * w + 5 * w + 2 * w;
  const double cross = 2 * (w * w + w) + 2 * (input * w + w) + 2 * w;
  return c.latents * w + 2 * w + c.depth * (self + feed_forward) + std::ceil(c.depth / 2) * cross +
         w * output + output;
}

/// A learned query, an attention, a norm and a feed-forward, all with biases.
/// Source: modeling_siglip.py of transformers, SiglipMultiheadAttentionPoolingHead.
double attention_pool_parameters(const Encoder& e) {
  const double h = e.hidden;
  return h + 4 * (h * h + h) + 2 * h + 2 * h * e.ffn + e.ffn + h;
}

}  // namespace

// channels p^2 T h + class token + positions + L (4 h^2 + feed-forward + norms) + outer norms.
// Sources: modeling_clip.py, modeling_siglip.py, modeling_qwen2_vl.py, modeling_mllama.py of
// transformers; InternViT's modeling_intern_vit.py.
double encoder_parameters(const Encoder& e) {
  double params = stem_parameters(e) + e.layers * layer_parameters(e);
  if (e.pre_norm) params += norm_parameters(e.norm, e.hidden);
  if (e.post_norm) params += norm_parameters(e.norm, e.hidden);
  return params + e.extra_params;
}

// linear: d_in d_out; mlp: d_in d_hid + d_hid d_out, each with biases; d_in counts merged tokens.
// Sources: LLaVA-1.5 (arXiv 2310.03744), InternVL 1.5 (2404.16821), BLIP-2 (2301.12597).
double connector_parameters(const Connector& c, const Encoder& encoder, double language_hidden) {
  const double input = c.input_width > 0 ? c.input_width : encoder.hidden;
  const double merged = input * c.merge;
  const double bias = c.biases ? 1 : 0;
  double params = c.extra_params;
  if (c.norm) params += norm_parameters(c.norm_type, c.norm_width > 0 ? c.norm_width : merged);
  switch (c.kind) {
    case ConnectorKind::linear:
    case ConnectorKind::cross_attention: {
      const double out = c.width > 0 ? c.width : language_hidden;
      return params + (merged + bias) * out;
    }
    case ConnectorKind::mlp:
    case ConnectorKind::pixel_shuffle: {
      const double inner = c.hidden > 0 ? c.hidden : language_hidden;
      return params + c.copies * ((merged + bias) * inner + (inner + bias) * language_hidden);
    }
    case ConnectorKind::perceiver:
      return params + perceiver_parameters(c, input, language_hidden);
    case ConnectorKind::qformer:
      return params + qformer_parameters(c, input, language_hidden);
    case ConnectorKind::attention_pool:
      return params + attention_pool_parameters(encoder);
  }
  return params;
}

}  // namespace trcost
