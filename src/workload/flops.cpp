// SPDX-License-Identifier: Apache-2.0
#include "workload/flops.h"

#include "trcost/error.h"
#include "workload/blocks/vision.h"
#include "workload/trainable.h"

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

/// FLOPs per adapter parameter and token: forward, dgrad, wgrad, 2 each.
constexpr double kFlopsPerAdapterPass = 2;

struct Passes {
  double forward = 0;
  double dgrad = 0;
  double wgrad = 0;
};

/// Adds `flops` of matrices: forward, dgrad over a share of them, wgrad when they learn.
void add_matrices(Passes& passes, double flops, const Passing& of) {
  passes.forward += flops;
  passes.dgrad += flops * of.backward;
  if (of.weights) passes.wgrad += flops;
}

/// Scores and values: two products forward, four backward, none of them a weight's.
void add_core(Passes& passes, double flops, const Passing& of) {
  passes.forward += flops;
  passes.dgrad += 2 * flops * of.backward;
}

void add_adapters(Passes& passes, double params) {
  passes.forward += kFlopsPerAdapterPass * params;
  passes.dgrad += kFlopsPerAdapterPass * params;
  passes.wgrad += kFlopsPerAdapterPass * params;
}

Passes language_passes(const Workload& w, const ForwardFlops& forward, const Gradients& of) {
  Passes passes;
  add_matrices(passes, forward.layers_gemm, of.language);
  add_core(passes, forward.attention_core, of.language);
  add_matrices(passes, forward.head, of.head);
  add_matrices(passes, forward.cross_attention_gemm, of.cross);
  add_core(passes, forward.cross_attention_core, of.cross);
  add_adapters(passes, language_adapters(w));
  return passes;
}

/// Per image.
Passes encoder_passes(const Workload& w, const ForwardFlops& forward, const Passing& of) {
  Passes passes;
  if (!w.encoder || w.cached_features) return passes;
  add_matrices(passes, forward.encoder - forward.encoder_core, of);
  add_core(passes, forward.encoder_core, of);
  add_adapters(passes, w.encoder_tokens_per_image * encoder_adapters(w));
  return passes;
}

/// Per image.
Passes connector_passes(const Workload& w, const ForwardFlops& forward, const Passing& of) {
  Passes passes;
  if (w.connector) add_matrices(passes, forward.connector, of);
  return passes;
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
  flops.head = 2 * m.hidden * head_outputs(m) * (1 + m.mtp_layers);
  add_vision(workload, flops);
  return flops;
}

TrainingFlops training_flops(const Workload& w, bool causal) {
  const Gradients of = gradients_of(w);
  if (w.cached_features && of.encoder.backward > 0) {
    throw Error(ErrorKind::usage, "features of an encoder that learns cannot be cached",
                "freeze the encoder or leave the cache out");
  }
  const ForwardFlops forward = forward_flops(w, causal);
  const Passes language = language_passes(w, forward, of);
  TrainingFlops flops;
  flops.language_forward = language.forward;
  flops.language_dgrad = language.dgrad;
  flops.language_wgrad = language.wgrad;
  if (!w.encoder || w.images_per_sequence <= 0) return flops;

  const double images_per_token = w.images_per_sequence / w.seq_length;
  const Passes encoder = encoder_passes(w, forward, of.encoder);
  flops.encoder_forward = encoder.forward * images_per_token;
  flops.encoder_dgrad = encoder.dgrad * images_per_token;
  flops.encoder_wgrad = encoder.wgrad * images_per_token;
  const Passes connector = connector_passes(w, forward, of.connector);
  flops.connector_forward = connector.forward * images_per_token;
  flops.connector_dgrad = connector.dgrad * images_per_token;
  flops.connector_wgrad = connector.wgrad * images_per_token;
  return flops;
}

}  // namespace trcost::workload
