// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/axis.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trcost::study {

SweepAxis::SweepAxis(const FieldInfo& field, std::vector<std::string> words)
    : field_(&field), words_(std::move(words)) {}

SweepAxis::SweepAxis(const FieldInfo& field, std::vector<double> numbers)
    : field_(&field), numbers_(std::move(numbers)) {}

SweepAxis::SweepAxis(const FieldInfo& field, const Range& range) : field_(&field), range_(range) {}

std::uint64_t SweepAxis::size() const {
  if (range_) return range_->count;
  return numeric() ? numbers_.size() : words_.size();
}

double SweepAxis::number(std::uint64_t at) const {
  if (!range_) return numbers_[at];
  const auto steps = static_cast<double>(at);
  // Whole numerator and power of ten: the quotient is the double nearest to the decimal.
  if (range_->scale > 0) return (range_->start + steps * range_->step) / range_->scale;
  return std::min(range_->last, range_->start + steps * range_->step);
}

void SweepAxis::set(Scenario& scenario, std::uint64_t at) const {
  if (numeric()) {
    scenario.set_number(*field_, number(at), field_->path);
  } else {
    scenario.set(*field_, words_[at], field_->path);
  }
}

std::optional<std::uint64_t> SweepAxis::find_number(std::string_view exact) const {
  double value = 0;
  const auto [end, status] = std::from_chars(exact.data(), exact.data() + exact.size(), value);
  if (status != std::errc() || end != exact.data() + exact.size()) return std::nullopt;
  if (!range_) {
    const auto found = std::ranges::find(numbers_, value);
    if (found == numbers_.end()) return std::nullopt;
    return static_cast<std::uint64_t>(found - numbers_.begin());
  }
  const double scale = range_->scale > 0 ? range_->scale : 1;
  const double guess = std::round((value * scale - range_->start) / range_->step);
  if (!(guess >= 0) || guess >= static_cast<double>(range_->count)) return std::nullopt;
  const auto at = static_cast<std::uint64_t>(guess);
  if (number(at) != value) return std::nullopt;
  return at;
}

bool SweepAxis::filter(const std::function<bool(std::uint64_t)>& keep, bool monotone) {
  if (!range_) {
    std::uint64_t at = 0;
    const auto drop = [&](const auto&) { return !keep(at++); };
    std::erase_if(numbers_, drop);
    if (!numeric()) std::erase_if(words_, drop);
    return true;
  }
  if (!monotone) return false;
  // Bisects for the value at which `keep` changes.
  const bool first = keep(0);
  std::uint64_t low = 0;
  std::uint64_t high = range_->count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (keep(middle) == first) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (!first) range_->start += static_cast<double>(low) * range_->step;
  range_->count = first ? low : range_->count - low;
  return true;
}

}  // namespace trcost::study
