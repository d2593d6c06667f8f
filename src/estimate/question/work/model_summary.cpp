// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/work/model_summary.h"

#include "workload/blocks/block.h"

namespace trcost::estimation {

ModelSummary describe_model(const ResolvedWork& work) {
  ModelSummary out;
  const LanguageModel& language = work.model.language;
  out.name = work.model.name;
  out.from_size = work.model.from_size;
  out.params_total = work.params.total;
  out.params_active = work.params.active;
  out.params_vision = work.params.encoder;
  out.params_projector = work.params.connector;
  out.params_trainable = work.trainable.total;
  out.layers = language.layers;
  out.dealt_layers = layer_count(language);
  out.hidden = language.hidden;
  out.heads = language.heads;
  out.kv_heads = language.kv_heads;
  out.ffn = language.moe && language.ffn == 0 ? language.moe->expert_ffn : language.ffn;
  out.vocab = language.vocab;
  return out;
}

}  // namespace trcost::estimation
