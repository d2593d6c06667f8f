// SPDX-License-Identifier: Apache-2.0
#include "workload/served_model.h"

#include <algorithm>
#include <span>

#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "workload/block.h"

namespace trcost {
namespace {

// Engines keep the state of a recurrence in 32 bits (mamba_ssm_dtype of the configurations of
// Nemotron-H and Qwen3-Next).
constexpr double kStateBytes = 4;

double state_values(const LanguageModel& m, const Core& core) {
  if (core.scan <= 0) return 0;
  return core.channels * (m.mamba ? m.mamba->state : m.linear->key_dim);
}

// Decoding absorbs the up-projections of a latent: scores against it, values from it (DeepSeek-V2,
// arXiv:2405.04434, section 2.1.2).
double decode_flops(const Core& core) {
  if (core.kv_latent <= 0 || core.latent_shared) return attention_flops(core, 1);
  return 2 * core.heads * (2 * core.kv_latent + core.shared_key);
}

void add_weights(const Run& run, ServedModel& s) {
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
  const double router = block.hidden * block.experts.count;
  const double inner = (input_matrices(block.mlp) + 1) * block.hidden * block.inner + router;
  s.dense_params += run.count * inner;
  s.attention_params += run.count * (dense - inner);
  s.branches += run.count * block.branches;
  if (block.experts.count > 0) s.expert_layers += run.count;
}

// What a token leaves, and does with what others left. The recurrences' own FLOPs, a hundredth of
// their products', are left out, and so are an image's keys: how many there are, a request decides.
void add_core(const LanguageModel& m, const Run& run, ServedModel& s) {
  const Core& core = run.block.core;
  if (core.cross) return;
  s.cache_width += run.count * cached_values(core) / m.layers;
  s.index_width += run.count * core.index_key / m.layers;
  s.index_flops += run.count * 2 * core.index_width;
  if (core.index_width > 0) s.chosen = core.windows[0].window;
  s.decode_flops += run.count * decode_flops(core);
  s.prefill_flops += run.count * attention_flops(core, 1);
  s.state_bytes += run.count * state_values(m, core) * kStateBytes;
}

void refuse_unserved(const LanguageModel& m, const std::string& name) {
  if (m.output_head && !m.bidirectional) return;
  throw Error(ErrorKind::usage,
              name + " generates nothing: it has no language model's head",
              "give a language model: `trcost list models`", "--model");
}

}  // namespace

ServedModel served_model(const Model& model) {
  const LanguageModel& m = model.language;
  refuse_unserved(m, model.name);
  ServedModel s;
  s.layers = m.layers;
  s.hidden = m.hidden;
  s.heads = m.heads;
  s.latent = m.mla.has_value();
  s.kv_heads = s.latent ? 1 : m.kv_heads;
  for (const Run& run : blocks_of(m)) {
    if (run.module == Module::mtp) continue;
    add_weights(run, s);
    add_core(m, run, s);
  }
  if (m.moe) {
    s.experts = m.moe->experts;
    s.experts_per_token = m.moe->experts_per_token;
  }
  const ParameterCounts counts = count_parameters(model);
  s.image_params = counts.encoder + counts.connector;
  s.head_params = m.vocab * m.hidden;
  s.tied = m.tied_embeddings;
  s.context = m.context;
  s.windows = m.windows;
  s.window_count = m.window_count;
  return s;
}

double unread_bytes(const ServedModel& m) {
  return (m.tied ? 0 : 2 * m.head_params) + kImageBytes * m.image_params;
}

double weight_bytes(const ServedModel& m, WeightFormat format) {
  const WeightFormatRow& row = weight_format(format);
  const bool mixture = m.experts > 0;
  return m.attention_params * (mixture ? row.mixture_bytes : row.attention_bytes) +
         m.dense_params * (mixture ? row.mixture_bytes : row.other_bytes) +
         m.expert_params * row.other_bytes + 2 * m.head_params + unread_bytes(m);
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
  const AttentionWindow chosen[] = {{1, m.chosen}};
  const double seen = m.chosen > 0 ? visible_tokens(chosen, prompt)
                                   : visible_tokens(std::span(m.windows).first(
                                                        static_cast<std::size_t>(m.window_count)),
                                                    prompt);
  const bool chooses = m.chosen > 0 && prompt > m.chosen;
  return m.prefill_flops * seen + (chooses ? m.index_flops * prompt / 2 : 0);
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
