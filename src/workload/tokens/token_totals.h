// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "quantity/layers.h"
#include "trcost/tokens.h"

/// Totals and spread of the token counts of many inputs.
namespace trcost::workload {

/// Quantiles of the counts of a set by nearest rank: the smallest count that at least that share of
/// the inputs does not exceed, so each is a count that occurs.
struct TokenDistribution {
  std::int64_t min = 0;
  std::int64_t median = 0;
  std::int64_t p90 = 0;
  std::int64_t max = 0;
  double mean = 0;
};

/// `encoder` values are empty when any input's encoder tokens are unknown, or without inputs.
struct TokenSums {
  std::int64_t inputs = 0;
  std::optional<std::int64_t> vision_encoder;
  std::int64_t vision = 0;
  std::optional<TokenDistribution> encoder_distribution;
  std::optional<TokenDistribution> vision_distribution;
};

/// Adds up counts. Keeps one number per distinct count, however many inputs there are.
class TokenTally {
 public:
  /// `times` inputs (1 or more) with this count. Throws `Error` (usage) when a total leaves the
  /// range of 64-bit whole numbers.
  void add(const TokenCount& count, std::int64_t times = 1);

  [[nodiscard]] TokenSums totals() const;

 private:
  using Histogram = std::map<std::int64_t, std::int64_t>;  // tokens -> inputs

  std::int64_t inputs_ = 0;
  std::int64_t vision_ = 0;
  std::int64_t encoder_ = 0;
  bool encoder_known_ = true;
  Histogram vision_histogram_;
  Histogram encoder_histogram_;

  [[nodiscard]] TokenDistribution distribution(const Histogram& histogram,
                                               std::int64_t total) const;
};

}  // namespace trcost::workload
