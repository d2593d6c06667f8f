// SPDX-License-Identifier: Apache-2.0
#include "trcost/error.h"
#include "workload/blocks/block.h"
#include "workload/blocks/gradients.h"
#include "workload/workload.h"

namespace trcost::workload {

namespace {

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

/// Low-rank pairs on the decoder's own and its inserted layers: all, or those that one token
/// passes.
double low_rank_parameters(const LanguageModel& m, double rank, Adapted which) {
  double params = 0;
  for (const Run& run : blocks_of(m)) {
    if (run.module != Module::mtp) params += run.count * rank * adapter_widths(run.block, which);
  }
  return params;
}

/// Adapter parameters that one token passes.
double active_adapters(const LanguageModel& m, Training training, double rank) {
  if (training == Training::adapter) return adapter_parameters(m.layers, m.hidden, rank);
  if (!low_rank(training)) return 0;
  return low_rank_parameters(m, rank, Adapted::active);
}

double active_adapters(const Encoder& e, Training training, double rank) {
  if (training == Training::adapter) return adapter_parameters(e.layers, e.hidden, rank);
  return low_rank(training) ? lora_parameters(e, rank) : 0;
}

Passes language_passes(const Workload& w, const ForwardFlops& forward, const Gradients& of) {
  Passes passes;
  add_matrices(passes, forward.layers_gemm, of.language);
  add_core(passes, forward.attention_core, of.language);
  add_matrices(passes, forward.head, of.head);
  add_matrices(passes, forward.cross_attention_gemm, of.cross);
  add_core(passes, forward.cross_attention_core, of.cross);
  add_adapters(passes, active_adapters(w.language, w.language_training, w.lora_rank));
  return passes;
}

/// Per image.
Passes encoder_passes(const Workload& w, const ForwardFlops& forward, const Passing& of) {
  Passes passes;
  if (!w.encoder || w.cached_features) return passes;
  add_matrices(passes, forward.encoder - forward.encoder_core, of);
  add_core(passes, forward.encoder_core, of);
  add_adapters(passes, w.encoder_tokens_per_image *
                           active_adapters(*w.encoder, w.encoder_training, w.lora_rank));
  return passes;
}

/// Per image.
Passes connector_passes(const Workload& w, const ForwardFlops& forward, const Passing& of) {
  Passes passes;
  if (w.connector) add_matrices(passes, forward.connector, of);
  return passes;
}

}  // namespace

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

double lora_parameters(const LanguageModel& m, double rank) {
  return low_rank_parameters(m, rank, Adapted::all);
}

double routed_lora_parameters(const LanguageModel& m, double rank) {
  return low_rank_parameters(m, rank, Adapted::routed);
}

double lora_parameters(const Encoder& e, double rank) {
  return e.layers * rank * adapter_widths(encoder_block(e), Adapted::all);
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
      counts.language = lora_parameters(m, w.lora_rank);
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
      counts.encoder = active_adapters(e, w.encoder_training, w.lora_rank);
  }
  if (w.encoder && of.connector.weights) {
    counts.connector += connector_parameters(*w.connector, *w.encoder, m.hidden);
  }
  counts.total = counts.language + counts.encoder + counts.connector;
  return counts;
}

}  // namespace trcost::workload
