// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>

#include "trcost/sweep.h"

namespace trcost {

SweepAxis::SweepAxis(const FieldInfo& field, std::vector<std::string> words)
    : field_(&field), words_(std::move(words)) {}

std::uint64_t SweepAxis::size() const {
  if (linear_) return linear_->count;
  return numeric() ? numbers_.size() : words_.size();
}

double SweepAxis::number(std::uint64_t at) const {
  if (!linear_) return numbers_[at];
  const auto steps = static_cast<double>(at);
  // Whole numerator and power of ten: the quotient is the double nearest to the decimal.
  if (linear_->scale > 0) return (linear_->start + steps * linear_->step) / linear_->scale;
  return std::min(linear_->last, linear_->start + steps * linear_->step);
}

void SweepAxis::set(Scenario& scenario, std::uint64_t at) const {
  if (numeric()) {
    scenario.set_number(*field_, number(at), field_->path);
  } else {
    scenario.set(*field_, words_[at], field_->path);
  }
}

std::optional<std::uint64_t> SweepAxis::find(std::string_view exact) const {
  if (!numeric()) {
    const auto found = std::ranges::find(words_, exact);
    if (found == words_.end()) return std::nullopt;
    return static_cast<std::uint64_t>(found - words_.begin());
  }
  double value = 0;
  const auto [end, status] = std::from_chars(exact.data(), exact.data() + exact.size(), value);
  if (status != std::errc() || end != exact.data() + exact.size()) return std::nullopt;
  if (!linear_) {
    const auto found = std::ranges::find(numbers_, value);
    if (found == numbers_.end()) return std::nullopt;
    return static_cast<std::uint64_t>(found - numbers_.begin());
  }
  const double scale = linear_->scale > 0 ? linear_->scale : 1;
  const double guess = std::round((value * scale - linear_->start) / linear_->step);
  if (!(guess >= 0) || guess >= static_cast<double>(linear_->count)) return std::nullopt;
  const auto at = static_cast<std::uint64_t>(guess);
  if (number(at) != value) return std::nullopt;
  return at;
}

bool SweepAxis::filter(const std::function<bool(std::uint64_t)>& keep, bool monotone) {
  if (!linear_) {
    std::uint64_t at = 0;
    const auto drop = [&](const auto&) { return !keep(at++); };
    std::erase_if(numbers_, drop);
    if (!numeric()) std::erase_if(words_, drop);
    return true;
  }
  if (!monotone) return false;
  // The value where `keep` changes, by halving.
  const bool first = keep(0);
  std::uint64_t low = 0;
  std::uint64_t high = linear_->count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (keep(middle) == first) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (!first) linear_->start += static_cast<double>(low) * linear_->step;
  linear_->count = first ? low : linear_->count - low;
  return true;
}

}  // namespace trcost
