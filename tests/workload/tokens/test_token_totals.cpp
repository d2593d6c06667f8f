// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "catch.h"
#include "trcost/error.h"
#include "workload/tokens/token_totals.h"

namespace {

trcost::TokenCount tokens(std::int64_t encoder, std::int64_t vision) {
  trcost::TokenCount count;
  count.vision_encoder = encoder;
  count.vision = vision;
  return count;
}

}  // namespace

TEST_CASE("quantiles are by nearest rank", "[tokens][totals]") {
  trcost::TokenTally tally;
  for (std::int64_t i = 1; i <= 10; ++i) tally.add(tokens(4 * i, i));
  const auto totals = tally.totals();
  CHECK(totals.inputs == 10);
  CHECK(totals.vision == 55);
  CHECK(totals.vision_encoder == 220);
  CHECK(totals.vision_distribution->min == 1);
  CHECK(totals.vision_distribution->median == 5);
  CHECK(totals.vision_distribution->p90 == 9);
  CHECK(totals.vision_distribution->max == 10);
  CHECK_THAT(totals.vision_distribution->mean, WithinAbs(5.5, 1e-12));
  CHECK(totals.encoder_distribution->p90 == 36);
}

TEST_CASE("a count of many inputs is as many single ones", "[tokens][totals][property]") {
  std::mt19937 random(11);
  std::uniform_int_distribution<std::int64_t> vision(1, 50);
  std::uniform_int_distribution<std::int64_t> times(1, 400);
  for (int round = 0; round < 50; ++round) {
    trcost::TokenTally tally;
    std::vector<std::int64_t> all;
    for (int row = 0; row < 20; ++row) {
      const std::int64_t value = vision(random);
      const std::int64_t repeats = times(random);
      tally.add(tokens(value, value), repeats);
      all.insert(all.end(), static_cast<std::size_t>(repeats), value);
    }
    std::sort(all.begin(), all.end());
    const auto totals = tally.totals();
    const std::size_t n = all.size();
    REQUIRE(totals.inputs == static_cast<std::int64_t>(n));
    REQUIRE(totals.vision == std::accumulate(all.begin(), all.end(), std::int64_t{0}));
    REQUIRE(totals.vision_distribution->min == all.front());
    REQUIRE(totals.vision_distribution->median == all[(n + 1) / 2 - 1]);
    REQUIRE(totals.vision_distribution->p90 == all[(9 * n + 9) / 10 - 1]);
    REQUIRE(totals.vision_distribution->max == all.back());
  }
}

TEST_CASE("one unknown encoder makes the encoder's total unknown", "[tokens][totals]") {
  trcost::TokenTally tally;
  tally.add(tokens(577, 576));
  trcost::TokenCount unpublished;
  unpublished.vision = 765;
  tally.add(unpublished);
  CHECK(tally.totals().vision == 576 + 765);
  CHECK_FALSE(tally.totals().vision_encoder.has_value());
  CHECK_FALSE(tally.totals().encoder_distribution.has_value());
}

TEST_CASE("no inputs have no distribution, and totals do not wrap", "[tokens][totals]") {
  trcost::TokenTally tally;
  CHECK(tally.totals().inputs == 0);
  CHECK_FALSE(tally.totals().vision_distribution.has_value());
  CHECK_FALSE(tally.totals().vision_encoder.has_value());
  CHECK_THROWS_AS(tally.add(tokens(1000, 1000), std::numeric_limits<std::int64_t>::max() / 2),
                  trcost::Error);
}
