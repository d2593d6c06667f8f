// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "workload/blocks/block.h"
#include "workload/workload.h"

namespace trcost::workload {

namespace {

/// Inserted layers: text tokens query the images of their own document, n_kv keys each, no half.
void add_cross_attention(const CrossTokens& image, const Run& run, ForwardFlops& flops) {
  if (image.keys <= 0) return;
  for (const Matrix& matrix : run.block.matrices) {
    const double tokens = matrix.of == Stream::image ? image.share : 1;
    flops.cross_attention_gemm += run.count * 2 * matrix.active_weights() * tokens;
  }
  flops.cross_attention_core += run.count * attention_flops(run.block.core, image.keys);
  flops.cross_attention = flops.cross_attention_gemm + flops.cross_attention_core;
}

/// With `causal` false every token counts all others, whatever the mask.
void add_decoder(const Workload& w, Run run, bool causal, ForwardFlops& flops) {
  for (const Matrix& matrix : run.block.matrices) {
    flops.layers_gemm += run.count * 2 * matrix.active_weights();
  }
  run.block.core.causal = run.block.core.causal && causal;
  flops.attention_core += run.count * core_flops(run.block.core, w.attention_length);
}

/// Encoder and connector, per image, and what contrastive training adds: the projection of the
/// text and a similarity with every pair of the batch.
void add_vision(const Workload& w, ForwardFlops& flops) {
  if (!w.encoder) return;
  flops.encoder_core =
      encoder_core_flops(*w.encoder, w.encoder_tokens_per_image, w.encoder_attention_tokens);
  flops.encoder =
      encoder_forward_flops(*w.encoder, w.encoder_tokens_per_image, w.encoder_attention_tokens);
  if (!w.connector) return;
  flops.connector = connector_forward_flops(*w.connector, *w.encoder, w.language.hidden,
                                            w.encoder_tokens_per_image, connector_tokens(w));
  if (w.contrastive_batch <= 0) return;
  const double width = w.connector->width.value_or(w.language.hidden);
  const double text_projection = w.language.hidden * width;
  flops.connector += 2 * text_projection + 2 * w.contrastive_batch * width;
}

}  // namespace

// Per token: 2 x the matrices that it passes + scores and values + 2 h V.
// Source: Megatron-LM megatron/training/training.py, num_floating_point_operations (causal since
// commit 8873b55d6a of March 2025). Packed documents: s -> sum L^2 / sum L.
ForwardFlops forward_flops(const Workload& workload, bool causal) {
  const LanguageModel& m = workload.language;
  ForwardFlops flops;
  const CrossTokens image = cross_tokens(workload);
  for (const Run& run : blocks_of(m)) {
    if (run.module == Module::cross) {
      add_cross_attention(image, run, flops);
    } else {
      add_decoder(workload, run, causal, flops);
    }
  }
  if (m.output_head) flops.head = 2 * m.hidden * m.vocab * (1 + m.mtp_layers);
  add_vision(workload, flops);
  return flops;
}

}  // namespace trcost::workload
