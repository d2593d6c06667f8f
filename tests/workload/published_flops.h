// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/quantity.h"

namespace trcost {

// Ways in which published figures count FLOPs. They differ from trcost's own count (training_flops:
// matrices and the causal half of attention, no recomputation) by up to a factor of two, so a
// published TFLOP/s or MFU is read with the convention that its authors used.

/// Shape of a dense decoder with four-fold feed-forward, as the Megatron papers have it.
struct MegatronShape {
  double layers = 0;
  double hidden = 0;
  double vocab = 0;
  double seq_length = 0;
};

/// B s L h^2.
inline double block_volume(const MegatronShape& s, double batch) {
  return batch * s.seq_length * s.layers * s.hidden * s.hidden;
}

/// C = 6 N D with the parameters that a token uses (Kaplan et al., arXiv 2001.08361, section 2.1).
/// Within -3 to +7 % of the exact count for dense models of 7B and more at up to 8K tokens.
inline double rule_6nd(double active_params, double tokens) {
  return 6 * active_params * tokens;
}

/// Model FLOPs of a step of `batch` sequences, full attention, no recomputation:
/// 72 B s L h^2 (1 + s/(6h) + V/(12 h L)). Korthikanti et al., arXiv 2205.05198, equation 7.
inline double korthikanti_step_flops(const MegatronShape& s, double batch) {
  return 72 * block_volume(s, batch) *
         (1 + s.seq_length / (6 * s.hidden) + s.vocab / (12 * s.hidden * s.layers));
}

/// Hardware FLOPs of a step with full recomputation: 96 B s L h^2 (1 + s/(6h) + V/(16 L h)).
/// Narayanan et al., arXiv 2104.04473, equation 3.
inline double narayanan_step_flops(const MegatronShape& s, double batch) {
  return 96 * block_volume(s, batch) *
         (1 + s.seq_length / (6 * s.hidden) + s.vocab / (16 * s.layers * s.hidden));
}

/// Model FLOPs per token of PaLM's definition of MFU: 6 N + 12 L a d s, full attention.
/// Chowdhery et al., arXiv 2204.02311, appendix B.
inline double palm_flops_per_token(double params, double layers, double attention_width,
                                   double seq_length) {
  return 6 * params + 12 * layers * attention_width * seq_length;
}

/// FLOPs per token of NVIDIA's counter for low-rank adapters, attention core left out: 4 (N - V h).
/// Read off the LoRA rows of NVIDIA-NeMo/Megatron-Bridge docs/performance-summary.md.
inline double nvidia_lora_flops_per_token(double params, double vocab, double hidden) {
  return 4 * (params - vocab * hidden);
}

/// MFU of a whole run from its bill: 6 N D / (GPU-hours x 3600 x peak). Restarts, evaluation and
/// second attempts that the GPU-hours hold lower it.
inline double all_in_mfu(double active_params, double tokens, double gpu_hours, double peak_flops) {
  return rule_6nd(active_params, tokens) / (gpu_hours * kSecondsPerHour * peak_flops);
}

}  // namespace trcost
