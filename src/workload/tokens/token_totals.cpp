// SPDX-License-Identifier: Apache-2.0
#include "workload/tokens/token_totals.h"
#include "trcost/error.h"

namespace trcost::workload {

namespace {

void add_product(std::int64_t& total, std::int64_t value, std::int64_t times) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(value, times, &product) ||
      __builtin_add_overflow(total, product, &total)) {
    throw Error(ErrorKind::usage, "the inputs have more tokens together than 9.2e18",
                "split the table, or lower its counts");
  }
}

}  // namespace

void TokenTally::add(const TokenCount& count, std::int64_t times) {
  add_product(inputs_, 1, times);
  add_product(vision_, count.vision, times);
  vision_histogram_[count.vision] += times;
  if (!count.vision_encoder) {
    encoder_known_ = false;
    return;
  }
  add_product(encoder_, *count.vision_encoder, times);
  encoder_histogram_[*count.vision_encoder] += times;
}

TokenSums TokenTally::totals() const {
  TokenSums totals;
  totals.inputs = inputs_;
  totals.vision = vision_;
  if (inputs_ == 0) return totals;
  totals.vision_distribution = distribution(vision_histogram_, vision_);
  if (!encoder_known_) return totals;
  totals.vision_encoder = encoder_;
  totals.encoder_distribution = distribution(encoder_histogram_, encoder_);
  return totals;
}

TokenDistribution TokenTally::distribution(const Histogram& histogram, std::int64_t total) const {
  // The smallest count with at least `percent` of the inputs at or below it.
  const auto quantile = [&](std::int64_t percent) {
    const std::int64_t rank = inputs_ / 100 * percent + (inputs_ % 100 * percent + 99) / 100;
    std::int64_t below = 0;
    for (const auto& [tokens, inputs] : histogram) {
      below += inputs;
      if (below >= rank) return tokens;
    }
    return histogram.rbegin()->first;
  };
  return {.min = histogram.begin()->first,
          .median = quantile(50),
          .p90 = quantile(90),
          .max = histogram.rbegin()->first,
          .mean = static_cast<double>(total) / static_cast<double>(inputs_)};
}

}  // namespace trcost::workload
