// SPDX-License-Identifier: Apache-2.0
#include "report/chart/axis_scale.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "quantity/currency.h"
#include "quantity/portable_math.h"
#include "trcost/numbers.h"

namespace trcost::report {
namespace {

// Returns the power of ten at or below a positive value.
double power_of_ten_below(double value) {
  double power = 1;
  while (power > value) power /= 10;
  while (power * 10 <= value) power *= 10;
  return power;
}

// Returns `1.5T` for `1.50T` and `$85k` for `$85.0k`.
std::string without_zeros(std::string text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  std::size_t keep = end;
  while (text[keep - 1] == '0') --keep;
  if (keep - 1 == point) keep = point;
  return text.erase(keep, end - keep);
}

}  // namespace

void AxisScale::include(double value) {
  if (!std::isfinite(value) || (axis_.logarithmic && value <= 0)) return;
  low_ = any_ ? std::min(low_, value) : value;
  high_ = any_ ? std::max(high_, value) : value;
  any_ = true;
}

void AxisScale::finish() {
  if (!any_) low_ = 1, high_ = 2;
  if (axis_.logarithmic) {
    if (high_ <= low_) high_ = low_ * 2, low_ /= 2;
    return;
  }
  constexpr double kNear = 0.5;
  constexpr double kLeast = 0.2;  // share of the values: a narrower span would magnify noise
  constexpr double kMargin = 0.04;
  const bool from_zero = low_ >= 0 && low_ < kNear * high_;
  const double span = std::max(high_ - low_, kLeast * std::abs(high_));
  const double middle = (low_ + high_) / 2;
  low_ = from_zero ? 0 : middle - span * (1 + kMargin) / 2;
  high_ = from_zero ? high_ + span * kMargin : middle + span * (1 + kMargin) / 2;
  if (high_ <= low_) high_ = low_ + 1;
}

double AxisScale::share(double value) const {
  const double share = axis_.logarithmic ? portable_log(value / low_) / portable_log(high_ / low_)
                                         : (value - low_) / (high_ - low_);
  return std::clamp(share, 0.0, 1.0);
}

std::vector<double> AxisScale::ticks() const {
  constexpr std::size_t kFewest = 3;
  std::vector<double> out = axis_.logarithmic ? decades() : steps();
  return out.size() < kFewest ? steps() : out;  // steps on a short logarithmic axis
}

std::string AxisScale::words(double tick) const {
  constexpr double kWholeDollars = 1e4;  // larger amounts are shown in thousands
  if (tick == 0) return "0";
  if (axis_.kind == NumberKind::money && tick == std::floor(tick) && tick < kWholeDollars) {
    return shown_currency().sign + grouped(tick * shown_currency().per_usd, 0);
  }
  return without_zeros(format_number(tick, axis_.kind, 3));
}

// Returns the unit whose round multiples are ticks: seconds, minutes, hours or days for times.
double AxisScale::unit() const {
  constexpr double kTimeUnits[] = {86400, 3600, 60};
  if (axis_.kind != NumberKind::duration) return 1;
  const auto* unit = std::ranges::find_if(kTimeUnits, [&](double u) { return high_ >= 2 * u; });
  return unit == std::end(kTimeUnits) ? 1 : *unit;
}

std::vector<double> AxisScale::steps() const {
  constexpr double kWanted = 5;
  double step = power_of_ten_below((high_ - low_) / kWanted / unit()) * unit();
  for (const double times : {5.0, 2.0}) {
    if ((high_ - low_) / (step * times) >= kWanted) {
      step *= times;
      break;
    }
  }
  std::vector<double> out;
  for (double tick = std::ceil(low_ / step) * step; tick <= high_ * (1 + 1e-9); tick += step) {
    out.push_back(tick);
  }
  return out;
}

std::vector<double> AxisScale::decades() const {
  constexpr double kFew = 3.5;  // decades: on a longer axis only powers of ten have ticks
  const double decades = portable_log(high_ / low_) / std::numbers::ln10;
  std::vector<double> out;
  for (double power = power_of_ten_below(low_ / unit()) * unit(); power <= high_; power *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit > 1 && decades > kFew) break;
      const double tick = digit * power;
      if (tick >= low_ * (1 - 1e-9) && tick <= high_ * (1 + 1e-9)) out.push_back(tick);
    }
  }
  return out;
}

}  // namespace trcost::report
