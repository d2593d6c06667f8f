// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/samples.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace trcost::study {

namespace {

constexpr std::uint64_t kParts = 256;
constexpr std::uint64_t kPartRows = 32;
constexpr std::uint64_t kMostSingles = 512;
constexpr std::uint64_t kMostEdges = 256;                 // of an axis
constexpr std::uint64_t kRing = std::uint64_t{1} << 22U;  // rows; longer strides have no edges

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi:10.1145/2660193.2660195, figure 17): places that
// do not fall into step with the axes.
std::uint64_t scattered(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

// Where to hold item `number` of so many that not all are held, each as likely as any other
// (Vitter 1985, doi:10.1145/3147.3165, algorithm R).
std::optional<std::uint64_t> slot_of(std::uint64_t number, std::uint64_t most) {
  const std::uint64_t slot = number < most ? number : scattered(number) % (number + 1);
  if (slot >= most) return std::nullopt;
  return slot;
}

}  // namespace

SweepSamples::SweepSamples(std::uint64_t begin, std::uint64_t end,
                           const std::vector<std::uint64_t>& sizes)
    : begin_(begin), next_(begin) {
  const std::uint64_t part = std::max((end - begin) / kParts, kPartRows + 1);
  for (std::uint64_t i = 0; i < kParts; ++i) {
    std::uint64_t first = begin + i * part + scattered(i) % (part - kPartRows);
    if (i == 0) first = begin;
    if (i + 1 == kParts) first = end - kPartRows;
    parts_.push_back({first, first + kPartRows, {}});
  }
  std::uint64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0 && stride < kRing; stride *= sizes[i]) {
    if (sizes[i] > 1) axes_.push_back({sizes[i], stride});
    if (sizes[i] >= kRing) break;
  }
  if (!axes_.empty()) kept_.resize(kRing);
}

void SweepSamples::add(std::uint64_t row, std::string_view line) {
  while (part_ < parts_.size() && parts_[part_].end <= row) ++part_;
  if (part_ < parts_.size() && row >= parts_[part_].begin) parts_[part_].lines += line;
  add_single(row, line);
  if (!axes_.empty()) {
    for (; next_ < row; ++next_) mark(next_, false);
    mark(row, true);
  }
  next_ = row + 1;
}

void SweepSamples::add_single(std::uint64_t row, std::string_view line) {
  const auto slot = slot_of(line_count_++, kMostSingles);
  if (!slot) return;
  singles_.resize(std::max<std::size_t>(singles_.size(), *slot + 1));
  singles_[*slot] = {row, row + 1, std::string(line)};
}

void SweepSamples::mark(std::uint64_t row, bool kept) {
  kept_[row % kRing] = kept;
  for (Axis& axis : axes_) {
    if (row - begin_ < axis.stride || kept_[(row - axis.stride) % kRing] == kept) continue;
    if (row / axis.stride % axis.size == 0) continue;  // the neighbour is that of another axis
    const auto slot = slot_of(axis.count++, kMostEdges);
    if (!slot) continue;
    axis.edges.resize(std::max<std::size_t>(axis.edges.size(), 2 * *slot + 2));
    axis.edges[2 * *slot] = {row - axis.stride, !kept};
    axis.edges[2 * *slot + 1] = {row, kept};
  }
}

std::vector<SweepSample> SweepSamples::take() {
  std::ranges::move(singles_, std::back_inserter(parts_));
  return std::move(parts_);
}

std::vector<SweepEdge> SweepSamples::edges() const {
  std::vector<SweepEdge> out;
  for (const Axis& axis : axes_) out.insert(out.end(), axis.edges.begin(), axis.edges.end());
  return out;
}

}  // namespace trcost::study
