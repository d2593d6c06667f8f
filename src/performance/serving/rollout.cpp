// SPDX-License-Identifier: Apache-2.0
#include "performance/serving/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"
#include "quantity/statistics.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::performance {
namespace {

// Mean of min(X, limit) of a lognormal X.
double truncated_mean(double centre, double spread, double limit) {
  const double cut = (portable_log(limit) - centre) / spread;
  return portable_exp(centre + spread * spread / 2) * (1 - normal_above(cut - spread)) +
         limit * normal_above(cut);
}

}  // namespace

double mean_below(double limit, double mean, double spread) {
  if (spread <= 0) return std::min(mean, limit);
  return truncated_mean(portable_log(mean) - spread * spread / 2, spread, limit);
}

ResponseLengths::ResponseLengths(double mean, double spread, double limit)
    : mean_(mean), spread_(spread), limit_(limit) {
  if (mean > limit) {
    throw Error(ErrorKind::usage,
                fmt::format("a mean response of {} tokens is longer than the limit of {}",
                            format_number(mean, NumberKind::count),
                            format_number(limit, NumberKind::count)),
                "use a larger --response-limit, or a smaller --response-tokens",
                "--response-limit");
  }
  // No lognormal has a mean this near the limit, so all responses are as long as the mean.
  constexpr double kNearLimit = 0.98;
  if (spread_ <= 0 || mean >= kNearLimit * limit) {
    spread_ = 0;
    return;
  }
  double low = portable_log(mean) - 10, high = portable_log(limit) + 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (truncated_mean(middle, spread_, limit) < mean ? low : high) = middle;
  }
  centre_ = (low + high) / 2;
}

// E[min(X, limit)^2] of a lognormal X: exp(2 c + 2 s^2) Phi(z - 2 s) + limit^2 (1 - Phi(z)), with
// z = (ln limit - c) / s.
double ResponseLengths::mean_square() const {
  if (spread_ <= 0) return mean_ * mean_;
  const double cut = (portable_log(limit_) - centre_) / spread_;
  return portable_exp(2 * (centre_ + spread_ * spread_)) * (1 - normal_above(cut - 2 * spread_)) +
         limit_ * limit_ * normal_above(cut);
}

double ResponseLengths::share_longer_than(double tokens) const {
  if (tokens >= limit_) return 0;
  if (spread_ <= 0) return tokens < mean_ ? 1 : 0;
  if (tokens <= 0) return 1;
  return normal_above((portable_log(tokens) - centre_) / spread_);
}

double ResponseLengths::longest(double responses) const {
  if (spread_ <= 0) return mean_;
  if (responses <= 1) return mean_;
  const double quantile = portable_exp(centre_ + spread_ * inverse_normal(1 - 1 / responses));
  return std::clamp(quantile, mean_, limit_);
}

RolloutTime rollout_time(double responses, double prompt_tokens, double prefill_seconds,
                         double most, const ResponseLengths& lengths, double all_responses,
                         const DecodeSeconds& step) {
  constexpr int kPanels = 96;
  constexpr double kTail = 0.25;
  RolloutTime out;
  out.prefill_seconds = prefill_seconds;
  out.longest = lengths.longest(all_responses);
  const double width = out.longest / kPanels;
  double tail = 0;
  double written = 0;
  for (int i = 0; i < kPanels; ++i) {
    const double x = (i + 0.5) * width;
    const double left = lengths.share_longer_than(x);
    const double in_flight = std::max(1.0, responses * left);
    // Sequences beyond the memory wait in a queue and repeat the same steps.
    const double waves = std::max(1.0, in_flight / most);
    const double seconds = width * step(std::min(in_flight, most), prompt_tokens + x) * waves;
    out.seconds += seconds;
    written += width * left;
    if (left < kTail) tail += seconds;
  }
  out.idle_share = std::clamp(1 - written / out.longest, 0.0, 1.0);
  out.tail_share = out.seconds > 0 ? tail / out.seconds : 0;
  out.seconds += prefill_seconds;
  return out;
}

RolloutTime partial_rollout_time(double responses, double prompt_tokens, double prefill_seconds,
                                 double most, const ResponseLengths& lengths,
                                 const DecodeSeconds& step) {
  const double in_flight = std::max(1.0, std::min(responses, most));
  RolloutTime out;
  out.prefill_seconds = prefill_seconds;
  out.longest = lengths.mean();  // of one round
  const double steps = responses * lengths.mean() / in_flight;
  out.seconds = prefill_seconds + steps * step(in_flight, prompt_tokens + lengths.mean() / 2);
  return out;
}

}  // namespace trcost::performance
