// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "quantity/portable_math.h"
#include "study/calibrate/calibrate.h"

namespace trcost::study {
namespace {

/// What to try if a part of a step takes longer than predicted.
struct Advice {
  std::string_view factor, slow;
};
constexpr std::array<Advice, kStackFactors> kAdvice{{
    {"kernels",
     "check clocks, power and temperature (nvidia-smi -q -d CLOCK,POWER), that the matrices run in "
     "the format given by --precision, and that kernels are compiled (--kernels)"},
    {"exchange",
     "check that traffic takes the fast links (NCCL_DEBUG=INFO, nvidia-smi topo -m), then use less "
     "sharding or fewer nodes, or overlap it (--overlap)"},
    {"elementwise",
     "use fused norms, activations and loss (torch.compile, Liger, --kernels fused), and a fused "
     "optimizer"},
    {"attention", "use FlashAttention (--attention flash) and skip padding (--packing)"},
    {"dispatch",
     "use a larger micro-batch, CUDA graphs or torch.compile, and a free CPU core per GPU. A data "
     "loader that keeps the GPU waiting shows here too"},
    {"experts",
     "use grouped matmuls for experts (Megatron-Core, MegaBlocks, grouped_mm) in place of a loop, "
     "and balance their load"},
    {"adapters",
     "target fewer matrices (--lora-targets), fuse adapters, and avoid a quantized base where "
     "memory allows (--base-precision bf16)"},
    {"fixed",
     "look for work between steps: data loading, logging, evaluation, saving, offloaded optimizer "
     "steps (--offload)"},
}};

std::string_view advice_for(std::string_view factor) {
  const auto* const found = std::ranges::find(kAdvice, factor, &Advice::factor);
  return found == kAdvice.end() ? std::string_view() : found->slow;
}

// ln of the factor on one part that alone gives the measured seconds. Nothing if none within 1000
// does.
std::optional<double> factor_alone(const MeasuredStep& step, std::size_t part) {
  constexpr double kMost = 6.9;
  constexpr int kHalvings = 40;
  const double wanted = portable_log(step.seconds);
  const auto at = [&](double log) {
    std::array<double, kStackFactors> moved{};
    moved[part] = log;
    return log_seconds(step, moved);
  };
  double low = 0, high = at(0) < wanted ? kMost : -kMost;
  if ((at(high) - wanted) * (at(0) - wanted) > 0) return std::nullopt;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    ((at(middle) - wanted) * (at(0) - wanted) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

double share_of(const MeasuredStep& step, std::size_t part) {
  constexpr double kStep = 1e-3;
  std::array<double, kStackFactors> moved{};
  const double here = log_seconds(step, moved);
  moved[part] = kStep;
  return std::max(0.0, (log_seconds(step, moved) - here) / kStep);
}

std::string summary_of(const StepExplanation& step) {
  const double ratio = step.measured_seconds / step.predicted_seconds;
  constexpr double kAsPredicted = 0.1;
  if (std::abs(portable_log(ratio)) < kAsPredicted) {
    return fmt::format("{} runs as predicted: {:.4g} s measured, {:.4g} s predicted.", step.name,
                       step.measured_seconds, step.predicted_seconds);
  }
  const std::string start =
      fmt::format("A step of {} takes {:.4g} s, {:.2g} times the {:.4g} s predicted.", step.name,
                  step.measured_seconds, ratio, step.predicted_seconds);
  constexpr double kFar = 3;
  if (step.terms.empty() || !step.terms.front().deviation ||
      std::abs(*step.terms.front().deviation) > kFar) {
    return start +
           " No single part explains that within what published runs show, so a fact of the run is "
           "more likely wrong or missing. Check model, batch, length, precision and number of GPUs "
           "first, then whether the run waits for data, offloading or evaluations.";
  }
  const ExplainedTerm& best = step.terms.front();
  const std::string most =
      fmt::format("{} The best single explanation is {}, {:.2g} times the prediction.", start,
                  best.what, *best.factor);
  return ratio > 1 ? fmt::format("{} To try: {}.", most, best.try_first) : most;
}

}  // namespace

std::vector<StepExplanation> explain_steps(const std::vector<MeasuredStep>& steps,
                                           const Pooling& pooling) {
  constexpr double kNegligible = 0.002;
  std::vector<StepExplanation> out;
  for (const MeasuredStep& step : steps) {
    StepExplanation explained;
    explained.name = step.name;
    explained.measured_seconds = step.seconds;
    explained.predicted_seconds = portable_exp(log_seconds(step, {}));
    for (std::size_t i = 0; i < kStackFactors; ++i) {
      const double share = share_of(step, i);
      if (share < kNegligible) continue;
      ExplainedTerm term;
      term.name = stack_factors()[i].name;
      term.what = stack_factors()[i].what;
      term.predicted_seconds = share * explained.predicted_seconds;
      term.usual = portable_exp(pooling.spread[i]);
      term.try_first = advice_for(term.name);
      if (const std::optional<double> log = factor_alone(step, i)) {
        term.factor = portable_exp(*log);
        term.deviation = *log / pooling.spread[i];
      }
      // Beyond the range of a constant, as if nothing hid the part.
      const double linear =
          1 + (step.seconds - explained.predicted_seconds) / term.predicted_seconds;
      if (!term.factor && linear > 1) {
        term.factor = linear;
        term.deviation = portable_log(linear) / pooling.spread[i];
      }
      explained.terms.push_back(term);
    }
    std::ranges::stable_sort(explained.terms, [](const ExplainedTerm& a, const ExplainedTerm& b) {
      constexpr double kNever = 1e9;
      return std::abs(a.deviation.value_or(kNever)) < std::abs(b.deviation.value_or(kNever));
    });
    explained.summary = summary_of(explained);
    out.push_back(std::move(explained));
  }
  return out;
}

}  // namespace trcost::study
