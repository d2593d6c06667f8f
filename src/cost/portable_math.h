// SPDX-License-Identifier: Apache-2.0
// exp and ln from IEEE 754 +, -, x, / alone, so that a Monte Carlo gives the same bytes with every
// C library. Accurate to a few units in the last place.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace trcost {

/// ln x for finite x > 0: x = m 2^e with m in [sqrt(1/2), sqrt(2)), then the series
/// ln m = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1)/(m + 1), |s| < 0.172.
inline double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + exponent * std::numbers::ln2;
}

/// e^x for |x| < 700: x = k ln 2 + r with |r| <= ln(2)/2, then Taylor's series of e^r.
inline double portable_exp(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01;  // ends in zeros, so k x high is exact
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const double k = std::floor(x / std::numbers::ln2 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

/// A well-mixed 64-bit number from a counter: the output function of SplitMix64 (Steele, Lea and
/// Flood 2014, doi:10.1145/2660193.2660195).
constexpr std::uint64_t mix_counter(std::uint64_t key, std::uint64_t counter) {
  std::uint64_t z = key + (counter + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// A number in (0, 1), never either end.
constexpr double to_unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace trcost
