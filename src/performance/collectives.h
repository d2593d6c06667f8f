// SPDX-License-Identifier: Apache-2.0
// Exchange between ranks over the tiers of a network. All pure arithmetic, no allocation.
#pragma once

#include "performance/layer_cost.h"
#include "performance/performance.h"

namespace trcost {

/// The fabric of a system at the chip's efficiency.
Fabric prepare_fabric(const System& system, const Efficiency& efficiency);

/// Share of a group's bytes that each of its members sends in a ring of `members`: (g-1)/g in an
/// all-gather or a reduce-scatter, twice that in an all-reduce, which is one after the other
/// (model.md 5.1).
constexpr double gather_volume(double members) noexcept {
  return (members - 1) / members;
}
constexpr double ring_volume(double members) noexcept {
  return 2 * gather_volume(members);
}

/// Seconds of an all-gather (or reduce-scatter) that leaves `bytes` on each of `members` ranks, which
/// lie `stride` ranks apart. Ring within the domain, rings across (model.md 5.1):
/// max over tiers of (g-1)/g P/(BW) + a quarter of the rest + latency (log2 g + a share of g-1).
double gather_seconds(const Fabric& fabric, double bytes, double members, double stride) noexcept;

/// Bytes that a rank sends over each tier in gather_seconds(), innermost first.
std::array<double, 4> gather_tier_bytes(const Fabric& fabric, double bytes, double members,
                                        double stride) noexcept;

/// Seconds of an all-reduce of `bytes`: a reduce-scatter and an all-gather, fewer bytes where
/// switches reduce.
double reduce_seconds(const Fabric& fabric, double bytes, double members, double stride) noexcept;

/// Seconds of an all-to-all in which every rank sends `bytes` in all, split evenly over `members`;
/// `network_share` of the bytes for other domains really cross (model.md 5.1).
double exchange_seconds(const Fabric& fabric, double bytes, double members, double stride,
                        double network_share) noexcept;

/// Seconds to pass `bytes` to a rank `stride` ranks away.
double transfer_seconds(const Fabric& fabric, double bytes, double stride) noexcept;

/// How many of `members` ranks, `stride` apart, share the innermost domain.
double domain_members(const Fabric& fabric, double members, double stride) noexcept;

}  // namespace trcost
