// SPDX-License-Identifier: Apache-2.0
#include "quantity/statistics.h"

#include <array>

namespace trcost::quantity {

namespace {

// Coefficients of algorithm AS 241, routine PPND16 (Wichura 1988, Applied Statistics 37, 477-484),
// constant term first.
using Polynomial = std::array<double, 8>;
constexpr Polynomial kCentreTop = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                   1.9715909503065514427e3, 1.3731693765509461125e4,
                                   4.5921953931549871457e4, 6.7265770927008700853e4,
                                   3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Polynomial kCentreBottom = {1.0,
                                      4.2313330701600911252e1,
                                      6.8718700749205790830e2,
                                      5.3941960214247511077e3,
                                      2.1213794301586595867e4,
                                      3.9307895800092710610e4,
                                      2.8729085735721942674e4,
                                      5.2264952788528545610e3};
constexpr Polynomial kMiddleTop = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                   5.76949722146069140550e0,  3.64784832476320460504e0,
                                   1.27045825245236838258e0,  2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Polynomial kMiddleBottom = {1.0,
                                      2.05319162663775882187e0,
                                      1.67638483018380384940e0,
                                      6.89767334985100004550e-1,
                                      1.48103976427480074590e-1,
                                      1.51986665636164571966e-2,
                                      5.47593808499534494600e-4,
                                      1.05075007164441684324e-9};
constexpr Polynomial kTailTop = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                 1.78482653991729133580e0,  2.96560571828504891230e-1,
                                 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Polynomial kTailBottom = {1.0,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};

double horner(const Polynomial& p, double x) {
  double sum = p[7];
  for (std::size_t i = 7; i-- > 0;) sum = sum * x + p[i];
  return sum;
}

// Chebyshev fit of the complementary error function.
double complementary_error(double x) {
  const double z = std::abs(x);
  const double t = 1 / (1 + 0.5 * z);
  const double poly =
      -z * z - 1.26551223 +
      t * (1.00002368 +
           t * (0.37409196 +
                t * (0.09678418 +
                     t * (-0.18628806 +
                          t * (0.27886807 +
                               t * (-1.13520398 +
                                    t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))));
  const double tail = t * portable_exp(poly);
  return x >= 0 ? tail : 2 - tail;
}

}  // namespace

double inverse_normal(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * horner(kCentreTop, r) / horner(kCentreBottom, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double z = r <= 5 ? horner(kMiddleTop, r - 1.6) / horner(kMiddleBottom, r - 1.6)
                          : horner(kTailTop, r - 5) / horner(kTailBottom, r - 5);
  return q < 0 ? -z : z;
}

double normal_above(double x) {
  return 0.5 * complementary_error(x / std::sqrt(2.0));
}

}  // namespace trcost::quantity
