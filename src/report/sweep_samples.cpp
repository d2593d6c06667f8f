// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_samples.h"

#include <algorithm>
#include <utility>

namespace trcost {
namespace {

constexpr std::uint64_t kParts = 256;
constexpr std::uint64_t kPartRows = 32;
constexpr std::uint64_t kMostGaps = 512;

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi:10.1145/2660193.2660195, figure 17): places that
// do not fall into step with the axes.
std::uint64_t scattered(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace

SweepSamples::SweepSamples(std::uint64_t begin, std::uint64_t end) : next_(begin) {
  const std::uint64_t part = std::max((end - begin) / kParts, kPartRows + 1);
  for (std::uint64_t i = 0; i < kParts; ++i) {
    std::uint64_t first = begin + i * part + scattered(i) % (part - kPartRows);
    if (i == 0) first = begin;
    if (i + 1 == kParts) first = end - kPartRows;
    parts_.push_back({first, first + kPartRows, {}});
  }
}

void SweepSamples::add(std::uint64_t row, std::string_view line) {
  while (part_ < parts_.size() && parts_[part_].end <= row) ++part_;
  if (part_ < parts_.size() && row >= parts_[part_].begin) parts_[part_].lines += line;
  if (row != next_) add_gap(row, line);
  next_ = row + 1;
  last_line_ = line;
}

// Some of the gaps, each as likely as any other (Vitter 1985, doi:10.1145/3147.3165, algorithm R).
void SweepSamples::add_gap(std::uint64_t row, std::string_view line) {
  const std::uint64_t number = gap_count_++;
  std::uint64_t slot = number;
  if (number >= kMostGaps) {
    slot = scattered(number) % gap_count_;
    if (slot >= kMostGaps) return;
  } else {
    gaps_.resize(2 * gap_count_);
  }
  SweepSample& before = gaps_[2 * slot];
  before = {next_, next_ + 1, {}};
  if (!last_line_.empty()) before = {next_ - 1, next_ + 1, last_line_};
  gaps_[2 * slot + 1] = {row - 1, row + 1, std::string(line)};
}

std::vector<SweepSample> SweepSamples::take() {
  std::ranges::move(gaps_, std::back_inserter(parts_));
  return std::move(parts_);
}

}  // namespace trcost
