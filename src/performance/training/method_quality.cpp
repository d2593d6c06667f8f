// SPDX-License-Identifier: Apache-2.0
#include "performance/training/method_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "quantity/portable_math.h"

namespace trcost::performance {
namespace {

// Experiments that a family needs to represent its runs.
constexpr double kEnoughExperiments = 8;
// Sources that the spread of the wider family counts as: the posterior of a variance whose prior is
// worth that many observations. Sources are counted, not rows: a hundred measurements of one vendor
// tell once how far the next vendor lies.
constexpr double kPriorSources = 4;
// Least spread between users of the same software on the same chip, which the tables of one vendor
// cannot show. The interval score of left-out rows is the same from 0.15 to 0.2, and rows that
// users ran score best at 0.2 (tests/calibration/ranges.py).
constexpr double kLeastSigma = 0.2;
// Spread and error without any measured row.
constexpr double kNoRowsSigma = 0.3;
constexpr double kNoRowsError = 0.2;
// Spread of the errors of efficiency_by_rule: 40 % at 90 % (model.md 5.3).
constexpr double kRuleSigma = 0.2;

/// A family of measured rows, for the constants of one chip.
struct WantedFamily {
  bool own_architecture = false;
  std::optional<std::string_view> stack;
  ModelFamily model = ModelFamily::any;
  TaskFamily task = TaskFamily::any;
};

// The spread of the widest family, drawn towards that of each narrower one by its sources.
MethodQuality pooled_quality(const Efficiency& efficiency, std::span<const WantedFamily> chain) {
  MethodQuality quality{"analytic step model", kNoRowsSigma, kNoRowsError, 0, "no published rows"};
  for (const WantedFamily& wanted : chain) {
    const auto found = std::find_if(
        efficiency.residuals.begin(), efficiency.residuals.end(), [&](const ResidualFamily& f) {
          return f.architecture.has_value() == wanted.own_architecture && f.stack == wanted.stack &&
                 f.model == wanted.model && f.task == wanted.task;
        });
    if (found == efficiency.residuals.end()) continue;
    const bool widest = quality.rows == 0;
    const double prior = widest ? 0 : kPriorSources;
    quality.sigma =
        std::sqrt((found->sources * square(found->sigma) + prior * square(quality.sigma)) /
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

}  // namespace

MethodQuality nearest_quality(const Efficiency& efficiency, std::string_view stack, bool mixture,
                              bool fine_tuning) {
  constexpr std::nullopt_t kAny = std::nullopt;
  const ModelFamily model = mixture ? ModelFamily::moe : ModelFamily::dense;
  const TaskFamily task = fine_tuning ? TaskFamily::finetune : TaskFamily::pretrain;
  const std::array<WantedFamily, 6> chain = {{{false, kAny, ModelFamily::any, TaskFamily::any},
                                              {false, kAny, model, TaskFamily::any},
                                              {false, kAny, model, task},
                                              {true, kAny, model, task},
                                              {false, stack, model, task},
                                              {true, stack, model, task}}};
  return pooled_quality(efficiency, chain);
}

MethodQuality vision_quality(const Efficiency& efficiency, std::string_view stack,
                             bool contrastive) {
  const ModelFamily model = contrastive ? ModelFamily::contrastive : ModelFamily::vision;
  const std::array<WantedFamily, 2> chain = {
      {{false, std::nullopt, model, TaskFamily::any}, {false, stack, model, TaskFamily::any}}};
  return pooled_quality(efficiency, chain);
}

}  // namespace trcost::performance
