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
