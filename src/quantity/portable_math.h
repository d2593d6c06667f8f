// SPDX-License-Identifier: Apache-2.0
// exp, ln and what follows from them, from IEEE 754 +, -, x, / and square roots alone. C libraries
// differ in the last digit of theirs, and one library by what the processor has; with these every
// machine prints the same bytes. Accurate to a few units in the last place.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "quantity/layers.h"

namespace trcost::quantity {

namespace portable {

/// x = mantissa x 2^exponent, the mantissa in [sqrt(1/2), sqrt(2)).
struct Binary {
  double mantissa;
  int exponent;
};

inline Binary split(double x) {
  Binary out{0, 0};
  out.mantissa = std::frexp(x, &out.exponent);
  if (out.mantissa < std::numbers::sqrt2 / 2) {
    out.mantissa *= 2;
    --out.exponent;
  }
  return out;
}

/// ln m of a mantissa: 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1)/(m + 1), |s| < 0.172.
inline double log_of_mantissa(double m) {
  constexpr std::array kOdd = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                               1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double sum = 0;
  for (const double coefficient : kOdd) sum = sum * s2 + coefficient;
  return 2 * s * sum;
}

}  // namespace portable

/// ln x for finite x > 0.
inline double portable_log(double x) {
  const auto [mantissa, exponent] = portable::split(x);
  return portable::log_of_mantissa(mantissa) + exponent * std::numbers::ln2;
}

/// The logarithm to base 2, exact for powers of 2.
inline double portable_log2(double x) {
  const auto [mantissa, exponent] = portable::split(x);
  if (mantissa == 1) return exponent;
  return exponent + portable::log_of_mantissa(mantissa) * std::numbers::log2e;
}

/// e^x: x = k ln 2 + r with |r| <= ln(2)/2, then Taylor's series of e^r. Infinite and 0 where a
/// double cannot hold it.
inline double portable_exp(double x) {
  if (x > 709.8) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0;
  constexpr double kLn2High = 6.93147180369123816490e-01;  // ends in zeros, so k x high is exact
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const double k = std::floor(x / std::numbers::ln2 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

/// e^x - 1 without the loss of digits near 0.
inline double portable_expm1(double x) {
  if (std::abs(x) > 0.5) return portable_exp(x) - 1;
  double sum = 1;
  for (int n = 16; n >= 2; --n) sum = 1 + sum * x / n;
  return sum * x;
}

/// The logarithm to base 10, to a few units in the last place: not exact for powers of 10.
inline double portable_log10(double x) {
  return portable_log(x) * std::numbers::log10e;
}

/// 10^n, exact for 0 <= n <= 22; its reciprocal for n < 0.
inline double power_of_ten(int n) {
  double out = 1;
  for (int i = 0; i < std::abs(n); ++i) out *= 10;
  return n < 0 ? 1 / out : out;
}

/// x^y for x > 0.
inline double portable_pow(double x, double y) {
  return portable_exp(y * portable_log(x));
}

inline double square(double x) {
  return x * x;
}

/// The root of the sum of squares.
inline double in_quadrature(double x, double y) {
  return std::sqrt(x * x + y * y);
}

}  // namespace trcost::quantity
