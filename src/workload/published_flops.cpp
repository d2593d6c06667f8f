// SPDX-License-Identifier: Apache-2.0
#include "workload/published_flops.h"

#include "quantity/quantity.h"

namespace trcost {
namespace {

/// B s L h^2.
double block(const MegatronShape& s, double batch) {
  return batch * s.seq_length * s.layers * s.hidden * s.hidden;
}

}  // namespace

double rule_6nd(double active_params, double tokens) { return 6 * active_params * tokens; }

double korthikanti_step_flops(const MegatronShape& s, double batch) {
  return 72 * block(s, batch) *
         (1 + s.seq_length / (6 * s.hidden) + s.vocab / (12 * s.hidden * s.layers));
}

double narayanan_step_flops(const MegatronShape& s, double batch) {
  return 96 * block(s, batch) *
         (1 + s.seq_length / (6 * s.hidden) + s.vocab / (16 * s.layers * s.hidden));
}

double palm_flops_per_token(double params, double layers, double attention_width,
                            double seq_length) {
  return 6 * params + 12 * layers * attention_width * seq_length;
}

double nvidia_lora_flops_per_token(double params, double vocab, double hidden) {
  return 4 * (params - vocab * hidden);
}

double all_in_mfu(double active_params, double tokens, double gpu_hours, double peak_flops) {
  return rule_6nd(active_params, tokens) / (gpu_hours * kSecondsPerHour * peak_flops);
}

}  // namespace trcost
