// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

namespace trcost {

/// A number with a unit that the compiler checks. Only the sums, products and quotients that mean
/// something exist: FLOP / (FLOP/s) is seconds, FLOP + dollars does not compile.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  /// The number in the tag's base unit.
  [[nodiscard]] constexpr double value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value_ - b.value_);
  }
  friend constexpr Quantity operator*(Quantity a, double factor) {
    return Quantity(a.value_ * factor);
  }
  friend constexpr Quantity operator*(double factor, Quantity a) { return a * factor; }
  friend constexpr Quantity operator/(Quantity a, double divisor) {
    return Quantity(a.value_ / divisor);
  }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  double value_ = 0;
};

using Flop = Quantity<struct FlopTag>;                       ///< floating-point operations
using FlopPerSecond = Quantity<struct FlopPerSecondTag>;     ///< FLOP/s
using Bytes = Quantity<struct BytesTag>;                     ///< bytes
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;   ///< bytes/s
using Seconds = Quantity<struct SecondsTag>;                 ///< seconds
using GpuHours = Quantity<struct GpuHoursTag>;               ///< accelerator-hours
using Usd = Quantity<struct UsdTag>;                         ///< US dollars
using UsdPerGpuHour = Quantity<struct UsdPerGpuHourTag>;     ///< US dollars per accelerator-hour
using KilowattHours = Quantity<struct KilowattHoursTag>;     ///< kWh
using UsdPerKilowattHour = Quantity<struct UsdPerKwhTag>;    ///< US dollars per kWh
using Kilograms = Quantity<struct KilogramsTag>;             ///< kg

constexpr Seconds operator/(Flop work, FlopPerSecond rate) {
  return Seconds(work.value() / rate.value());
}
constexpr Flop operator*(FlopPerSecond rate, Seconds time) {
  return Flop(rate.value() * time.value());
}
constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
  return Seconds(size.value() / rate.value());
}
constexpr Usd operator*(GpuHours hours, UsdPerGpuHour price) {
  return Usd(hours.value() * price.value());
}
constexpr Usd operator*(KilowattHours energy, UsdPerKilowattHour price) {
  return Usd(energy.value() * price.value());
}

inline constexpr double kSecondsPerHour = 3600.0;
inline constexpr double kHoursPerMonth = 730.5;  ///< a twelfth of a year of 365.25 days
inline constexpr double kHoursPerYear = 8766.0;  ///< 365.25 days
inline constexpr double kHoursPerDay = 24.0;
inline constexpr double kSecondsPerDay = 86400.0;

/// P10 and P90 of a normal distribution lie this many standard deviations from the mean.
inline constexpr double kNormalP90 = 1.2815515655446004;

}  // namespace trcost
