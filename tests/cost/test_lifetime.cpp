// SPDX-License-Identifier: Apache-2.0
// Rent and purchase over years, recomputed by hand.
#include "cost/lifetime.h"

#include "catch.h"

using namespace trcost;

namespace {

// An accelerator of 30,000 USD that draws 1.3 kW.
OwnershipInputs one_accelerator() {
  OwnershipInputs inputs;
  inputs.server_usd_per_gpu = 30000;
  inputs.system_watts_per_gpu = 1300;
  inputs.mean_draw = 0.8;
  inputs.pue = 1.25;
  inputs.usd_per_kwh = 0.08;
  inputs.capital_rate = 0.1;
  inputs.colocation_usd_per_kw_month = 150;
  inputs.support_rate = 0.05;
  return inputs;
}

}  // namespace

TEST_CASE("on demand pays the used hours, terms pay all of theirs", "[cost][tco]") {
  CHECK(paid_hours({3, 0.5}, 0) == Approx(13149));  // 3 x 8766 / 2
  CHECK(paid_hours({3, 0.5}, 1) == Approx(26298));
  CHECK(paid_hours({2.5, 1}, 1) == Approx(26298));  // the third term is paid in whole
  CHECK(paid_hours({1, 1}, 3) == Approx(26298));
}

TEST_CASE("prices grow at the start of each year, or of each term", "[cost][tco]") {
  CHECK(mean_price_factor({3, 1}, 0, 0.1) == Approx((1 + 1.1 + 1.21) / 3));
  CHECK(mean_price_factor({2.5, 1}, 0, 0.1) == Approx((1 + 1.1 + 0.5 * 1.21) / 2.5));
  CHECK(mean_price_factor({3, 1}, 3, 0.1) == Approx(1));
  CHECK(mean_price_factor({4, 1}, 3, 0.1) == Approx((1 + 1.331) / 2));
}

TEST_CASE("owning for three years, by hand", "[cost][tco]") {
  const auto owned = own_for_years(one_accelerator(), {3, 0.5});
  REQUIRE(owned);
  CHECK(owned->usd("servers") == 30000);
  CHECK(owned->usd("network") == Approx(7037.037));  // 30,000 x 0.19 / 0.81
  CHECK(owned->usd("resale") == Approx(-14081.09));  // 37,037.04 x 10^-0.42
  CHECK(owned->usd("capital") == Approx(7121.18));   // 0.1 x 22,955.95 / (0.14 ln 10)
  CHECK(owned->usd("space") == Approx(7020));        // 1.3 kW x 150 x 36 months
  CHECK(owned->usd("energy") == Approx(1367.496));   // 1.3 x 0.8 x 1.25 x 0.08 x 13,149
  CHECK(owned->usd("support") == Approx(4500));
  CHECK(owned->total() == Approx(42964.62));
  // Against a rent of 2 USD: (42,964.62 - 1,367.50) / (52,596 - 2,734.99)
  CHECK(break_even_use(owned->fixed(), owned->usd("energy") / 0.5, 2 * 26298.0).value() ==
        Approx(0.834263));
}

TEST_CASE("owning without a price is unknown", "[cost][tco]") {
  OwnershipInputs inputs = one_accelerator();
  inputs.server_usd_per_gpu.reset();
  CHECK_FALSE(own_for_years(inputs, {3, 0.5}));
}

TEST_CASE("an older quote and a longer time widen the range of owning", "[cost][tco][property]") {
  OwnershipInputs old_quote = one_accelerator();
  old_quote.age.before_purchase = 2;
  CHECK(own_for_years(old_quote, {3, 1})->sigma > own_for_years(one_accelerator(), {3, 1})->sigma);
  CHECK(rent_sigma(0.2, {3, 1}, 0) > rent_sigma(0.2, {3, 1}, 1));
  CHECK(rent_sigma(0.2, {3, 1}, 3) == 0.2);
}

TEST_CASE("energy that costs more than the rent has no break-even", "[cost][tco]") {
  CHECK_FALSE(break_even_use(100, 50, 40));
}
