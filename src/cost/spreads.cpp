// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cost/distribution.h"
#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "trcost/uncertainty.h"

namespace trcost {
namespace {

// Standard deviations of ln(value), model.md 10 unless a line says otherwise.
constexpr double kLeastMfuSigma = 0.08;  // tuned stack, known layout
constexpr double kUnknownStackSigma = 0.20;
constexpr double kMoeSigma = 0.18;
constexpr double kGoodputSigmaSmall = 0.06;  // up to 4,096 accelerators
constexpr double kGoodputSigmaLarge = 0.15;  // above 16,384
constexpr double kTokensSigmaPlan = 0.10;
constexpr double kTokensSigmaGuess = 0.25;
constexpr double kVisionTokensSigma = 0.25;
constexpr double kExperimentsSigma = 0.5;
constexpr double kElectricitySigma = 0.23;  // price 0.2, power 0.1, PUE 0.05 in quadrature
constexpr double kPurchaseSigma = 0.20;     // spread of the quotes of an 8-GPU H100 server
// What published bills include beyond one clean run (restarts by hand, evaluations, second
// attempts): see the coverage that `trcost validate --runs` prints.
constexpr double kScopeSigma = 0.20;

double goodput_sigma(double gpus) {
  const double share = std::clamp(portable_log2(gpus / 4096) / 2, 0.0, 1.0);
  return kGoodputSigmaSmall + share * (kGoodputSigmaLarge - kGoodputSigmaSmall);
}

void add(std::vector<UncertainInput>& out, std::string_view name, double sigma, double hours,
         double days, double dollars) {
  if (sigma <= 0 || (hours == 0 && days == 0 && dollars == 0)) return;
  out.push_back({name, {Distribution::Kind::lognormal, 1, sigma, 0}, hours, days, dollars});
}

}  // namespace

void default_spreads(const SpreadContext& in, std::vector<UncertainInput>& out) {
  out.clear();
  const double compute = 1 - in.electricity_share * (in.own ? 0.0 : 1.0);
  if (!in.mfu_given && !in.gpu_hours_measured) {
    double sigma = std::max(in.mfu_sigma, kLeastMfuSigma);
    if (!in.stack_known) sigma = std::max(sigma, kUnknownStackSigma);
    if (in.moe) sigma = std::max(sigma, kMoeSigma);
    add(out, "MFU", sigma, -1, -1, -compute);
  }
  if (!in.goodput_given) {
    add(out, "goodput and production overhead", goodput_sigma(in.gpus), -1, -1, -compute);
    add(out, "what the bill includes", kScopeSigma, 1, 1, compute);
  }
  const double tokens = in.tokens_given ? kTokensSigmaPlan : kTokensSigmaGuess;
  add(out, "tokens", in.vision ? in_quadrature(tokens, kVisionTokensSigma) : tokens, 1, 1, compute);
  if (in.own) {
    add(out, "purchase price", in.price_given ? 0 : kPurchaseSigma, 0, 0, 1 - in.electricity_share);
    add(out, "electricity", kElectricitySigma, 0, 0, in.electricity_share);
  } else if (!in.price_given) {
    add(out, "price per GPU-hour", in.price_sigma, 0, 0, compute);
  }
  add(out, "experiments", kExperimentsSigma, 0, 0, in.experiments_share);
}

namespace {

struct Effect {
  Field field;
  double hours;
  double days;
  double dollars;
};

}  // namespace

UncertainInput field_spread(Field field, const Distribution& distribution, double value,
                            const CostShares& shares) {
  check_distribution(distribution);
  const double compute = shares.compute;
  const std::array<Effect, 20> effects = {{
      {Field::efficiency_mfu, -1, -1, -compute},
      {Field::efficiency_goodput, -1, -1, -compute},
      {Field::efficiency_production_overhead, -1, -1, -compute},
      {Field::data_tokens, 1, 1, compute},
      {Field::data_samples, 1, 1, compute},
      {Field::data_epochs, 1, 1, compute},
      {Field::model_params, 1, 1, compute},
      {Field::data_text_tokens_per_sample, shares.text_tokens, shares.text_tokens,
       compute * shares.text_tokens},
      {Field::data_images_per_sample, 1 - shares.text_tokens, 1 - shares.text_tokens,
       compute * (1 - shares.text_tokens)},
      {Field::data_vision_tokens_per_image, 1 - shares.text_tokens, 1 - shares.text_tokens,
       compute * (1 - shares.text_tokens)},
      {Field::hardware_gpus, 0, -1, 0},
      {Field::cost_price_per_gpu_hour, 0, 0, shares.price},
      {Field::cost_purchase_price, 0, 0, shares.price},
      {Field::cost_electricity_price, 0, 0, shares.electricity},
      {Field::cost_pue, 0, 0, shares.electricity},
      {Field::cost_utilization, 0, 0, -shares.price},
      {Field::cost_storage_price, 0, 0, shares.storage},
      {Field::cost_experiments, 0, 0, shares.experiments},
      {Field::cost_evaluation, 0, 0, shares.evaluation},
      {Field::cost_grid_intensity, 0, 0, 0},
  }};
  for (const Effect& effect : effects) {
    if (effect.field != field) continue;
    return {field_info(field).path, relative_to(distribution, value), effect.hours, effect.days,
            effect.dollars};
  }
  std::string known;
  for (const Effect& effect : effects) {
    known += (known.empty() ? "" : ", ") + std::string(field_info(effect.field).path);
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("{} cannot be a range: its effect on the cost has no simple form",
                  field_info(field).path),
      fmt::format("give one value, or a range to one of {}; `trcost sweep` varies any field",
                  known),
      std::string(field_info(field).flag));
}

}  // namespace trcost
