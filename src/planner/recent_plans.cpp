// SPDX-License-Identifier: Apache-2.0
#include "planner/recent_plans.h"

#include <bit>
#include <utility>

namespace trcost::planner {
namespace {

constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a

std::uint64_t mixed(std::uint64_t digest, double value) {
  digest = (digest ^ std::bit_cast<std::uint64_t>(value)) * kPrime;
  return digest ^ (digest >> 29);
}

// Digest of the fields that differ most between requests for one model.
std::uint64_t request_digest(const PlanRequest& request) {
  std::uint64_t digest = mixed(0, request.gpus);
  digest = mixed(digest, request.global_batch.value_or(0));
  digest = mixed(digest, request.batch_hint);
  return mixed(digest, request.critical_batch.value_or(0));
}

}  // namespace

template <class Make>
const std::optional<Plan>& RecentPlans::find(Kind kind, const PlanRequest& request,
                                             const Make& make) {
  const std::uint64_t digest = request_digest(request);
  for (const std::unique_ptr<Entry>& known : entries_) {
    if (known->digest == digest && known->kind == kind && known->request == request) {
      return known->plan;
    }
  }
  auto made = std::make_unique<Entry>(Entry{digest, kind, request, make()});
  if (entries_.size() < kMostKept) return entries_.emplace_back(std::move(made))->plan;
  std::unique_ptr<Entry>& slot = entries_[oldest_];
  oldest_ = (oldest_ + 1) % kMostKept;
  slot = std::move(made);
  return slot->plan;
}

Plan RecentPlans::all(const PlanRequest& request) {
  return *find(Kind::all, request, [&] { return plan(bounds_, request); });
}

std::optional<Plan> RecentPlans::fitting(const PlanRequest& request) {
  return find(Kind::fitting, request, [&] { return fitting_plan(bounds_, request); });
}

Plan RecentPlans::with_idle(const PlanRequest& request, RunnerUp runner_up) {
  const Kind kind = runner_up == RunnerUp::find ? Kind::with_idle : Kind::with_idle_best_only;
  return *find(kind, request, [&] { return plan_with_idle(bounds_, request, runner_up); });
}

}  // namespace trcost::planner
