// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "study/sweep/samples.h"

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
SweepSamples samples_of(std::uint64_t begin, std::uint64_t end,
                        const std::vector<std::uint64_t>& sizes, const Kept& kept) {
  SweepSamples samples(begin, end, sizes);
  for (std::uint64_t row = begin; row < end; ++row) {
    if (kept(row)) samples.add(row, line_of(row));
  }
  return samples;
}

}  // namespace

TEST_CASE("samples hold the lines of their rows, from the first row to the last", "[sweep]") {
  const auto all = [](std::uint64_t) { return true; };
  // Some rows in seven, with gaps of one row and of many, and the last row.
  const auto some = [](std::uint64_t row) { return row % 7 < 2 || row % 1000 > 990; };
  for (const std::uint64_t begin : {0ULL, 12'345ULL}) {
    const std::uint64_t end = begin + 60'000 - begin % 1000;
    for (const SweepSample& sample : samples_of(begin, end, {}, all).take()) {
      REQUIRE(sample.lines == lines_of(sample, all));
    }
    SweepSamples samples = samples_of(begin, end, {100, 1000}, some);
    for (const trcost::SweepEdge& edge : samples.edges()) REQUIRE(edge.kept == some(edge.row));
    const std::vector<SweepSample> sparse = samples.take();
    for (const SweepSample& sample : sparse) {
      REQUIRE(begin <= sample.begin);
      REQUIRE(sample.end <= end);
      REQUIRE(sample.lines == lines_of(sample, some));
    }
    CHECK(sparse.front().begin == begin);
    CHECK(std::ranges::any_of(sparse, [&](const auto& sample) { return sample.end == end; }));
    // Bounded, whatever the file's length.
    CHECK(sparse.size() == 256 + 512);
    CHECK(samples.edges().size() == 2 * 2 * 256);
  }
}

TEST_CASE("the edge of a condition along an axis is looked at whatever lies between", "[sweep]") {
  // 99 sizes of 500 prices of two platforms; the first is kept at less than 100 prices.
  const auto kept = [](std::uint64_t row) { return row % 2 == 1 || row / 2 % 500 < 100; };
  const std::vector<trcost::SweepEdge> edges = samples_of(0, 99'000, {99, 500, 2}, kept).edges();
  for (std::uint64_t size = 0; size < 99'000; size += 1000) {
    for (const std::uint64_t row : {size + 198, size + 200}) {
      REQUIRE(std::ranges::any_of(edges, [&](const auto& edge) { return edge.row == row; }));
    }
  }
}
