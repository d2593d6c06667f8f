// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "report/sweep_samples.h"

using trcost::SweepSample;
using trcost::SweepSamples;

namespace {

std::string line_of(std::uint64_t row) {
  return std::to_string(row) + "\n";
}

// The lines of the kept rows of a sample, as they have to be.
template <class Kept>
std::string lines_of(const SweepSample& sample, const Kept& kept) {
  std::string out;
  for (std::uint64_t row = sample.begin; row < sample.end; ++row) {
    if (kept(row)) out += line_of(row);
  }
  return out;
}

template <class Kept>
std::vector<SweepSample> samples_of(std::uint64_t begin, std::uint64_t end, const Kept& kept) {
  SweepSamples samples(begin, end);
  for (std::uint64_t row = begin; row < end; ++row) {
    if (kept(row)) samples.add(row, line_of(row));
  }
  return samples.take();
}

}  // namespace

TEST_CASE("samples hold the lines of their rows, from the first row to the last", "[sweep]") {
  const auto all = [](std::uint64_t) { return true; };
  // One row in seven, with gaps of one row and of many, and the last row.
  const auto some = [](std::uint64_t row) { return row % 7 < 2 || row % 1000 > 990; };
  for (const std::uint64_t begin : {0ULL, 12'345ULL}) {
    const std::uint64_t end = begin + 60'000 - begin % 1000;
    for (const SweepSample& sample : samples_of(begin, end, all)) {
      REQUIRE(sample.lines == lines_of(sample, all));
    }
    const std::vector<SweepSample> sparse = samples_of(begin, end, some);
    for (const SweepSample& sample : sparse) {
      REQUIRE(begin <= sample.begin);
      REQUIRE(sample.end <= end);
      REQUIRE(sample.lines == lines_of(sample, some));
    }
    CHECK(sparse.front().begin == begin);
    CHECK(std::ranges::any_of(sparse, [&](const auto& sample) { return sample.end == end; }));
    // Bounded, whatever the file's length.
    CHECK(sparse.size() == 256 + 2 * 512);
  }
}

TEST_CASE("every gap is looked at from both sides while there are few", "[sweep]") {
  const auto kept = [](std::uint64_t row) { return row % 1000 < 100 || row == 99'999; };
  const std::vector<SweepSample> samples = samples_of(0, 100'000, kept);
  const auto has = [&](std::uint64_t row) {
    return std::ranges::any_of(samples, [&](const SweepSample& sample) {
      return sample.begin <= row && row < sample.end;
    });
  };
  for (std::uint64_t price = 0; price < 99'000; price += 1000) {
    REQUIRE(has(price + 99));
    REQUIRE(has(price + 100));
    REQUIRE(has(price + 999));
    REQUIRE(has(price + 1000));
  }
}
