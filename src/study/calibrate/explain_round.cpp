// SPDX-License-Identifier: Apache-2.0
// A measured round of reinforcement learning beside the predicted one, part by part.
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

double predicted_seconds(const Estimate& e, Work work) {
  double sum = 0;
  for (const PhaseResult& phase : e.phases) {
    if (phase.work == work) sum += phase.step_seconds;
  }
  return sum;
}

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
    term.predicted_seconds = predicted_seconds(e, words.work);
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
