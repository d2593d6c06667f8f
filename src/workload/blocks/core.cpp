// SPDX-License-Identifier: Apache-2.0
#include "workload/blocks/core.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace trcost::workload {

namespace {

std::span<const AttentionWindow> windows_of(const Core& core) {
  return std::span(core.windows).first(static_cast<std::size_t>(core.window_count));
}

}  // namespace

double visible_tokens(const Core& core, double length) {
  double mean = 0;
  for (const AttentionWindow& part : windows_of(core)) {
    const double w = part.window, all = core.causal ? length / 2 : length;
    const bool limited = w > 0 && w < length;
    const double seen = core.causal ? w - w * (w - 1) / (2 * length) : w;
    mean += part.share * (limited ? std::min(all, seen) : all);
  }
  return mean;
}

double attended_tokens(const Core& core, double context) {
  double attended = 0;
  for (const auto [share, window] : windows_of(core)) {
    attended += share * (window > 0 ? std::min(context, window) : context);
  }
  return attended;
}

double kept_tokens(const Core& core, double context) {
  return core.index_width > 0 ? context : attended_tokens(core, context);
}

bool chooses(const Core& core, double context) {
  return core.index_width > 0 && context > core.windows[0].window;
}

double index_flops(const Core& core, double tokens, double length) {
  return chooses(core, length) ? 2 * core.index_width * tokens : 0;
}

double prompt_flops(const Core& core, double prompt) {
  return attention_flops(core, visible_tokens(core, prompt)) +
         index_flops(core, core.causal ? prompt / 2 : prompt, prompt);
}

double core_flops(const Core& core, double length) {
  return prompt_flops(core, length) + core.scan;
}

double decode_flops(const Core& core) {
  if (core.kv_latent <= 0 || core.latent_shared) return attention_flops(core, 1);
  return 2 * core.heads * (2 * core.kv_latent + core.shared_key);
}

}  // namespace trcost::workload
