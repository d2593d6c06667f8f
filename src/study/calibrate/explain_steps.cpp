// SPDX-License-Identifier: Apache-2.0
// Measured steps, and rounds of reinforcement learning, beside the predicted ones, part by part.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "quantity/portable_math.h"
#include "study/calibrate/calibrate.h"
#include "study/calibrate/training_log.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "workload/method.h"

namespace trcost::study {
namespace {

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

// Parts of a round, by RoundPart.
struct PartWords {
  Work work;
  std::string_view name, what, try_first;
};
constexpr std::array<PartWords, kRoundParts> kParts = {{
    {Work::generate, "generation", "writing the responses",
     "shorter responses or a lower --response-limit, engines that hold more sequences, more "
     "--generation-gpus, or the release of the engine"},
    {Work::forward, "scoring", "passes of the policy, reference, reward and critic models",
     "larger micro-batches for scoring, or no reference (--reference off)"},
    {Work::train, "learning", "optimizer steps",
     "larger micro-batches, less recomputation, or padding-free packing"},
    {Work::wait, "rest", "new weights, switching, rewards and waiting",
     "--placement, rewards beside generation, or fewer checkpoints and evaluations"},
}};

std::string round_summary(const StepExplanation& round) {
  const double ratio = round.measured_seconds / round.predicted_seconds;
  std::string out =
      fmt::format("A round took {:.4g} s where {:.4g} s are predicted, {:.2g} times as long.",
                  round.measured_seconds, round.predicted_seconds, ratio);
  const ExplainedTerm* most = nullptr;
  double excess = 0;
  for (const ExplainedTerm& term : round.terms) {
    if (!term.factor) continue;
    const double more = std::abs(*term.factor - 1) * term.predicted_seconds;
    if (more <= excess) continue;
    excess = more;
    most = &term;
  }
  if (most == nullptr) return out + " The log does not print its parts.";
  return out + fmt::format(" Most of the difference is {}: {:.4g} s instead of {:.4g} s.",
                           most->name, *most->factor * most->predicted_seconds,
                           most->predicted_seconds);
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
    const std::array<double, kStackFactors> slopes = step_slopes(step, {});
    for (std::size_t i = 0; i < kStackFactors; ++i) {
      if (slopes[i] < kNegligible) continue;
      const StackFactor& factor = stack_factors()[i];
      ExplainedTerm term;
      term.name = factor.name;
      term.what = factor.what;
      term.predicted_seconds = slopes[i] * explained.predicted_seconds;
      term.usual = portable_exp(pooling.spread[i]);
      term.try_first = factor.try_first;
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

StepExplanation explain_round(const Catalog& catalog, const LogSteps& log, std::string name,
                              const Scenario& question) {
  if (!method_row(method_named(question.text(Field::train_method))).generates) {
    throw Error(
        ErrorKind::usage,
        fmt::format("a round with rollouts took {:.4g} s, and the question has none", log.value),
        "set --method grpo or ppo, with --prompts and --response-tokens", std::move(name));
  }
  const Estimate e = estimate(question, catalog).front();
  StepExplanation out;
  out.name = std::move(name);
  out.measured_seconds = log.value;
  out.predicted_seconds = e.performance.step_seconds;
  const double sigma = e.performance.quality ? e.performance.quality->sigma : 0;
  double told = 0;
  for (const double seconds : log.parts) told += seconds;
  for (std::size_t i = 0; i < kRoundParts; ++i) {
    const PartWords& words = kParts[i];
    ExplainedTerm term;
    term.name = words.name;
    term.what = words.what;
    for (const PhaseResult& phase : e.phases) {
      if (phase.work == words.work) term.predicted_seconds += phase.step_seconds;
    }
    term.usual = portable_exp(sigma);
    term.try_first = words.try_first;
    double measured = log.parts[i];
    if (words.work == Work::wait && told > 0) measured += std::max(0.0, log.value - told);
    if (measured > 0 && term.predicted_seconds > 0) {
      term.factor = measured / term.predicted_seconds;
      if (sigma > 0) term.deviation = portable_log(*term.factor) / sigma;
    }
    out.terms.push_back(term);
  }
  out.summary = round_summary(out);
  return out;
}

}  // namespace trcost::study
