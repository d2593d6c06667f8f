// SPDX-License-Identifier: Apache-2.0
// From a model file's form to blocks. A new kind of mixer is a function in block_builder.cpp.
#include <algorithm>
#include <array>
#include <tuple>

#include "workload/blocks/block_builder.h"
#include "workload/blocks/vision.h"

namespace trcost::workload {

namespace {

/// Biases of a feed-forward of inner width `ffn`.
double feed_forward_biases(const LanguageModel& m, double ffn) {
  return input_matrices(m.mlp) * ffn + m.hidden;
}

void add_dense_feed_forward(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  if (m.ffn <= 0) return;
  block.inner = m.ffn;
  matrices.feed_forward(m.hidden, m.ffn, m.mlp);
  if (m.biases == Biases::all) block.vectors += feed_forward_biases(m, m.ffn);
}

/// A router, routed experts, and the shared expert that every token passes, whose gate is one more
/// column of the router.
void add_experts(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  const MixtureOfExperts& moe = *m.moe;
  const double width = moe.latent > 0 ? moe.latent : m.hidden;
  block.experts = {moe.experts,          moe.experts_per_token, moe.expert_ffn,
                   moe.groups_per_token, moe.expert_bias,       width};
  matrices.add(m.hidden, moe.experts, Split::none).target = 0;
  if (moe.shared_gate) matrices.fused(m.hidden, 1, Split::none).target = 0;
  if (moe.router_bias) block.vectors += moe.experts;
  if (moe.shared_ffn > 0) {
    block.inner = moe.shared_ffn;
    matrices.feed_forward(m.hidden, moe.shared_ffn, m.mlp);
    if (moe.expert_bias) block.vectors += feed_forward_biases(m, moe.shared_ffn);
  }
  const auto routed = [&](Matrix& matrix, double of_one) {
    matrix.routed = true;
    matrix.target = matrix.split == Split::input ? target::down : input_targets(m.mlp);
    matrix.count = of_one * moe.experts;
    matrix.active = of_one * moe.experts_per_token;
  };
  // modeling_nemotron_h.py of Nemotron 3 Super, fc1_latent_proj and fc2_latent_proj.
  if (moe.latent > 0) {
    matrices.add(m.hidden, width, Split::none);
    matrices.add(width, m.hidden, Split::none);
  }
  routed(matrices.add(width, moe.expert_ffn, Split::output), input_matrices(m.mlp));
  routed(matrices.add(moe.expert_ffn, width, Split::input), 1);
  if (moe.expert_bias) block.expert_vectors = feed_forward_biases(m, moe.expert_ffn);
}

/// Layers of one kind.
struct Kind {
  Mixer mixer = Mixer::attention;
  FeedForward ffn = FeedForward::dense;
  double count = 0;
  Place place = Place::spread;
};

Block decoder_layer(const LanguageModel& m, Mixer mixer, FeedForward ffn) {
  Block block;
  block.hidden = m.hidden;
  block.mlp = m.mlp;
  block.norm = m.norm;
  add_mixer(m, mixer, block);
  LayerMatrices matrices(block.matrices);
  if (ffn == FeedForward::moe) add_experts(m, block, matrices);
  if (ffn == FeedForward::dense) add_dense_feed_forward(m, block, matrices);
  // A layer of one branch has half of the norms.
  block.branches = (mixer == Mixer::none ? 0 : 1) + (ffn == FeedForward::none ? 0 : 1);
  block.vectors +=
      block.branches / 2 * m.norms_per_layer * norm_vectors(m.norm, m.hidden, m.norm_bias);
  return block;
}

// Each part of a pattern is of two kinds at most: where it leads, its experts are left out.
using Kinds = InlineList<Kind, 2 * std::tuple_size_v<decltype(LanguageModel::pattern)>>;

void add_layers(Kinds& kinds, Kind kind) {
  if (kind.count <= 0) return;
  for (Kind& known : kinds) {
    if (known.mixer != kind.mixer || known.ffn != kind.ffn || known.place != kind.place) continue;
    known.count += kind.count;
    return;
  }
  kinds.push_back(kind);
}

/// The first `leading` layers with experts have a dense feed-forward instead; how many are left
/// for the next part.
double add_part(const PatternPart& part, double leading, Kinds& kinds) {
  const double dense = part.ffn == FeedForward::moe ? std::min(leading, part.count) : 0;
  add_layers(kinds, {part.mixer, FeedForward::dense, dense, Place::first});
  add_layers(kinds, {part.mixer, part.ffn, part.count - dense, Place::spread});
  return std::max(0.0, leading - part.count);
}

Kinds kinds_of(const LanguageModel& m) {
  Kinds kinds;
  double leading = m.moe ? m.moe->dense_layers : 0;
  if (m.pattern_parts == 0) {
    const FeedForward ffn = m.moe ? FeedForward::moe : FeedForward::dense;
    add_part({Mixer::attention, ffn, m.layers}, leading, kinds);
    return kinds;
  }
  double left = m.layers;
  while (left > 0) {
    for (int i = 0; i < m.pattern_parts && left > 0; ++i) {
      PatternPart part = m.pattern[static_cast<std::size_t>(i)];
      part.count = std::min(part.count, left);
      left -= part.count;
      leading = add_part(part, leading, kinds);
    }
  }
  return kinds;
}

/// A layer of attention and the last layer's feed-forward, the join of hidden state and embedding,
/// 2h to h, a norm of each of the two and a final one (DeepSeek-V3, arXiv:2412.19437, section 2.2).
Block prediction_module(const LanguageModel& m) {
  Block block = decoder_layer(m, m.sparse ? Mixer::sparse : Mixer::attention,
                              m.moe ? FeedForward::moe : FeedForward::dense);
  Matrix join;
  join.in = 2 * m.hidden;
  join.out = m.hidden;
  join.kernel = block.matrices.back().kernel + 1;
  block.matrices.push_back(join);
  block.joined = 2;
  block.vectors += 3 * norm_vectors(m.norm, m.hidden, m.norm_bias);
  return block;
}

/// Attention to the image and a feed-forward of its own, two norms, head norms of query and key,
/// two gates. Source: modeling_mllama.py of transformers, MllamaCrossAttentionDecoderLayer.
Block cross_layer(const LanguageModel& m) {
  const CrossAttention& cross = *m.cross_attention;
  Block block;
  LayerMatrices matrices(block.matrices);
  block.hidden = m.hidden;
  block.mlp = m.mlp;
  block.core.heads = m.heads;
  block.core.kv_heads = m.kv_heads;
  block.core.qk = block.core.v = m.head_dim;
  block.core.causal = false;
  block.core.cross = true;
  const double width = cross.key_width > 0 ? cross.key_width : m.hidden;
  matrices.add(m.hidden, m.heads * m.head_dim, Split::output).target = target::query;
  Matrix& keys = matrices.add(width, m.kv_heads * m.head_dim, Split::output, 2);
  keys.of = Stream::image;
  keys.target = target::key | target::value;
  matrices.add(m.heads * m.head_dim, m.hidden, Split::input).target = target::output;
  block.core.kept = 2 * m.heads * m.head_dim;  // queries and the output
  block.core.kept_of_image = 2 * m.kv_heads * m.head_dim;
  block.core.moved = m.heads * m.head_dim;
  block.inner = cross.ffn;
  if (cross.ffn > 0) matrices.feed_forward(m.hidden, cross.ffn, m.mlp);
  block.vectors = 2 * norm_vectors(m.norm, m.hidden, m.norm_bias) + 2 * m.head_dim + 2;
  return block;
}

}  // namespace

Runs blocks_of(const LanguageModel& m) {
  const Kinds kinds = kinds_of(m);
  Runs runs;
  runs.reserve(kinds.size() + 2);
  for (const Kind& kind : kinds) {
    runs.push_back(
        {decoder_layer(m, kind.mixer, kind.ffn), kind.count, kind.place, Module::decoder});
  }
  if (m.cross_attention) {
    runs.push_back({cross_layer(m), m.cross_attention->layers, Place::spread, Module::cross});
  }
  if (m.mtp_layers > 0) {
    runs.push_back({prediction_module(m), m.mtp_layers, Place::last, Module::mtp});
  }
  return runs;
}

double layer_count(const LanguageModel& m) {
  return m.layers + (m.cross_attention ? m.cross_attention->layers : 0) + m.mtp_layers;
}

double head_outputs(const LanguageModel& m) {
  if (!m.output_head) return 0;
  return m.scalar_head ? 1 : m.vocab;
}

LanguageModel with_scalar_head(LanguageModel m) {
  if (!m.output_head) return m;
  m.scalar_head = true;
  m.tied_embeddings = false;
  m.mtp_layers = 0;
  return m;
}

double head_in_layers(const LanguageModel& m) {
  if (!m.output_head) return 0;
  double weights = 0, layers = 0;
  for (const Run& run : blocks_of(m)) {
    if (run.module != Module::decoder) continue;
    for (const Matrix& matrix : run.block.matrices) weights += run.count * matrix.active_weights();
    layers += run.count;
  }
  return weights > 0 ? head_outputs(m) * m.hidden * layers / weights : 0;
}

double own_parameters(const Block& block) {
  double sum = block.vectors;
  for (const Matrix& matrix : block.matrices) {
    if (!matrix.routed) sum += matrix.weights();
  }
  return sum;
}

double expert_parameters(const Block& block, double experts) {
  double sum = experts * block.expert_vectors;
  for (const Matrix& matrix : block.matrices) {
    if (matrix.routed) sum += matrix.weights() * experts / block.experts.count;
  }
  return sum;
}

double adapter_inputs(const Block& block, AdapterTargets targets) {
  double sum = 0;
  for (const Matrix& matrix : block.matrices) {
    if (matrix.of != Stream::image) sum += matrix.adapted(targets) * matrix.active * matrix.in;
  }
  return sum;
}

double adapter_widths(const Block& block, Adapted which, AdapterTargets targets) {
  double sum = 0;
  for (const Matrix& matrix : block.matrices) {
    const bool active = which == Adapted::active;
    const bool left_out = (which == Adapted::own && matrix.routed) ||
                          (which == Adapted::routed && !matrix.routed) ||
                          (active && matrix.of == Stream::image);
    if (left_out) continue;
    sum += matrix.adapted(targets) * (active ? matrix.active : matrix.count) *
           (matrix.in + matrix.out);
  }
  return sum;
}

// N = sum over blocks of matrices and vectors + final norm + V h (1 tied, 2 not) + positions h.
// Sources: Megatron-LM megatron/training/theoretical_memory_usage.py; the modeling files of
// transformers, whose totals it meets exactly.
ParameterCounts count_parameters(const LanguageModel& m) {
  ParameterCounts counts;
  counts.embedding = (m.vocab + m.extra_embedding_rows + m.learned_positions) * m.hidden;
  counts.head = m.tied_embeddings ? 0 : head_outputs(m) * m.hidden;
  if (m.head_bias) counts.head += head_outputs(m);
  counts.layers = norm_vectors(m.norm, m.hidden, m.norm_bias);
  double routed_active = 0;
  for (const Run& run : blocks_of(m)) {
    const Experts& experts = run.block.experts;
    const double own = run.count * own_parameters(run.block);
    const double routed = run.count * expert_parameters(run.block, experts.count);
    if (run.module == Module::mtp) {
      counts.mtp += own + routed;
      counts.mtp_expert += routed;
      continue;
    }
    counts.layers += own + routed;
    counts.expert += routed;
    routed_active += run.count * expert_parameters(run.block, experts.per_token);
  }
  counts.language = counts.embedding + counts.layers + counts.head;
  counts.total = counts.language;
  counts.active = counts.total - counts.expert + routed_active;
  return counts;
}

ParameterCounts count_parameters(const Model& model) {
  ParameterCounts counts = count_parameters(model.language);
  if (!model.vision) return counts;
  counts.encoder = encoder_parameters(model.vision->encoder);
  counts.connector =
      connector_parameters(model.vision->connector, model.vision->encoder, model.language.hidden);
  counts.total += counts.encoder + counts.connector;
  counts.active += counts.encoder + counts.connector;
  return counts;
}

}  // namespace trcost::workload
