// SPDX-License-Identifier: Apache-2.0
// Lengths of responses and the time of a batch of them.
#include "catch.h"
#include "performance/serving/rollout.h"
#include "trcost/error.h"

using namespace trcost;

TEST_CASE("the longest of many responses is the lognormal's quantile", "[rollout]") {
  // phase_vectors.json: roll/lognormal_q.
  constexpr double kFar = 1e15;
  CHECK(ResponseLengths(1000, 0.7, kFar).longest(512) / 1000 ==
        Approx(5.899953318128274).epsilon(1e-6));
  CHECK(ResponseLengths(1000, 0.7, kFar).longest(8192) / 1000 ==
        Approx(10.204517348825577).epsilon(1e-6));
  CHECK(ResponseLengths(1000, 1.0, kFar).longest(8192) / 1000 ==
        Approx(23.767742046366475).epsilon(1e-6));
}

TEST_CASE("a limit cuts lengths and keeps their mean", "[rollout]") {
  for (const double limit : {4096.0, 8192.0, 16384.0}) {
    const ResponseLengths lengths(3000, 0.68, limit);
    double mean = 0;
    constexpr int kParts = 20000;
    for (int i = 0; i < kParts; ++i) mean += lengths.share_longer_than((i + 0.5) * limit / kParts);
    CHECK(mean * limit / kParts == Approx(3000).epsilon(1e-3));
    CHECK(lengths.longest(1e9) <= limit);
    CHECK(lengths.share_longer_than(limit) == 0);
  }
  CHECK_THROWS_AS(ResponseLengths(5000, 0.68, 4096), Error);
}

TEST_CASE("with steps of a + b x batch a rollout takes a x longest + b x all tokens", "[rollout]") {
  // data/phases.md A.3, and phase_vectors.json roll/affine: more engines shrink the second term
  // alone.
  const double a = 0.01, b = 5e-5;
  const auto step = [&](double sequences, double) { return a + b * sequences; };
  const ResponseLengths lengths(3000, 0.68, 8000);
  for (const double batch : {32.0, 64.0, 1024.0}) {
    const RolloutTime time = rollout_time(batch, 0, 0, 1e9, lengths, 1e9, step);
    CHECK(time.seconds == Approx(a * time.longest + b * batch * 3000).epsilon(0.01));
    CHECK(time.seconds >= a * time.longest);
    CHECK(time.idle_share == Approx(1 - 3000 / time.longest).epsilon(0.01));
  }
}

TEST_CASE("responses beyond the memory take further rounds of steps", "[rollout]") {
  const auto step = [](double, double) { return 0.01; };
  const ResponseLengths alike(1000, 0, 1000);
  const double free = rollout_time(64, 0, 0, 64, alike, 64, step).seconds;
  CHECK(free == Approx(10));
  CHECK(rollout_time(64, 0, 0, 16, alike, 64, step).seconds == Approx(4 * free));
}

// A lognormal that is not cut has E[X^2] = mean^2 exp(sigma^2), and equal lengths have mean^2.
TEST_CASE("the mean square of response lengths", "[rollout]") {
  CHECK(ResponseLengths(1000, 0.5, 1e7).mean_square() == Approx(1e6 * std::exp(0.25)));
  CHECK(ResponseLengths(1000, 0, 4096).mean_square() == 1e6);
  // The cut leaves less, and never less than equal lengths.
  const double cut = ResponseLengths(1000, 0.5, 2000).mean_square();
  CHECK(cut < 1e6 * std::exp(0.25));
  CHECK(cut > 1e6);
}
