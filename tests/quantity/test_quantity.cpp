// SPDX-License-Identifier: Apache-2.0
#include "trcost/quantity.h"

#include "trcost/numbers.h"

#include "catch.h"

using namespace trcost;

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Multipliable = requires(A a, B b) {
  a* b;
};

static_assert(Addable<Flop, Flop>);
static_assert(!Addable<Flop, Usd>, "FLOP + $ must not compile");
static_assert(!Addable<Seconds, GpuHours>, "seconds + GPU-hours must not compile");
static_assert(!Addable<Flop, double>, "a bare number has no unit");
static_assert(Multipliable<GpuHours, UsdPerGpuHour>);
static_assert(!Multipliable<Usd, Usd>, "dollars squared mean nothing");

TEST_CASE("quantities divide and multiply to the unit that physics gives") {
  STATIC_REQUIRE((Flop(6e12) / FlopPerSecond(2e12)).value() == 3.0);
  STATIC_REQUIRE((Bytes(9e9) / BytesPerSecond(3e9)).value() == 3.0);
  STATIC_REQUIRE((GpuHours(2'788'000) * UsdPerGpuHour(2)).value() == 5'576'000.0);
}

TEST_CASE("numbers for people round before they choose digits and unit", "[quantity]") {
  CHECK(format_number(9.9997e9, NumberKind::count) == "10.0B");
  CHECK(format_number(9.994e9, NumberKind::count) == "9.99B");
  CHECK(format_number(9.9996e8, NumberKind::count) == "1.00B");
  CHECK(format_number(0.09996, NumberKind::number) == "0.100");
  CHECK(format_number(99.96e9, NumberKind::bytes) == "100 GB");
  CHECK(format_number(0.99996, NumberKind::fraction) == "100%");
}
