// SPDX-License-Identifier: Apache-2.0
// Exchange between ranks over the tiers of a network. All pure arithmetic, no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "catalog/hardware/efficiency.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::performance {

/// The network as a rank sees it, innermost tier first.
struct Fabric {
  int tiers = 0;
  std::array<double, 4> size{};  ///< ranks within one domain of the tier, unbounded for the last
  std::array<double, 4> seconds_per_byte{};
  std::array<double, 4> latency_seconds{};  ///< per doubling of the ranks
  /// All ranks of the innermost domain, for a group that lies within it. `size` has the ranks that
  /// a plan uses, so that its degrees divide it (64 of 72 in an NVL72 rack, model.md 5.2).
  double whole_domain = 0;
  double all_reduce = 2;  ///< all-reduce in units of an all-gather, innermost tier
  double half_bytes = 0;  ///< payload at half of the innermost tier's rate
};

/// Share of the latency that each step of a ring costs in addition to the doublings, since a ring
/// passes every member once. Fitted to the measured all-reduce of 32 B200 on 4 nodes and 8 A100
/// (collectives of stas00/ml-engineering).
inline constexpr double kRingShare = 0.2;
/// Share of the shorter tiers' seconds that does not overlap the longest (model.md 5.1).
inline constexpr double kShorterTiers = 0.25;
/// Latency of NCCL's LL128 protocol, 1.9 us over NVLink, over that of a ring step in its Simple
/// protocol, 3.4 us, which is a tier's latency (hwLat in NVIDIA/nccl src/graph/tuning.cc).
inline constexpr double kLineShare = 1.9 / 3.4;

enum class CollectiveKind : std::uint8_t {
  gather,      ///< or a scatter of sums
  all_reduce,  ///< a scatter of sums, then a gather
  all_to_all,
  transfer,  ///< to one other rank
};
/// `gather`, `all-reduce`, ...
std::string_view collective_name(CollectiveKind kind);

/// One collective and the parts of its seconds. With a tier's rate and latency, and half bytes H on
/// the innermost:
///
///   gather      longest + kShorterTiers x (the other tiers) + kLineShare x latency 0 x
///   inner_steps,
///               a tier (tier_bytes + H (g-1)/g) / rate + latency x (log2 g + kRingShare (g-1))
///   all-reduce  passes x that, without inner_steps
///   all-to-all  the longest tier, a tier (tier_bytes + H (g-1)/ranks) / rate, + latency x log2 g
///   transfer    tier_bytes / rate + latency of its tier
///
/// where the latencies of all tiers are added, and g are the tier's ranks.
struct CollectiveAccount {
  CollectiveKind kind{};
  double times = 0;   ///< collectives in one exchange
  double passes = 1;  ///< in units of a gather
  double ranks = 0;
  double bytes = 0;                    ///< whole
  std::array<double, 4> tier_bytes{};  ///< sent by a rank over each tier, innermost first
  std::array<double, 4> tier_ranks{};  ///< groups that the tier joins, 0 if none
  double inner_steps = 0;              ///< steps within the domains of a ring through all ranks
  double seconds = 0;
};
CollectiveAccount gather_account(const Fabric& fabric, double bytes, double members, double stride);
CollectiveAccount reduce_account(const Fabric& fabric, double bytes, double members, double stride);
CollectiveAccount exchange_account(const Fabric& fabric, double bytes, double members,
                                   double stride, double network_share);
CollectiveAccount transfer_account(const Fabric& fabric, double bytes, double stride);

/// The fabric of a system at the chip's efficiency.
Fabric prepare_fabric(const System& system, const Efficiency& efficiency);

/// Share of a group's bytes that a member sends in a ring of `members`: (g-1)/g in an all-gather or
/// a reduce-scatter, twice that in an all-reduce (model.md 5.1).
constexpr double gather_volume(double members) noexcept {
  return (members - 1) / members;
}
constexpr double ring_volume(double members) noexcept {
  return 2 * gather_volume(members);
}

/// Seconds of an all-gather (or reduce-scatter) that leaves `bytes` on each of `members` ranks,
/// which lie `stride` ranks apart. Ring within the domain, rings across (model.md 5.1): max over
/// tiers of (g-1)/g P/(BW) + a quarter of the rest + latency (log2 g + a share of g-1).
double gather_seconds(const Fabric& fabric, double bytes, double members, double stride) noexcept;

/// Bytes that a rank sends over each tier in gather_seconds(), innermost first.
std::array<double, 4> gather_tier_bytes(const Fabric& fabric, double bytes, double members,
                                        double stride) noexcept;

/// Seconds of an all-reduce of `bytes`: a reduce-scatter and an all-gather, with fewer bytes if
/// switches reduce.
double reduce_seconds(const Fabric& fabric, double bytes, double members, double stride) noexcept;

/// Seconds of an all-to-all in which every rank sends `bytes` in all, split evenly over `members`.
/// `network_share` of the bytes for other domains cross the network (model.md 5.1).
double exchange_seconds(const Fabric& fabric, double bytes, double members, double stride,
                        double network_share) noexcept;

/// Seconds to pass `bytes` to a rank `stride` ranks away.
double transfer_seconds(const Fabric& fabric, double bytes, double stride) noexcept;

/// Number of `members` ranks, `stride` apart, that share the innermost domain.
double domain_members(const Fabric& fabric, double members, double stride) noexcept;

}  // namespace trcost::performance
