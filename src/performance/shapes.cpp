// SPDX-License-Identifier: Apache-2.0
#include "performance/shapes.h"

#include <algorithm>

namespace trcost {
namespace {

LinearShape& add_linear(LayerShape& shape, double k, double n, Split split) {
  LinearShape& added = shape.linear[static_cast<std::size_t>(shape.linears++)];
  added = {n, k, split};
  return added;
}

// Low-rank adapters on every linear layer: x A B is added to the output. Forward reads x, reads and
// writes the output and keeps a copy of the product: (2 k + 6 n) bytes per token and matrix [D].
void add_low_rank(LayerShape& shape, double rank) {
  constexpr double kKernels = 3;  // two matmuls and the sum
  for (int i = 0; i < shape.linears; ++i) {
    const LinearShape& linear = shape.linear[static_cast<std::size_t>(i)];
    if (!linear.adaptable) continue;
    shape.adapter_traffic += linear.tokens * (2 * linear.k + 6 * linear.n);
    shape.adapter_flops += linear.tokens * 2 * rank * (linear.k + linear.n);
    shape.adapter_kernels += kKernels;
  }
  if (shape.experts <= 0) return;
  for (const LinearShape& linear : {shape.expert_in, shape.expert_out}) {
    shape.expert_adapter_traffic += 2 * linear.k + 6 * linear.n;
    shape.expert_adapter_flops += 2 * rank * (linear.k + linear.n);
  }
}

// Bottlenecks h -> r -> h after attention and after the feed-forward, whatever the matrices of the
// layer (Houlsby et al., arXiv:1902.00751, section 2.1). Each reads its input, writes and reads the
// activation on r, and adds its product to the input: 8 h + 8 r bytes per token [D].
void add_bottlenecks(LayerShape& shape, double rank) {
  constexpr double kPerLayer = 2;
  constexpr double kKernels = 4;  // two matmuls, activation, sum
  shape.adapter_traffic += kPerLayer * 8 * (shape.hidden + rank);
  shape.adapter_flops += kPerLayer * 4 * rank * shape.hidden;
  shape.adapter_kernels += kPerLayer * kKernels;
}

// What learns beside frozen matrices in a layer of the language model.
void add_adapters(LayerShape& shape, const Workload& workload) {
  switch (workload.language_training) {
    case Training::lora:
    case Training::qlora: return add_low_rank(shape, workload.lora_rank);
    case Training::adapter: return add_bottlenecks(shape, workload.lora_rank);
    default: return;
  }
}

// Tokens that a token sees: all without a mask, half of its sequence under a causal one, w - w(w-1)/(2s) in a window
// (model.md 2.2); the mean over the layers' windows.
double visible_tokens(const LanguageModel& model, double length) {
  if (model.bidirectional) return length;
  double visible = 0;
  for (int i = 0; i < model.window_count; ++i) {
    const AttentionWindow& part = model.windows[static_cast<std::size_t>(i)];
    const double w = part.window, half = 0.5 * length;
    visible += part.share *
               (w > 0 && w < length ? std::min(half, w - w * (w - 1) / (2 * length)) : half);
  }
  return visible;
}

void add_attention(LayerShape& shape, const LanguageModel& model, double length) {
  const double h = model.hidden;
  const double visible = visible_tokens(model, length);
  double width = 2 * model.heads * model.head_dim;  // of scores and values together
  if (model.mla) {
    const LatentAttention& mla = *model.mla;
    const double key = mla.qk_nope_head_dim + mla.qk_rope_head_dim;
    if (mla.q_lora_rank > 0) {
      add_linear(shape, h, mla.q_lora_rank, Split::none);
      add_linear(shape, mla.q_lora_rank, model.heads * key, Split::output);
    } else {
      add_linear(shape, h, model.heads * key, Split::output);
    }
    add_linear(shape, h, mla.kv_lora_rank + mla.qk_rope_head_dim, Split::none);
    add_linear(shape, mla.kv_lora_rank, model.heads * (mla.qk_nope_head_dim + mla.v_head_dim),
               Split::output);
    add_linear(shape, model.heads * mla.v_head_dim, h, Split::input);
    width = model.heads * (key + mla.v_head_dim);
    shape.head_dim = (key + mla.v_head_dim) / 2;
    shape.kv_bytes = 2 * width;
    shape.kv_heads = model.heads;
  } else {
    add_linear(shape, h, (model.heads + 2 * model.kv_heads) * model.head_dim, Split::output);
    add_linear(shape, model.heads * model.head_dim, h, Split::input);
    shape.head_dim = model.head_dim;
    shape.kv_bytes = 4 * model.kv_heads * model.head_dim;
    shape.kv_heads = model.kv_heads;
  }
  shape.query_width = width / 2;
  shape.attention_flops = 2 * width * visible;
  shape.attention_full_flops = 2 * width * length;
  shape.score_entries = model.heads * length;
  shape.attention_length = 2 * visible;
  // Residual stream and norms: 20 bytes per token and channel; queries, keys, values 4 (model.md 5.1).
  shape.hidden_traffic = (20 + (model.norm == Norm::layer ? 5 : 0)) * h;
  shape.split_traffic = 4 * (width + model.kv_heads * model.head_dim);
  if (!model.mla) {
    shape.split_traffic = 4 * (model.heads + model.kv_heads) * model.head_dim;
  }
  shape.hidden = h;
}

double activation_traffic(Mlp mlp, double ffn) { return (mlp == Mlp::gated ? 6 : 5) * ffn; }

double matrices_in(Mlp mlp) { return mlp == Mlp::gated ? 2 : 1; }

void add_feed_forward(LayerShape& shape, Mlp mlp, double hidden, double ffn) {
  if (ffn <= 0) return;
  add_linear(shape, hidden, matrices_in(mlp) * ffn, Split::output);
  add_linear(shape, ffn, hidden, Split::input);
  shape.split_traffic += activation_traffic(mlp, ffn);
}

void count_matrices(LayerShape& shape) {
  for (int i = 0; i < shape.linears; ++i) {
    const LinearShape& linear = shape.linear[static_cast<std::size_t>(i)];
    shape.parameters += linear.n * linear.k;
    shape.quantise_traffic += linear.tokens * 4 * linear.k;  // read in 16 bit, written twice in 8 (model.md 5.1)
  }
}

}  // namespace

LayerShape dense_layer_shape(const Workload& workload) {
  const LanguageModel& model = workload.language;
  LayerShape shape;
  add_attention(shape, model, workload.attention_length);
  add_feed_forward(shape, model.mlp, model.hidden, model.ffn);
  count_matrices(shape);
  add_adapters(shape, workload);
  return shape;
}

LayerShape expert_layer_shape(const Workload& workload) {
  const LanguageModel& model = workload.language;
  LayerShape shape;
  if (!model.moe) return shape;
  const MixtureOfExperts& moe = *model.moe;
  add_attention(shape, model, workload.attention_length);
  // The gate of the shared experts is one more column of the router.
  const double gates = moe.experts + (moe.shared_gate ? 1 : 0);
  add_linear(shape, model.hidden, gates, Split::none).adaptable = false;
  add_feed_forward(shape, model.mlp, model.hidden, moe.shared_ffn);
  shape.experts = moe.experts;
  shape.experts_per_token = moe.experts_per_token;
  shape.groups_per_token = moe.groups_per_token;
  shape.expert_in = {matrices_in(model.mlp) * moe.expert_ffn, model.hidden, Split::output};
  shape.expert_out = {model.hidden, moe.expert_ffn, Split::input};
  shape.expert_parameters =
      moe.experts * (shape.expert_in.n * shape.expert_in.k + shape.expert_out.n * shape.expert_out.k);
  // Biases keep the activation out of the matmuls' epilogues: both products are read and written
  // twice more [D].
  if (moe.expert_bias) {
    shape.expert_bias_traffic = 8 * (shape.expert_in.n + shape.expert_out.n);
  }
  shape.exchanges = moe.shared_ffn > 0 ? 4 : 2;
  count_matrices(shape);
  add_adapters(shape, workload);
  return shape;
}

LayerShape cross_layer_shape(const Workload& workload) {
  const LanguageModel& model = workload.language;
  LayerShape shape;
  if (!model.cross_attention) return shape;
  const CrossAttention& cross = *model.cross_attention;
  const double width = model.heads * model.head_dim;
  const double image_tokens = workload.images_per_sequence * workload.vision_tokens_per_image;
  const double key_share = workload.seq_length > 0 ? image_tokens / workload.seq_length : 0;
  // A packed text attends to the images of its own document.
  const double own = workload.seq_length > 0
                         ? std::min(1.0, workload.attention_length / workload.seq_length)
                         : 1.0;
  const double keys = image_tokens * own;
  add_linear(shape, model.hidden, width, Split::output);
  // Keys and values are computed for the image's tokens, from the width that the image comes in.
  const double key_width = cross.key_width > 0 ? cross.key_width : model.hidden;
  if (key_share > 0) {
    add_linear(shape, key_width, 2 * model.kv_heads * model.head_dim, Split::output).tokens =
        key_share;
  }
  add_linear(shape, width, model.hidden, Split::input);
  add_feed_forward(shape, model.mlp, model.hidden, cross.ffn);
  shape.head_dim = model.head_dim;
  shape.attention_flops = 4 * width * keys;
  shape.attention_full_flops = shape.attention_flops;
  shape.score_entries = model.heads * keys;
  shape.attention_length = keys;
  shape.hidden = model.hidden;
  shape.hidden_traffic = 20 * model.hidden;
  shape.split_traffic += 4 * width;
  shape.count = cross.layers;
  count_matrices(shape);
  // Bottlenecks stand in the decoder's own layers only.
  if (workload.language_training != Training::adapter) add_adapters(shape, workload);
  return shape;
}

LayerShape encoder_layer_shape(const Encoder& encoder, double span) {
  const double h = encoder.hidden;
  LayerShape shape;
  add_linear(shape, h, 3 * h, Split::output);
  add_linear(shape, h, h, Split::input);
  shape.hidden = h;
  shape.head_dim = encoder.heads > 0 ? h / encoder.heads : h;
  double visible = span;  // bidirectional
  if (encoder.window_tokens > 0 && encoder.window_tokens < span && encoder.layers > 0) {
    const double full = encoder.full_attention_layers / encoder.layers;
    visible = full * span + (1 - full) * encoder.window_tokens;
  }
  shape.attention_flops = 4 * h * visible;
  shape.attention_full_flops = 4 * h * span;
  shape.score_entries = encoder.heads * span;
  shape.attention_length = 2 * visible;
  shape.kv_bytes = 4 * h;
  shape.hidden_traffic = (20 + (encoder.norm == Norm::layer ? 5 : 0)) * h;
  shape.split_traffic = 8 * h;
  add_feed_forward(shape, encoder.mlp, h, encoder.ffn);
  count_matrices(shape);
  shape.count = encoder.layers;
  return shape;
}

}  // namespace trcost
