// SPDX-License-Identifier: Apache-2.0
#include "workload/served_model.h"

#include <algorithm>

#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "workload/blocks/block.h"

namespace trcost::workload {

namespace {

// Engines keep the state of a recurrence in 32 bits (mamba_ssm_dtype of the configurations of
// Nemotron-H and Qwen3-Next).
constexpr double kStateBytes = 4;

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

// Adds the attention of a run of layers. The recurrences' own FLOPs, a hundredth of their
// products', are left out, and so are an image's keys, whose number depends on the request.
void add_served_core(const Run& run, ServedModel& s) {
  const Core& core = run.block.core;
  if (core.cross) return;
  s.state_bytes += run.count * core.channels * core.state * kStateBytes;
  if (core.heads <= 0) return;
  for (ServedCore& known : s.cores) {
    if (known.core != core) continue;
    known.layers += run.count;
    return;
  }
  s.cores.push_back({core, run.count});
}

template <class Of>
double over_cores(const ServedModel& m, const Of& of) {
  double sum = 0;
  for (const ServedCore& each : m.cores) sum += each.layers * of(each.core);
  return sum;
}

void refuse_unserved(const LanguageModel& m, const std::string& name) {
  if (m.output_head && !m.bidirectional) return;
  throw Error(ErrorKind::usage, name + " generates nothing: it has no language model's head",
              "use a language model: `trcost list models`", "--model");
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
    add_served_core(run, s);
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
  return s;
}

bool ServedModel::sparse() const {
  return std::ranges::any_of(cores, [](const ServedCore& c) { return c.core.index_width > 0; });
}

PartBytes part_bytes(const ServedModel& m, WeightFormat format) {
  const WeightFormatRow& row = weight_format(format);
  if (m.experts > 0) return {row.mixture_bytes, row.mixture_bytes, row.other_bytes};
  return {row.attention_bytes, row.other_bytes, row.other_bytes};
}

double read_bytes(const ServedModel& m, const PartBytes& bytes) {
  return m.attention_params * bytes.attention + m.dense_params * bytes.dense +
         m.head_params * PartBytes::kHead;
}

double unread_bytes(const ServedModel& m) {
  return (m.tied ? 0 : PartBytes::kHead * m.head_params) + PartBytes::kImage * m.image_params;
}

double weight_bytes(const ServedModel& m, WeightFormat format) {
  const PartBytes bytes = part_bytes(m, format);
  return read_bytes(m, bytes) + m.expert_params * bytes.expert + unread_bytes(m);
}

double cache_shards(const ServedModel& m, double tp) {
  return std::min(tp, m.kv_heads);
}

double decode_core_flops(const ServedModel& m, double context) {
  return over_cores(m, [&](const Core& core) {
    return decode_flops(core) * attended_tokens(core, context) +
           index_flops(core, context, context);
  });
}

double prefill_core_flops(const ServedModel& m, double prompt) {
  return over_cores(m, [&](const Core& core) { return prompt_flops(core, prompt); });
}

double cache_bytes_per_token(const ServedModel& m, double bytes) {
  return over_cores(m, [&](const Core& core) { return cached_bytes(core, bytes); });
}

double kept_cache_bytes(const ServedModel& m, double context, double bytes) {
  return over_cores(
      m, [&](const Core& core) { return cached_bytes(core, bytes) * kept_tokens(core, context); });
}

double read_cache_bytes(const ServedModel& m, double context, double bytes) {
  return over_cores(m, [&](const Core& core) {
    const double keys = chooses(core, context) ? core.index_key * context : 0;
    return attention_values(core) * bytes * attended_tokens(core, context) + keys;
  });
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

}  // namespace trcost::workload
