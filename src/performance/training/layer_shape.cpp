// SPDX-License-Identifier: Apache-2.0
#include "performance/training/layer_shape.h"

#include <algorithm>

#include "workload/blocks/block.h"
#include "workload/workload.h"

namespace trcost::performance {
namespace {

// Materialised scores of an encoder, per entry and forward pass, as bytes at the memory's rate.
// With a class token an image has 197, 257 or 577 tokens: odd widths, at which batched
// half-precision products and the softmax in 32 bit run far below their rate. Fused against
// materialised attention on one machine (Chinese-CLIP, flash_attention_En.md, A100: ViT-B/16 469
// and 305 images/s, L/14 163 and 99, L/14 at 336 pixels 68 and 29, H/14 76 and 51) is 280 to 370
// bytes per entry in all.
constexpr double kEncoderScoreBytes = 100;
constexpr double kEncoderScoreBackward = 2;

// Low-rank adapters on the linear layers that take one: x A B is added to the output. Forward reads
// x, reads and writes the output and keeps a copy of the product: (2 k + 6 n) bytes per token and
// matrix [D].
void add_low_rank(LayerShape& shape, double rank) {
  constexpr double kKernels = 3;  // two matmuls and the sum
  for (int i = 0; i < shape.linears; ++i) {
    const LinearShape& linear = shape.linear[static_cast<std::size_t>(i)];
    if (linear.adapted <= 0) continue;
    shape.adapter_traffic += linear.tokens * (2 * linear.k + 6 * linear.adapted);
    shape.adapter_flops += linear.tokens * 2 * rank * (linear.k + linear.adapted);
    shape.adapter_kernels += kKernels;
  }
  if (shape.experts <= 0) return;
  for (const LinearShape& linear : {shape.expert_in, shape.expert_out}) {
    if (linear.adapted <= 0) continue;
    shape.expert_adapter_traffic += 2 * linear.k + 6 * linear.adapted;
    shape.expert_adapter_flops += 2 * rank * (linear.k + linear.adapted);
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

// Adapters of a layer of the language model.
void add_adapters(LayerShape& shape, const Workload& workload) {
  switch (workload.language_training) {
    case Training::lora:
    case Training::qlora:
      return add_low_rank(shape, workload.lora_rank);
    case Training::adapter:
      return add_bottlenecks(shape, workload.lora_rank);
    default:
      return;
  }
}

// Matrices of one kernel are one product as wide as all of them. A cross-attention's keys and
// values are computed for the image's tokens, `image_share` of the layer's.
void add_products(LayerShape& shape, const Block& block, AdapterTargets targets,
                  double image_share) {
  int kernel = -1;
  for (const Matrix& matrix : block.matrices) {
    const double tokens = matrix.of == Stream::image ? image_share : 1;
    if (matrix.routed || tokens <= 0) continue;
    const double out = matrix.count * matrix.out;
    if (matrix.kernel != kernel) {
      shape.linear[static_cast<std::size_t>(shape.linears++)] = {0, matrix.in, matrix.split,
                                                                 tokens};
    }
    LinearShape& linear = shape.linear[static_cast<std::size_t>(shape.linears - 1)];
    linear.n += out;
    linear.adapted += matrix.adapted(targets) * out;
    kernel = matrix.kernel;
  }
  for (int i = 0; i < shape.linears; ++i) {
    const LinearShape& linear = shape.linear[static_cast<std::size_t>(i)];
    shape.parameters += linear.n * linear.k;
    shape.quantise_traffic +=
        linear.tokens * 4 * linear.k;  // read in 16 bit, written twice in 8 (model.md 5.1)
  }
}

// Attention core of tokens that see `seen` of `all` tokens. Materialised attention computes masked
// ones too. A recurrence is assumed to be as fast as attention over its chunk length [D].
void add_core(LayerShape& shape, const Core& core, double seen, double all) {
  shape.score_entries = core.heads * all;
  shape.attention_length = core.scan > 0 ? core.scan_chunk : core.cross ? seen : 2 * seen;
  shape.head_dim = core.scan > 0 ? core.scan_head : (core.qk + core.v) / 2;
}

void add_self_core(LayerShape& shape, const Core& core, double length) {
  add_core(shape, core, visible_tokens(core, length), length);
  shape.attention_flops = core_flops(core, length);
  const bool limited = core.scan > 0 || core.index_width > 0;
  shape.attention_full_flops = limited ? shape.attention_flops : attention_flops(core, length);
}

double activation_traffic(Mlp mlp, double ffn) {
  return (mlp == Mlp::gated ? 6 : 5) * ffn;
}

// Residual stream and norms move 20 bytes per token and channel, queries, keys and values 4
// (model.md 5.1).
void add_traffic(LayerShape& shape, const Block& block) {
  shape.hidden = block.hidden;
  shape.layer_share = block.branches / 2;
  shape.hidden_traffic =
      shape.layer_share * (20 + (block.norm == Norm::layer ? 5 : 0)) * block.hidden;
  shape.split_traffic = 4 * block.core.moved + activation_traffic(block.mlp, block.inner);
  const double mixer = mixes(block.core) ? 2 : 0;
  shape.exchanges = mixer + (block.inner > 0 ? 2 : 0);
  shape.dense_exchanges = 2 * block.branches;
}

void add_experts(LayerShape& shape, const Block& block, AdapterTargets targets) {
  const Experts& experts = block.experts;
  if (experts.count <= 0) return;
  shape.experts = experts.count;
  shape.experts_per_token = experts.per_token;
  shape.groups_per_token = experts.groups_per_token;
  for (const Matrix& matrix : block.matrices) {
    if (!matrix.routed) continue;
    const double out = matrix.count / experts.count * matrix.out;
    const LinearShape linear{out, matrix.in, matrix.split, 1, matrix.adapted(targets) * out};
    (matrix.split == Split::output ? shape.expert_in : shape.expert_out) = linear;
    shape.expert_parameters += experts.count * linear.n * linear.k;
  }
  // Biases keep the activation out of the matmuls' epilogues: both products are read and written
  // twice more [D].
  if (experts.bias) shape.expert_bias_traffic = 8 * (shape.expert_in.n + shape.expert_out.n);
}

// Bytes of a token that other ranks need, 16 bit: latent keys and values in expanded form, unless
// heads attend to the latent itself. Ranks of a recurrence pass on its state, which is small.
void add_exchange(LayerShape& shape, const Core& core) {
  const bool expanded = core.kv_latent > 0 && !core.latent_shared;
  if (core.kv_heads > 0) shape.kv_heads = expanded ? core.heads : core.kv_heads;
  shape.kv_bytes = 2 * shape.kv_heads * (core.qk + core.v);
  shape.query_width = core.scan > 0 ? core.channels : core.width();
  if (!core.latent_shared) return;
  shape.kv_heads = 1;
  shape.kv_bytes = 2 * cached_values(core);
}

}  // namespace

LayerShape decoder_layer_shape(const Workload& workload, const Block& block) {
  LayerShape shape;
  const double length = workload.attention_length;
  add_products(shape, block, workload.lora_targets, 0);
  add_self_core(shape, block.core, length);
  if (workload.attention == Attention::masked) shape.attention_flops = shape.attention_full_flops;
  add_traffic(shape, block);
  add_experts(shape, block, workload.lora_targets);
  add_exchange(shape, block.core);
  add_adapters(shape, workload);
  return shape;
}

LayerShape cross_layer_shape(const Workload& workload, const Block& block) {
  LayerShape shape;
  const CrossTokens image = cross_tokens(workload);
  add_products(shape, block, workload.lora_targets, image.share);
  add_core(shape, block.core, image.keys, image.keys);
  shape.attention_flops = shape.attention_full_flops = attention_flops(block.core, image.keys);
  add_traffic(shape, block);
  // Bottlenecks are added to the decoder's own layers only.
  if (workload.language_training != Training::adapter) add_adapters(shape, workload);
  return shape;
}

LayerShape encoder_layer_shape(const Block& block, double span) {
  LayerShape shape;
  add_products(shape, block, 0, 0);
  add_self_core(shape, block.core, span);
  add_traffic(shape, block);
  add_exchange(shape, block.core);
  shape.score_bytes = kEncoderScoreBytes;
  shape.score_backward = kEncoderScoreBackward;
  return shape;
}

}  // namespace trcost::performance
