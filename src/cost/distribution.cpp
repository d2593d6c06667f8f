// SPDX-License-Identifier: Apache-2.0
#include "cost/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"
#include "quantity/statistics.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::cost {

namespace {

[[noreturn]] void fail(std::string message, std::string hint) {
  throw Error(ErrorKind::usage, std::move(message), std::move(hint));
}

void check_ends(double low, double high) {
  if (low > high) {
    fail(fmt::format("the ends of the range are swapped: {} is above {}", format_exact(low),
                     format_exact(high)),
         fmt::format("write {}..{}", format_exact(high), format_exact(low)));
  }
  if (low <= 0) fail("a distribution of a cost input has to stay above 0", "raise its low end");
}

double quantile(const Distribution& d, double p) {
  switch (d.kind) {
    case Distribution::Kind::uniform:
      return d.a + p * (d.b - d.a);
    case Distribution::Kind::triangular: {
      const double width = d.b - d.a;
      const double left = width > 0 ? (d.c - d.a) / width : 0;  // share below the mode
      return p < left ? d.a + std::sqrt(p * width * (d.c - d.a))
                      : d.b - std::sqrt((1 - p) * width * (d.b - d.c));
    }
    default:
      return std::max(d.a + d.b * inverse_normal(p), d.a * 1e-6);
  }
}

}  // namespace

void check_distribution(const Distribution& d) {
  switch (d.kind) {
    case Distribution::Kind::lognormal:
      if (d.a <= 0 || d.b < 0) {
        fail("a lognormal needs a median above 0 and a sigma of at least 0", "");
      }
      return;
    case Distribution::Kind::normal:
      if (d.b < 0 || d.a <= 3 * d.b) {
        fail(
            "a normal distribution of a cost input has to stay above 0: its mean has to be above "
            "3 standard deviations",
            "a lognormal has no such limit");
      }
      return;
    case Distribution::Kind::uniform:
      check_ends(d.a, d.b);
      return;
    case Distribution::Kind::triangular:
      check_ends(d.a, d.b);
      if (d.c < d.a || d.c > d.b) {
        fail(fmt::format("the mode {} of a triangular distribution lies outside of {}..{}",
                         format_exact(d.c), format_exact(d.a), format_exact(d.b)),
             "");
      }
      return;
  }
}

double log_quantile(const Distribution& d, double p) {
  if (d.kind == Distribution::Kind::lognormal) {
    return portable_log(d.a) + d.b * inverse_normal(p);
  }
  return portable_log(quantile(d, p));
}

Distribution relative_to(const Distribution& d, double value) {
  Distribution out = d;
  out.a = d.a / value;
  out.c = d.c / value;
  if (d.kind != Distribution::Kind::lognormal) out.b = d.b / value;
  return out;
}

LogMoments log_moments(const Distribution& d) {
  check_distribution(d);
  if (d.kind == Distribution::Kind::lognormal) return {portable_log(d.a), d.b};
  constexpr int kStrata = 256;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kStrata; ++i) {
    const double x = log_quantile(d, (i + 0.5) / kStrata);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kStrata;
  return {mean, std::sqrt(std::max(squares / kStrata - mean * mean, 0.0))};
}

}  // namespace trcost::cost
