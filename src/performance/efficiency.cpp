// SPDX-License-Identifier: Apache-2.0
#include "performance/performance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "quantity/portable_math.h"

namespace trcost {
namespace {

constexpr EfficiencyConstant kEfficiencyConstants[] = {
    {"ramp_seconds", &Efficiency::ramp_seconds, 0, 1e-3},
    {"batched_matmul", &Efficiency::batched_matmul, 0.01, 1},
    {"flash_forward", &Efficiency::flash_forward, 0.01, 1},
    {"flash_backward", &Efficiency::flash_backward, 0.01, 1},
    {"flash_head_half", &Efficiency::flash_head_half, 0, 1e4},
    {"flash_length_half", &Efficiency::flash_length_half, 0, 1e5},
    {"memory", &Efficiency::memory, 0.01, 1},
    {"link", &Efficiency::link, 0.01, 1},
    {"link_half_bytes", &Efficiency::link_half_bytes, 0, 1e10},
    {"network", &Efficiency::network, 0.01, 1},
    {"kernel_gap_seconds", &Efficiency::kernel_gap_seconds, 0, 1e-3},
    {"usual_gap", &Efficiency::usual_gap, 0, 1},
};

constexpr StackConstant kStackConstants[] = {
    {"release_gain", &Stack::release_gain, 0, 1},
    {"usual_gap", &Stack::usual_gap, 0, 1},
    {"first_run_gap", &Stack::first_run_gap, 0, 3},
    {"usual_overlap", &Stack::usual_overlap, 0, 1},
    {"kernel_time", &Stack::kernel_time, 0.1, 10},
    {"exchange_time", &Stack::exchange_time, 0.05, 20},
    {"matmul", &Stack::matmul, 0.1, 1.5},
    {"flash", &Stack::flash, 0.1, 1.5},
    {"flash_backward", &Stack::flash_backward, 0.1, 1.5},
    {"legacy_elementwise", &Stack::legacy_elementwise, 0.5, 10},
    {"elementwise", &Stack::elementwise, 0.1, 20},
    {"kernels", &Stack::kernels, 0, 500},
    {"dispatch_seconds", &Stack::dispatch_seconds, 0, 1e-2},
    {"collective_dispatch_seconds", &Stack::collective_dispatch_seconds, 0, 1e-1},
    {"micro_batch_seconds", &Stack::micro_batch_seconds, 0, 10},
    {"vision_block_seconds", &Stack::vision_block_seconds, 0, 1},
    {"vision_gather_seconds", &Stack::vision_gather_seconds, 0, 1},
    {"loader_workers", &Stack::loader_workers, 1, 1e4},
    {"step_seconds", &Stack::step_seconds, 0, 100},
    {"tensor_overlap", &Stack::tensor_overlap, 0, 1},
    {"expert_overlap", &Stack::expert_overlap, 0, 1},
    {"expert_network_overlap", &Stack::expert_network_overlap, 0, 1},
    {"context_imbalance", &Stack::context_imbalance, 0, 2},
    {"pipeline_overlap", &Stack::pipeline_overlap, 0, 1},
    {"stage_imbalance", &Stack::stage_imbalance, 0, 1},
    {"data_overlap", &Stack::data_overlap, 0, 1},
    {"contention", &Stack::contention, 0, 1},
    {"gather_contention", &Stack::gather_contention, 0, 1},
    {"grouped_half", &Stack::grouped_half, 0, 1e5},
    {"expert_kernels", &Stack::expert_kernels, 0, 1e4},
    {"expert_sync_seconds", &Stack::expert_sync_seconds, 0, 1},
    {"selective_matmul", &Stack::selective_matmul, 0, 1},
    {"expert_traffic", &Stack::expert_traffic, 0, 100},
    {"expert_traffic_block", &Stack::expert_traffic_block, 0, 100},
    {"gradient_bytes", &Stack::gradient_bytes, 0.5, 8},
    {"optimizer_bytes", &Stack::optimizer_bytes, 1, 1000},
    {"straggler", &Stack::straggler, 0, 1},
    {"lora_traffic", &Stack::lora_traffic, 0, 100},
    {"dequantise_traffic", &Stack::dequantise_traffic, 0, 1000},
};

}  // namespace

namespace {

// Fewer experiments than this do not stand for a family.
constexpr double kEnoughExperiments = 8;
// A family's spread counts against that of the wider family as its sources do against these: the
// posterior of a variance whose prior is worth so many observations. Sources, not rows: what one
// vendor measured a hundred times says once how far the next one lies.
constexpr double kPriorSources = 4;
// The same software on the same chip lies at least so far apart between users, which the tables of
// one vendor cannot show. Of left-out rows the interval score is the same from 0.15 to 0.2, and those
// that users ran score best at 0.2 (tests/calibration/ranges.py).
constexpr double kLeastSigma = 0.2;
// Where no row was ever measured.
constexpr double kNoRowsSigma = 0.3;
constexpr double kNoRowsError = 0.2;
// Spread of what the rule of efficiency_by_rule misses: 40 % at 90 % (model.md 5.3).
constexpr double kRuleSigma = 0.2;
// No matmul rate that was not measured in training is taken to be closer to the peak.
constexpr double kBestMatmul = 0.95;

}  // namespace

MethodQuality nearest_quality(const Efficiency& efficiency, std::string_view stack, bool mixture,
                              bool fine_tuning) {
  const std::string_view model = mixture ? "moe" : "dense";
  const std::string_view task = fine_tuning ? "finetune" : "pretrain";
  struct Wanted {
    bool own_architecture;
    std::string_view stack, model, task;
  };
  const std::array<Wanted, 6> chain = {{{false, "any", "any", "any"},  // the widest first
                                        {false, "any", model, "any"},
                                        {false, "any", model, task},
                                        {true, "any", model, task},
                                        {false, stack, model, task},
                                        {true, stack, model, task}}};
  MethodQuality quality{"analytic step model", kNoRowsSigma, kNoRowsError, 0, "no published rows"};
  for (const Wanted& wanted : chain) {
    const auto found = std::find_if(
        efficiency.residuals.begin(), efficiency.residuals.end(), [&](const ResidualFamily& f) {
          return (f.architecture != "any") == wanted.own_architecture && f.stack == wanted.stack &&
                 f.model == wanted.model && f.task == wanted.task && f.layout == "any";
        });
    if (found == efficiency.residuals.end()) continue;
    const bool widest = quality.rows == 0;
    const double prior = widest ? 0 : kPriorSources;
    quality.sigma = std::sqrt((found->sources * square(found->sigma) + prior * square(quality.sigma)) /
                              (found->sources + prior));
    if (!widest && found->groups < kEnoughExperiments) continue;
    quality.median_error = found->median_error;
    quality.rows = found->rows;
    quality.family = found->words;
  }
  quality.sigma = std::max(quality.sigma, kLeastSigma);
  quality.measured = efficiency.measured;
  if (!efficiency.measured) quality.sigma = in_quadrature(quality.sigma, kRuleSigma);
  return quality;
}

MethodQuality vision_quality(const Efficiency& efficiency, bool contrastive) {
  const std::string_view model = contrastive ? "contrastive" : "vision";
  MethodQuality quality{"analytic step model", kNoRowsSigma, kNoRowsError, 0, "no published rows"};
  const auto found = std::ranges::find(efficiency.residuals, model, &ResidualFamily::model);
  if (found != efficiency.residuals.end()) {
    quality.sigma = found->sigma;
    quality.median_error = found->median_error;
    quality.rows = found->rows;
    quality.family = found->words;
  }
  quality.measured = efficiency.measured;
  if (!efficiency.measured) quality.sigma = in_quadrature(quality.sigma, kRuleSigma);
  return quality;
}

std::span<const EfficiencyConstant> efficiency_constants() { return kEfficiencyConstants; }
std::span<const StackConstant> stack_constants() { return kStackConstants; }

namespace {

// 0 of a format that the chip lacks.
double matmul_by_rule(const Accelerator& accelerator, std::size_t precision) {
  const double peak = accelerator.peak_flops[precision];
  if (peak <= 0) return 0;
  const double best = accelerator.measured_flops[precision];
  return std::min(kBestMatmul, best > 0 ? 0.7 * best / peak : 0.55);
}

}  // namespace

Efficiency efficiency_alike(const Accelerator& accelerator, const Accelerator& kin,
                            Efficiency of_kin) {
  for (std::size_t p = 0; p < of_kin.matmul.size(); ++p) {
    if (kin.peak_flops[p] <= 0) {  // a format that only the newer chip has
      of_kin.matmul[p] = matmul_by_rule(accelerator, p);
      continue;
    }
    const double own = accelerator.measured_flops[p], other = kin.measured_flops[p];
    if (own > 0 && other > 0) {
      of_kin.matmul[p] *= own / accelerator.peak_flops[p] / (other / kin.peak_flops[p]);
    }
    of_kin.matmul[p] = std::min(of_kin.matmul[p], kBestMatmul);
  }
  of_kin.accelerator = accelerator.name;
  of_kin.measured = false;
  of_kin.source = fmt::format("the constants of {}, matmuls by the ratio of measured matmul rates; {}",
                              kin.title, of_kin.source);
  return of_kin;
}

Efficiency efficiency_by_rule(const Accelerator& accelerator, Efficiency assumed) {
  assumed.accelerator = accelerator.name;
  assumed.source = "by rule from the specification (model.md 5.2)";
  for (std::size_t p = 0; p < assumed.matmul.size(); ++p) {
    assumed.matmul[p] = matmul_by_rule(accelerator, p);
  }
  return assumed;
}

}  // namespace trcost
