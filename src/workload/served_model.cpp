// SPDX-License-Identifier: Apache-2.0
#include "workload/served_model.h"

#include <algorithm>

#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "workload/block.h"

namespace trcost {
namespace {

// Attention of one layer: weights, cache width and FLOPs of its core.
struct AttentionSums {
  double params, cache, decode, prefill;
};

AttentionSums latent_attention(const LanguageModel& m) {
  const LatentAttention& a = *m.mla;
  const double query = a.qk_nope_head_dim + a.qk_rope_head_dim;
  const double queries = a.q_lora_rank > 0
                             ? m.hidden * a.q_lora_rank + a.q_lora_rank * m.heads * query
                             : m.hidden * m.heads * query;
  const double cache = a.kv_lora_rank + a.qk_rope_head_dim;
  const double keys = a.kv_lora_rank * m.heads * (a.qk_nope_head_dim + a.v_head_dim);
  const double out = m.heads * a.v_head_dim * m.hidden;
  // Decoding absorbs the up-projections: scores against the latent, values from it (DeepSeek-V2,
  // arXiv:2405.04434, section 2.1.2).
  return {queries + m.hidden * cache + keys + out, cache,
          2 * m.heads * (2 * a.kv_lora_rank + a.qk_rope_head_dim),
          2 * m.heads * (query + a.v_head_dim)};
}

AttentionSums attention_of(const LanguageModel& m) {
  if (m.mla) return latent_attention(m);
  const double queries = m.heads * m.head_dim;
  const double keys = m.kv_heads * m.head_dim;
  return {2 * m.hidden * (queries + keys), 2 * keys, 4 * queries, 4 * queries};
}

// Engines keep the state of a recurrence in 32 bits (mamba_ssm_dtype of the configurations of
// Nemotron-H and Qwen3-Next).
constexpr double kStateBytes = 4;

double state_values(const LanguageModel& m, const Core& core) {
  if (core.scan <= 0) return 0;
  return core.channels * (m.mamba ? m.mamba->state : m.linear->key_dim);
}

// Layers of several kinds, folded over their blocks. The recurrences' own FLOPs, a hundredth of
// their products', are left out.
void add_blocks(const LanguageModel& m, ServedModel& s) {
  for (const Run& run : blocks_of(m)) {
    if (run.module != Module::decoder) continue;
    const Block& block = run.block;
    double dense = 0;
    for (const Matrix& matrix : block.matrices) {
      if (!matrix.routed) {
        dense += matrix.weights();
        continue;
      }
      s.expert_params += run.count * matrix.weights();
      s.active_expert_params += run.count * matrix.active_weights();
    }
    const double inner = (input_matrices(block.mlp) + 1) * block.hidden * block.inner;
    s.dense_params += run.count * inner;
    s.attention_params += run.count * (dense - inner);
    s.branches += run.count * block.branches;
    s.cache_width += run.count * cached_values(block.core) / m.layers;
    s.index_width += run.count * block.core.index_key / m.layers;
    s.index_flops += run.count * 2 * block.core.index_width;
    if (block.core.index_width > 0) s.chosen = block.core.windows[0].window;
    const double flops = run.count * attention_flops(block.core, 1);
    s.decode_flops += flops;
    s.prefill_flops += flops;
    s.state_bytes += run.count * state_values(m, block.core) * kStateBytes;
    if (block.experts.count > 0) s.expert_layers += run.count;
  }
  if (!m.moe) return;
  s.experts = m.moe->experts;
  s.experts_per_token = m.moe->experts_per_token;
}

// Attention in every layer.
void add_layers(const LanguageModel& m, ServedModel& s) {
  const AttentionSums attention = attention_of(m);
  s.branches = 2 * m.layers;
  s.attention_params = m.layers * attention.params;
  s.cache_width = attention.cache;
  s.decode_flops = m.layers * attention.decode;
  s.prefill_flops = m.layers * attention.prefill;
  const double width = (input_matrices(m.mlp) + 1) * m.hidden;
  if (!m.moe) {
    s.dense_params = m.layers * width * m.ffn;
    return;
  }
  const MixtureOfExperts& e = *m.moe;
  s.expert_layers = m.layers - e.dense_layers;
  s.experts = e.experts;
  s.experts_per_token = e.experts_per_token;
  s.expert_params = s.expert_layers * e.experts * width * e.expert_ffn;
  s.active_expert_params = s.expert_layers * e.experts_per_token * width * e.expert_ffn;
  s.dense_params = e.dense_layers * width * m.ffn +
                   s.expert_layers * (width * e.shared_ffn + m.hidden * e.experts);
}

void refuse_unserved(const LanguageModel& m, std::string_view name) {
  if (m.output_head && !m.bidirectional) return;
  throw Error(ErrorKind::usage,
              std::string(name) + " generates nothing: it has no language model's head",
              "give a language model: `trcost list models`", "--model");
}

}  // namespace

ServedModel served_model(const LanguageModel& m, std::string_view name) {
  refuse_unserved(m, name);
  ServedModel s;
  s.layers = m.layers;
  s.hidden = m.hidden;
  s.heads = m.heads;
  s.latent = m.mla.has_value();
  s.kv_heads = s.latent ? 1 : m.kv_heads;
  m.pattern_parts > 0 ? add_blocks(m, s) : add_layers(m, s);
  s.head_params = m.vocab * m.hidden;
  s.tied = m.tied_embeddings;
  s.context = m.context;
  s.windows = m.windows;
  s.window_count = m.window_count;
  return s;
}

double weight_bytes(const ServedModel& m, WeightFormat format) {
  const WeightFormatRow& row = weight_format(format);
  const bool mixture = m.experts > 0;
  return m.attention_params * (mixture ? row.mixture_bytes : row.attention_bytes) +
         m.dense_params * (mixture ? row.mixture_bytes : row.other_bytes) +
         m.expert_params * row.other_bytes + m.head_params * (m.tied ? 2 : 4);
}

double kept_context(const ServedModel& m, double context) {
  double kept = 0;
  for (int i = 0; i < m.window_count; ++i) {
    const auto [share, window] = m.windows[static_cast<std::size_t>(i)];
    kept += share * (window > 0 ? std::min(context, window) : context);
  }
  return kept;
}

double attended_context(const ServedModel& m, double context) {
  const double kept = kept_context(m, context);
  return m.chosen > 0 ? std::min(m.chosen, kept) : kept;
}

double decode_core_flops(const ServedModel& m, double context) {
  const bool chooses = m.chosen > 0 && context > m.chosen;
  return m.decode_flops * attended_context(m, context) + (chooses ? m.index_flops * context : 0);
}

double prefill_core_flops(const ServedModel& m, double prompt) {
  if (m.chosen <= 0 || prompt <= m.chosen) {
    return m.prefill_flops * 0.5 * kept_context(m, prompt);
  }
  // The first tokens see all before them, the others as many as are chosen.
  const double seen = m.chosen - m.chosen * m.chosen / (2 * prompt);
  return m.prefill_flops * seen + m.index_flops * prompt / 2;
}

double cache_bytes_per_token(const ServedModel& m, double bytes_per_number) {
  return m.layers * ((m.cache_width - m.index_width) * bytes_per_number + m.index_width);
}

double read_cache_bytes(const ServedModel& m, double context, double bytes_per_number) {
  const double read = m.layers * (m.cache_width - m.index_width) * bytes_per_number;
  const bool chooses = m.chosen > 0 && context > m.chosen;
  return read * attended_context(m, context) + (chooses ? m.layers * m.index_width * context : 0);
}

double touched_experts(double experts, double per_token, double batch) {
  if (per_token >= experts) return 1;
  return 1 - portable_pow(1 - per_token / experts, batch);
}

double tokens_per_speculative_step(double acceptance, double drafted) {
  if (acceptance >= 1) return drafted + 1;
  if (acceptance <= 0) return 1;
  return (1 - portable_pow(acceptance, drafted + 1)) / (1 - acceptance);
}

}  // namespace trcost
