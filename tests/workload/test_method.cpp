// SPDX-License-Identifier: Apache-2.0
// What the phases of a method compute and hold, against data/phases.md A.1 and A.2.
#include <array>

#include "catch.h"
#include "workload/method.h"

using namespace trcost;

namespace {

constexpr std::array<double, kRoles> kAlike = {1, 1, 1, 1, 1};

// Per token of sequence and parameter of the policy: 2 for a forward pass or a generated token, 6
// for one that learns, times each model's share of the policy's parameters (A.1).
double flops(Method method, const MethodOptions& options,
             const std::array<double, kRoles>& sizes = kAlike) {
  double sum = 0;
  for (const Phase& phase : phases_of(method, options)) {
    sum += (phase.work == Work::train ? 6 : 2) * phase.repeats *
           sizes[static_cast<std::size_t>(phase.role)];
  }
  return sum;
}

// A.2: 18 bytes of a parameter that learns (2 weights, 4 gradients, 12 optimizer), 2 of one that
// scores.
double held(Method method, const MethodOptions& options, double params) {
  const auto phases = phases_of(method, options);
  double sum = 0;
  for (int i = 0; i < kRoles; ++i) {
    const auto role = static_cast<Role>(i);
    if (takes_part(phases, role)) sum += (learns(phases, role) ? 18 : 2) * params;
  }
  return sum;
}

}  // namespace

TEST_CASE("FLOPs per token of a method are those of its passes", "[method]") {
  CHECK(flops(Method::sft, {}) == 6);
  CHECK(flops(Method::dpo, {}) == 8);
  CHECK(flops(Method::dpo, {.reference = false}) == 6);
  // phase_vectors.json: flops/ppo_token, flops/grpo_token.
  CHECK(flops(Method::ppo, {.reward_model = true}) == 22);
  CHECK(flops(Method::grpo, {.reference = false}) == 10);
  CHECK(flops(Method::grpo, {.reference = false, .epochs = 3}) == 22);
  // A small reward model and critic cost their share.
  CHECK(flops(Method::ppo, {.reward_model = true}, {1, 1, 0.1, 0.1, 0}) ==
        Approx(2 + 2 + 0.2 + 0.2 + 2 + 6 + 0.6));
}

TEST_CASE("four models of 70.55B take 2,822 GB, and fewer models less", "[method]") {
  constexpr double kParams = 70.553706496e9;
  const double ppo = held(Method::ppo, {.reward_model = true}, kParams);
  CHECK(ppo == Approx(2822.14825984e9));  // phase_vectors.json: mem/ppo70b
  CHECK(ppo > held(Method::grpo, {}, kParams));
  CHECK(held(Method::grpo, {}, kParams) > held(Method::sft, {}, kParams));
}

TEST_CASE("every method that generates does so first and learns from it", "[method]") {
  for (const Method method : {Method::ppo, Method::grpo, Method::distill}) {
    const auto phases = phases_of(method, {});
    CHECK(phases.front().work == Work::generate);
    CHECK(method_row(method).generates);
    CHECK(method_named(method_row(method).name) == method);
  }
  CHECK(phases_of(Method::pretrain, {}).size() == 1);
}
