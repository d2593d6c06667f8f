// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "catch.h"
#include "quantity/portable_math.h"

using namespace trcost;
using Catch::Matchers::WithinRel;

namespace {
constexpr double kUnits = 1e-15;  // about four units in the last place
}

TEST_CASE("logarithms agree with the C library's") {
  for (double x = 1e-300; x < 1e300; x *= 7.3) {
    CHECK_THAT(portable_log(x), WithinRel(std::log(x), kUnits));
    CHECK_THAT(portable_log2(x), WithinRel(std::log2(x), kUnits));
  }
  for (int power = -1000; power <= 1000; ++power) {
    CHECK(portable_log2(std::ldexp(1, power)) == power);
  }
}

TEST_CASE("exponentials agree with the C library's") {
  for (double x = -700; x < 700; x += 0.37) {
    CHECK_THAT(portable_exp(x), WithinRel(std::exp(x), kUnits));
    CHECK_THAT(portable_expm1(x), WithinRel(std::expm1(x), 4 * kUnits));
  }
  for (double x = 1e-12; x < 1; x *= 1.9) {
    CHECK_THAT(portable_expm1(x), WithinRel(std::expm1(x), 4 * kUnits));
  }
  CHECK(portable_exp(1000) == HUGE_VAL);
  CHECK(portable_exp(-1000) == 0);
}

TEST_CASE("a power loses the digits that its exponent takes") {
  for (double y = -2; y < 2; y += 0.11) {
    CHECK_THAT(portable_pow(8e9, y), WithinRel(std::pow(8e9, y), 1e-13));
  }
}
