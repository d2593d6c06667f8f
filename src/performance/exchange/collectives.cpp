// SPDX-License-Identifier: Apache-2.0
#include "performance/exchange/collectives.h"

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"

namespace trcost::performance {
namespace {

// Share of an all-reduce's two passes that remains where switches reduce: NVLS on 8 H200 reaches
// 480 GB/s bus bandwidth against 368 without (collectives of stas00/ml-engineering
// network/README.md).
constexpr double kReducingSwitch = 0.77;

double members_within(const Fabric& fabric, int tier, double members, double stride) {
  if (tier + 1 == fabric.tiers) return members;
  if (tier == 0 && members * stride <= fabric.whole_domain) return members;
  const double reach = std::floor(fabric.size[static_cast<std::size_t>(tier)] / stride);
  return std::clamp(reach, 1.0, members);
}

// NCCL gathers and scatters in one ring through all ranks, whatever the size, so that the steps
// within the hosts count once per host. Steps between hosts are counted by their tier. This makes
// FSDP lose more with every doubling of the hosts (llm-foundry's 7B from 8 to 512 H100, OLMo 3 32B
// on 1,024, and 7B from 128 to 2,048 H100 in arXiv:2411.13055, which measures a far steeper fall).
double inner_steps(const Fabric& fabric, double members, double stride) noexcept {
  if (members <= 1 || fabric.tiers == 0) return 0;
  const double near = members_within(fabric, 0, members, stride);
  return (near - 1) * (members / near - 1);
}

// Calls `visit` with each tier of a gather, the groups that it joins and the bytes that a rank
// sends.
template <class Visit>
void visit_tiers(const Fabric& fabric, double bytes, double members, double stride,
                 const Visit& visit) noexcept {
  double inside = 1;  // members reached through the tiers so far
  for (int i = 0; i < fabric.tiers && inside < members; ++i) {
    const double reached = members_within(fabric, i, members, stride);
    const double g = reached / inside;
    if (g <= 1) continue;
    visit(static_cast<std::size_t>(i), g, bytes / inside);
    inside = reached;
  }
}

// Calls `visit` with each tier of an all-to-all, the groups that it joins and the members that a
// rank reaches through it.
template <class Visit>
void visit_exchange_tiers(const Fabric& fabric, double members, double stride,
                          const Visit& visit) noexcept {
  double inside = 1;  // members reached through the tiers so far
  for (int i = 0; i < fabric.tiers && inside < members; ++i) {
    const double reached = members_within(fabric, i, members, stride);
    visit(static_cast<std::size_t>(i), reached / inside, reached - inside);
    inside = reached;
  }
}

// Seconds of a gather over the tiers, without the inner steps of a ring through all ranks.
double tiers_seconds(const Fabric& fabric, double bytes, double members, double stride) noexcept {
  if (members <= 1 || fabric.tiers == 0) return 0;
  double largest = 0;
  double sum = 0;
  double latency = 0;
  visit_tiers(fabric, bytes, members, stride, [&](std::size_t t, double g, double each) {
    const double payload = each + (t == 0 ? fabric.half_bytes : 0);
    const double seconds = payload * gather_volume(g) * fabric.seconds_per_byte[t];
    largest = std::max(largest, seconds);
    sum += seconds;
    latency += fabric.latency_seconds[t] * (portable_log2(g) + kRingShare * (g - 1));
  });
  return largest + kShorterTiers * (sum - largest) + latency;
}

// Passes of an all-reduce, in units of a gather.
double all_reduce_passes(const Fabric& fabric, double members, double stride) noexcept {
  const bool one_domain =
      members <= 1 || fabric.tiers <= 1 || members_within(fabric, 0, members, stride) >= members;
  return one_domain ? fabric.all_reduce : 2;
}

// Index of the tier that connects ranks `stride` apart.
std::size_t tier_at_stride(const Fabric& fabric, double stride) noexcept {
  int tier = 0;
  while (tier + 1 < fabric.tiers && fabric.size[static_cast<std::size_t>(tier)] <= stride) ++tier;
  return static_cast<std::size_t>(tier);
}

}  // namespace

Fabric prepare_fabric(const System& system, const Efficiency& efficiency) {
  Fabric fabric;
  for (const NetworkTier& tier : system.tiers) {
    if (fabric.tiers == static_cast<int>(fabric.size.size())) break;
    const auto i = static_cast<std::size_t>(fabric.tiers);
    const bool inner = i == 0;
    fabric.size[i] = tier.size;
    if (inner && system.tiers.size() > 1) {
      fabric.whole_domain = fabric.size[i];
      fabric.size[i] = std::min(fabric.size[i], system.usable_per_domain);
    }
    fabric.seconds_per_byte[i] =
        1 / (tier.bandwidth * (inner ? efficiency.link : efficiency.network));
    fabric.latency_seconds[i] = tier.latency_seconds;
    if (inner) fabric.half_bytes = efficiency.link_half_bytes;
    if (inner && tier.in_network_reduction) fabric.all_reduce = 2 * kReducingSwitch;
    ++fabric.tiers;
  }
  return fabric;
}

std::array<double, 4> gather_tier_bytes(const Fabric& fabric, double bytes, double members,
                                        double stride) noexcept {
  std::array<double, 4> out{};
  visit_tiers(fabric, bytes, members, stride,
              [&](std::size_t t, double g, double each) { out[t] = each * gather_volume(g); });
  return out;
}

double gather_seconds(const Fabric& fabric, double bytes, double members, double stride) noexcept {
  return tiers_seconds(fabric, bytes, members, stride) +
         kLineShare * fabric.latency_seconds[0] * inner_steps(fabric, members, stride);
}

double reduce_seconds(const Fabric& fabric, double bytes, double members, double stride) noexcept {
  return all_reduce_passes(fabric, members, stride) * tiers_seconds(fabric, bytes, members, stride);
}

double domain_members(const Fabric& fabric, double members, double stride) noexcept {
  return fabric.tiers == 0 ? members : members_within(fabric, 0, members, stride);
}

double exchange_seconds(const Fabric& fabric, double bytes, double members, double stride,
                        double network_share) noexcept {
  if (members <= 1 || fabric.tiers == 0) return 0;
  double seconds = 0, latency = 0;
  visit_exchange_tiers(fabric, members, stride, [&](std::size_t t, double g, double others) {
    const double payload = t == 0 ? bytes + fabric.half_bytes : bytes * network_share;
    seconds = std::max(seconds, payload * others / members * fabric.seconds_per_byte[t]);
    latency += fabric.latency_seconds[t] * portable_log2(g);
  });
  return seconds + latency;
}

double transfer_seconds(const Fabric& fabric, double bytes, double stride) noexcept {
  if (fabric.tiers == 0) return 0;
  const std::size_t t = tier_at_stride(fabric, stride);
  return bytes * fabric.seconds_per_byte[t] + fabric.latency_seconds[t];
}

std::string_view collective_name(CollectiveKind kind) {
  constexpr std::string_view kNames[] = {"gather", "all-reduce", "all-to-all", "transfer"};
  return kNames[static_cast<std::size_t>(kind)];
}

CollectiveAccount gather_account(const Fabric& fabric, double bytes, double members,
                                 double stride) {
  CollectiveAccount out{.kind = CollectiveKind::gather, .ranks = members, .bytes = bytes};
  visit_tiers(fabric, bytes, members, stride, [&](std::size_t t, double g, double each) {
    out.tier_bytes[t] = each * gather_volume(g);
    out.tier_ranks[t] = g;
  });
  out.inner_steps = inner_steps(fabric, members, stride);
  out.seconds = gather_seconds(fabric, bytes, members, stride);
  return out;
}

CollectiveAccount reduce_account(const Fabric& fabric, double bytes, double members,
                                 double stride) {
  CollectiveAccount out = gather_account(fabric, bytes, members, stride);
  out.kind = CollectiveKind::all_reduce;
  out.passes = all_reduce_passes(fabric, members, stride);
  out.inner_steps = 0;
  out.seconds = reduce_seconds(fabric, bytes, members, stride);
  return out;
}

CollectiveAccount exchange_account(const Fabric& fabric, double bytes, double members,
                                   double stride, double network_share) {
  CollectiveAccount out{.kind = CollectiveKind::all_to_all, .ranks = members, .bytes = bytes};
  visit_exchange_tiers(fabric, members, stride, [&](std::size_t t, double g, double others) {
    out.tier_bytes[t] = bytes * others / members * (t == 0 ? 1 : network_share);
    out.tier_ranks[t] = g;
  });
  out.seconds = exchange_seconds(fabric, bytes, members, stride, network_share);
  return out;
}

CollectiveAccount transfer_account(const Fabric& fabric, double bytes, double stride) {
  CollectiveAccount out{.kind = CollectiveKind::transfer, .ranks = 2, .bytes = bytes};
  const std::size_t tier = tier_at_stride(fabric, stride);
  out.tier_bytes[tier] = bytes;
  out.tier_ranks[tier] = 2;
  out.seconds = transfer_seconds(fabric, bytes, stride);
  return out;
}

}  // namespace trcost::performance
