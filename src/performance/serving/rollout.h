// SPDX-License-Identifier: Apache-2.0
// Time to generate a batch of responses, of which the longest delays the rest.
#pragma once

#include <functional>

#include "performance/serving/serving_model.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// Lengths of responses: lognormal, cut off at `limit`, with the mean after the cut.
class ResponseLengths {
 public:
  /// `spread`: standard deviation of ln before the cut, 0 for equal lengths. Throws Error (usage)
  /// if the mean is above the limit.
  ResponseLengths(double mean, double spread, double limit);

  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double limit() const { return limit_; }
  /// Mean of the squared length.
  [[nodiscard]] double mean_square() const;
  /// Share of the responses that are longer than `tokens`.
  [[nodiscard]] double share_longer_than(double tokens) const;
  /// Expected longest of `responses`: the quantile 1 - 1/n, at most the limit.
  [[nodiscard]] double longest(double responses) const;

 private:
  double mean_, spread_, limit_;
  double centre_ = 0;  // of ln
};

/// Mean of min(X, limit) of a lognormal X with this mean and standard deviation of ln.
double mean_below(double limit, double mean, double spread);

/// Seconds of a decode step with `sequences` in flight of a mean context.
using DecodeSeconds = std::function<double(double sequences, double context)>;

struct RolloutTime {
  double seconds = 0;
  double prefill_seconds = 0;
  double longest = 0;     ///< tokens of the longest response
  double idle_share = 0;  ///< of the slots, waiting for the longest: 1 - sum of lengths / (B L_max)
  double tail_share = 0;  ///< of the time with less than a quarter of the responses in flight
};

/// Time of one engine for `responses` at once (data/phases.md, A.3):
///   prefill + integral over x from 0 to L_max of t_step(max(1, B A(x)), P + x) max(1, B
///   A(x)/B_max)
/// with A(x) the share of responses longer than x. `most`: sequences that fit in its memory.
RolloutTime rollout_time(double responses, double prompt_tokens, double prefill_seconds,
                         double most, const ResponseLengths& lengths, double all_responses,
                         const DecodeSeconds& step);

/// Time with partial rollouts, which continue unfinished responses in the next round (Kimi k1.5,
/// arXiv:2501.12599, section 2.6.2): every step is full, and a round takes as long as its mean
/// number of tokens,
///   prefill + sum of lengths / min(B, B_max) x t_step(min(B, B_max), P + L / 2).
RolloutTime partial_rollout_time(double responses, double prompt_tokens, double prefill_seconds,
                                 double most, const ResponseLengths& lengths,
                                 const DecodeSeconds& step);

}  // namespace trcost::performance
