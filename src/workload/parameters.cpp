// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/model.h"
#include "workload/blocks/block.h"

namespace trcost::workload {

// N = sum over blocks of matrices and vectors + final norm + V h (1 tied, 2 not) + positions h.
// Sources: Megatron-LM megatron/training/theoretical_memory_usage.py; the modeling files of
// transformers, whose totals it meets exactly.
ParameterCounts count_parameters(const LanguageModel& m) {
  ParameterCounts counts;
  counts.embedding = (m.vocab + m.extra_embedding_rows + m.learned_positions) * m.hidden;
  counts.head = m.tied_embeddings || !m.output_head ? 0 : m.vocab * m.hidden;
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
