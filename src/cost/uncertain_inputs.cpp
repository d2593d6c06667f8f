// SPDX-License-Identifier: Apache-2.0
#include "cost/uncertain_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "cost/ownership.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"

namespace trcost::cost {

namespace {

// Standard deviations of ln(value), model.md 10 unless a line says otherwise.
constexpr double kLeastMfuSigma = 0.08;  // tuned stack, known layout
constexpr double kMoeSigma = 0.18;
constexpr double kGoodputSigmaSmall = 0.06;  // up to 4,096 accelerators
constexpr double kGoodputSigmaLarge = 0.15;  // above 16,384
constexpr double kTokensSigmaPlan = 0.10;
constexpr double kTokensSigmaGuess = 0.25;
constexpr double kVisionTokensSigma = 0.25;  // tokens of images: their sizes, padding
// Mean lengths of 12 open instruction sets, from about 70 tokens (Self-Instruct) to 1,400
// (ShareGPT): Wang et al., arXiv:2306.04751, table 1. Their logarithms spread by 0.8 about their
// mean, less within a kind of data.
constexpr double kSampleLengthSigma = 0.6;
constexpr double kExperimentsSigma = 0.5;
constexpr double kElectricitySigma = 0.2;
constexpr double kPueSigma = 0.05;
// data/phases.md, A.10.
constexpr double kRoundsSigma = 0.3;
constexpr double kResponseSigma = 0.25;
// Overheads of published bills (manual restarts, evaluations, second attempts), from the coverage
// that `trcost validate --runs` prints.
constexpr double kScopeSigma = 0.20;
// Standard deviation of the logarithms of 0.55, 0.60 and 1.15, the ratios behind kProjectShare.
constexpr double kProjectSigma = 0.40;

constexpr std::string_view kTable = "standard deviations of inputs, model.md 10";
constexpr std::string_view kRoundsTable = "rounds and lengths of responses, data/phases.md A.10";

// Published / estimated pre-training runs of unknown software, all causes together, from
// `trcost validate --runs`.
constexpr double kWholeRunSigma = 0.28;

// Where the software is not stated. Rows of data/runs/throughput.csv predicted without their stack,
// tuning and kernels, root mean square of ln(predicted / measured) over sources: pre-training on
// one accelerator 0.52 (21 sources), up to 8 0.48 (85), up to 64 0.44 (64), on more 0.30 (73), of
// models below 1.6e9 parameters 0.72 (12); fine-tuning 0.55 (39).
constexpr double kUnknownOne = 0.52, kUnknownLarge = 0.30, kUnknownSmallModel = 0.6;
constexpr double kUnknownTuning = 0.55;
constexpr double kLargeCluster = 256, kNode = 8, kTwoNodes = 16;
constexpr double kSmallModel = 0.5e9, kUsualModel = 7e9;

// 1 at `from` and below, 0 at `to` and above, by the logarithm between them.
double falling(double value, double from, double to) {
  return 1 - std::clamp(portable_log(value / from) / portable_log(to / from), 0.0, 1.0);
}

double unknown_stack_sigma(const UncertaintyContext& in) {
  if (in.fine_tuning) return kUnknownTuning;
  double sigma = kUnknownLarge + falling(in.gpus, 1, kLargeCluster) * (kUnknownOne - kUnknownLarge);
  if (in.whole_runs) {
    sigma -= kUnknownLarge - std::sqrt(square(kWholeRunSigma) - square(kScopeSigma));
  }
  const double small =
      falling(in.params, kSmallModel, kUsualModel) * falling(in.gpus, kNode, kTwoNodes);
  return sigma + small * (kUnknownSmallModel - sigma);
}

// Spread of the method near the scenario, within which P90 does not exceed the peak.
double mfu_sigma(const UncertaintyContext& in) {
  double sigma = std::max(in.mfu_sigma, kLeastMfuSigma);
  if (in.vision_rows || in.own_steps) return sigma;
  if (!in.stack_known) {
    const double unknown = unknown_stack_sigma(in);
    sigma = in.whole_runs ? unknown : std::max(sigma, unknown);
  }
  // The spread near a mixture is of rows of mixtures, which the extra of model.md only bounds.
  if (in.moe) sigma = std::max(sigma, kMoeSigma);
  if (in.mfu && *in.mfu < 1) {
    sigma = std::min(sigma, std::max(kLeastMfuSigma, -portable_log(*in.mfu) / kNormalP90));
  }
  return sigma;
}

}  // namespace

double energy_sigma(bool price_given, bool pue_given) {
  const double price = price_given ? 0 : kElectricitySigma;
  const double pue = pue_given ? 0 : kPueSigma;
  return in_quadrature(in_quadrature(price, pue), kPowerSigma);
}

namespace {

// Name of a default uncertain input, for people.
struct InputWords {
  Cause cause;
  std::optional<Field> field;
  std::string_view words;
};
constexpr InputWords kInputWords[] = {
    {Cause::mfu, Field::efficiency_mfu, "MFU"},
    {Cause::useful_time, Field::efficiency_goodput, "goodput"},
    {Cause::scope, {}, "evaluations and restarts"},
    {Cause::amount, Field::data_tokens, "tokens"},
    {Cause::amount, Field::rollout_steps, "rounds"},
    {Cause::amount, Field::rollout_response_tokens, "length of responses"},
    {Cause::price, Field::cost_purchase_price, "purchase price"},
    {Cause::price, Field::cost_electricity_price, "electricity"},
    {Cause::price, Field::cost_price_per_gpu_hour, "price per GPU-hour"},
    {Cause::experiments, Field::cost_experiments, "experiments"},
    {Cause::platforms, {}, "ratio of the two platforms"},
    {Cause::measurement, {}, "the measurement"},
};

}  // namespace

void default_uncertain_inputs(const UncertaintyContext& in, std::vector<UncertainInput>& out) {
  out.clear();
  const auto add = [&out](Cause cause, std::optional<Field> field, double sigma,
                          const Exponents& exponents, std::string_view source) {
    if (sigma <= 0) return;
    out.push_back({cause,
                   field,
                   {Distribution::Kind::lognormal, 1, sigma, 0},
                   exponents,
                   std::numeric_limits<double>::infinity(),
                   source});
  };
  if (!in.mfu_given) {
    add(Cause::mfu, Field::efficiency_mfu, mfu_sigma(in), Exponents::time(-1),
        "predicted / measured of the published rows nearest to this scenario (trcost validate), "
        "whole sources left out");
  }
  if (!in.goodput_given) {
    const double large = std::clamp(portable_log2(in.gpus / 4096) / 2, 0.0, 1.0);
    add(Cause::useful_time, Field::efficiency_goodput,
        kGoodputSigmaSmall + large * (kGoodputSigmaLarge - kGoodputSigmaSmall), Exponents::time(-1),
        kTable);
  }
  // Residuals of whole runs have it in them.
  if (!in.overhead_given && !in.vision_rows) {
    add(Cause::scope, {}, in.project ? kProjectSigma : kScopeSigma, Exponents::time(1),
        "manual restarts, evaluations and second attempts in published GPU-hours: trcost validate "
        "--runs");
  }
  if (in.rollouts) {
    const RolloutUncertainty& r = *in.rollouts;
    const double plan = r.length_ranged || r.rest_ranged ? 0 : kTokensSigmaPlan;
    if (!r.rounds_ranged) {
      add(Cause::amount, Field::rollout_steps, r.rounds_given ? plan : kRoundsSigma,
          Exponents::time(1).with(Driver::dataset, 1), kRoundsTable);
    }
    if (!r.length_given && !r.length_ranged) {
      add(Cause::amount, Field::rollout_response_tokens, kResponseSigma,
          Exponents::time(r.length_hours).with(Driver::dataset, r.length_tokens), kRoundsTable);
    }
  } else if (!in.tokens_ranged) {
    const double amount = in.tokens_given ? kTokensSigmaPlan : kTokensSigmaGuess;
    const double tokens = in_quadrature(amount, in.length_assumed ? kSampleLengthSigma : 0);
    add(Cause::amount, Field::data_tokens,
        in.vision_rows ? tokens : in_quadrature(tokens, in.image_share * kVisionTokensSigma),
        Exponents::time(1).with(Driver::dataset, 1), kTable);
  }
  if (in.own) {
    add(Cause::price, Field::cost_purchase_price, in.purchase_sigma,
        Exponents().with(Driver::capital, 1),
        "quotes of an 8-GPU H100 server, their age, and prices of used chips (data/model.md 7)");
    add(Cause::price, Field::cost_electricity_price,
        energy_sigma(in.electricity_given, in.pue_given), Exponents().with(Driver::electricity, 1),
        kTable);
  } else if (!in.price_given) {
    add(Cause::price, Field::cost_price_per_gpu_hour, in.price_sigma,
        Exponents().with(Driver::rent, 1), "the quotes that the price is the median of");
  }
  if (!in.experiments_ranged) {
    add(Cause::experiments, Field::cost_experiments, kExperimentsSigma,
        Exponents().with(Driver::experiments, 1), kTable);
  }
}

std::optional<Exponents> known_exponents(Law law, const WorkShares& shares) {
  const auto time = [](double exponent) { return Exponents::time(exponent); };
  const auto one = [](Driver driver) { return Exponents().with(driver, 1); };
  const double seen = 1 - shares.text_tokens;
  // Tokens that follow from the parameters are proportional to them (model.md 2.5).
  const double of_params = shares.tokens_given ? 1 : 2;
  switch (law) {
    case Law::trial:
    case Law::steps:
      return std::nullopt;
    case Law::none:
      return Exponents();
    case Law::time:
      return time(1);
    case Law::inverse_time:
      return time(-1);
    case Law::tokens:
      return time(1).with(Driver::dataset, 1);
    case Law::params:
      return time(of_params).with(Driver::dataset, of_params - 1).with(Driver::checkpoints, 1);
    case Law::text:
      return time(shares.text_tokens);
    case Law::images:
      return time(seen).with(Driver::dataset, 1);
    case Law::image_tokens:
      return time(seen);
    case Law::accelerators:
      return Exponents().with(Driver::days, -1);
    case Law::rent:
      return one(Driver::rent);
    case Law::capital:
      return one(Driver::capital);
    case Law::utilization:
      return Exponents().with(Driver::capital, -1).with(Driver::colocation, -1);
    case Law::colocation:
      return one(Driver::colocation);
    case Law::electricity:
      return one(Driver::electricity);
    case Law::storage:
      return one(Driver::dataset).with(Driver::checkpoints, 1);
    case Law::egress:
      return one(Driver::egress);
    case Law::experiments:
      return one(Driver::experiments);
    case Law::evaluation:
      return one(Driver::evaluation);
  }
  return std::nullopt;
}

}  // namespace trcost::cost

namespace trcost {

std::string_view UncertainInput::name() const {
  if (given && field) return field_info(*field).path;
  for (const InputWords& row : kInputWords) {
    if (row.cause == cause && row.field == field) return row.words;
  }
  throw std::logic_error("an uncertain input without words");
}

}  // namespace trcost
