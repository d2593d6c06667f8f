// SPDX-License-Identifier: Apache-2.0
#include "workload/trainable.h"

#include "workload/blocks/vision.h"

namespace trcost::workload {
namespace {

double share_after_images(const LanguageModel& m) {
  if (!m.cross_attention || m.layers <= 0) return 1;
  return (m.layers - m.cross_attention->own_layers_before) / m.layers;
}

/// Low-rank pairs on the decoder's own and its inserted layers: all, or those that one token
/// passes.
double low_rank_parameters(const LanguageModel& m, double rank, Adapted which,
                           AdapterTargets targets) {
  double params = 0;
  for (const Run& run : blocks_of(m)) {
    if (run.module == Module::mtp) continue;
    params += run.count * rank * adapter_widths(run.block, which, targets);
  }
  return params;
}

}  // namespace

Gradients gradients_of(const Workload& w) {
  const bool full = w.language_training == Training::full;
  const bool language = learns(w.language_training);
  const bool encoder = w.encoder && learns(w.encoder_training);
  const bool connector = w.connector && learns(w.connector_training);
  const bool upstream = encoder || connector;
  Gradients out;
  out.encoder = {encoder ? 1.0 : 0.0, encoder && w.encoder_training == Training::full};
  out.connector = {upstream ? 1.0 : 0.0, connector && w.connector_training == Training::full};
  out.cross = {upstream || language ? 1.0 : 0.0, full || (!language && out.connector.weights)};
  out.language = {language ? 1.0 : upstream ? share_after_images(w.language) : 0.0, full};
  out.head = {out.cross.backward, full || (language && w.train_embeddings)};
  return out;
}

double language_adapters(const Workload& w) {
  const LanguageModel& m = w.language;
  if (w.language_training == Training::adapter) {
    return adapter_parameters(m.layers, m.hidden, w.lora_rank);
  }
  if (!low_rank(w.language_training)) return 0;
  return low_rank_parameters(m, w.lora_rank, Adapted::active, w.lora_targets);
}

double encoder_adapters(const Workload& w) {
  const Encoder& e = *w.encoder;
  if (w.encoder_training == Training::adapter) {
    return adapter_parameters(e.layers, e.hidden, w.lora_rank);
  }
  return low_rank(w.encoder_training) ? lora_parameters(e, w.lora_rank, w.lora_targets) : 0;
}

double lora_parameters(const LanguageModel& m, double rank, AdapterTargets targets) {
  return low_rank_parameters(m, rank, Adapted::all, targets);
}

double routed_lora_parameters(const LanguageModel& m, double rank, AdapterTargets targets) {
  return low_rank_parameters(m, rank, Adapted::routed, targets);
}

double lora_parameters(const Encoder& e, double rank, AdapterTargets targets) {
  return e.layers * rank * adapter_widths(encoder_block(e), Adapted::all, targets);
}

double adapter_parameters(double layers, double hidden, double bottleneck) {
  return layers * 2 * (2 * hidden * bottleneck + bottleneck + hidden);
}

TrainableCounts count_trainable(const Workload& w) {
  const Gradients of = gradients_of(w);
  TrainableCounts counts;
  const ParameterCounts params = count_parameters(w.language);
  const LanguageModel& m = w.language;
  switch (w.language_training) {
    case Training::frozen:
      break;
    case Training::full:
      counts.language = params.language;
      break;
    case Training::adapter:
      counts.language = adapter_parameters(m.layers, m.hidden, w.lora_rank);
      break;
    default:
      counts.language = lora_parameters(m, w.lora_rank, w.lora_targets);
  }
  if (of.head.weights && !of.language.weights) counts.language += params.embedding + params.head;
  if (m.cross_attention && of.cross.weights && !of.language.weights) {
    LanguageModel own = m;
    own.cross_attention.reset();
    counts.connector += params.language - count_parameters(own).language;
  }
  if (w.encoder) {
    const Encoder& e = *w.encoder;
    if (w.encoder_training == Training::full)
      counts.encoder = encoder_parameters(e);
    else
      counts.encoder = encoder_adapters(w);
  }
  if (w.encoder && of.connector.weights) {
    counts.connector += connector_parameters(*w.connector, *w.encoder, m.hidden);
  }
  counts.total = counts.language + counts.encoder + counts.connector;
  return counts;
}

}  // namespace trcost::workload
