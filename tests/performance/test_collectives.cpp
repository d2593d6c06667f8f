// SPDX-License-Identifier: Apache-2.0
// Which ranks share a domain of the network, by the sizes of model.md 5.2: an NVL72 rack has 72
// accelerators, of which layouts use 64.
#include "performance/exchange/collectives.h"

#include "catch.h"
#include "planner/scenarios.h"

using namespace trcost;

namespace {

Fabric rack() {
  const Platform platform = planning::platform("gb200-nvl72", "megatron");
  return prepare_fabric(*platform.system, *platform.efficiency);
}

}  // namespace

TEST_CASE("a ring over racks has as many ranks in each as a plan puts there", "[collectives]") {
  // 128 replicas of tensor 8: 64 / 8 = 8 a rack, 16 racks.
  constexpr double kBytes = 1e9;
  CHECK(domain_members(rack(), 128, 8) == 8);
  const auto bytes = gather_tier_bytes(rack(), kBytes, 128, 8);
  CHECK_THAT(bytes[0], WithinRel(kBytes * 7 / 8, 1e-12));
  CHECK_THAT(bytes[1], WithinRel(kBytes / 8 * 15 / 16, 1e-12));
}

TEST_CASE("a group that a rack holds whole stays within it", "[collectives]") {
  CHECK(domain_members(rack(), 9, 8) == 9);  // 72 accelerators
  CHECK(domain_members(rack(), 72, 1) == 72);
  CHECK(domain_members(rack(), 10, 8) == 8);  // 80
  CHECK(domain_members(rack(), 73, 1) == 64);
}

TEST_CASE("bridges between pairs of cards speed up every exchange", "[collectives]") {
  const Platform platform = planning::platform("a100-pcie-80gb", "megatron");
  const Fabric plain = prepare_fabric(*platform.system, *platform.efficiency);
  const Fabric bridged =
      prepare_fabric(test_catalog().system("nvlink-pairs-a100"), *platform.efficiency);
  constexpr double kBytes = 1e9;
  for (const double members : {2, 4, 8, 16, 64}) {
    INFO(members << " ranks");
    CHECK(gather_seconds(bridged, kBytes, members, 1) < gather_seconds(plain, kBytes, members, 1));
    CHECK(reduce_seconds(bridged, kBytes, members, 1) < reduce_seconds(plain, kBytes, members, 1));
    CHECK(exchange_seconds(bridged, kBytes, members, 1, 1) <=
          exchange_seconds(plain, kBytes, members, 1, 1) * (1 + 1e-3));
  }
  // 300 and 31 GB/s in one direction.
  CHECK_THAT(gather_seconds(plain, kBytes, 2, 1) / gather_seconds(bridged, kBytes, 2, 1),
             WithinRel(300.0 / 31, 0.1));
  // All-to-all between nodes is paced by their network, whose share is 14 of 16 ranks.
  CHECK(exchange_seconds(bridged, kBytes, 16, 1, 1) >= kBytes * 8 / 16 / 6.25e9);
}
