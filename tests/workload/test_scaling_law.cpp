// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "catch.h"
#include "trcost/tokens.h"
#include "workload/reference_vectors.h"
#include "workload/scaling_loss.h"

using namespace trcost;

namespace {

ScalingLaw law_of(const nlohmann::json& in) {
  return {in.at("A"), in.at("B"), in.at("E"), in.at("al"), in.at("be")};
}

}  // namespace

TEST_CASE("compute-optimal pair", "[workload][scaling]") {
  for (const nlohmann::json* vector : reference::with_prefix("chinchilla_optimal/")) {
    INFO(vector->at("name"));
    const nlohmann::json& in = vector->at("inputs");
    const ComputeOptimal best = compute_optimal(in.at("C"), law_of(in));
    const nlohmann::json& want = vector->at("expected");
    CHECK_THAT(best.params, WithinRel(want.at("N").get<double>(), 1e-9));
    CHECK_THAT(best.tokens, WithinRel(want.at("D").get<double>(), 1e-9));
    CHECK_THAT(best.tokens / best.params, WithinRel(want.at("ratio").get<double>(), 1e-9));
    CHECK_THAT(optimal_tokens(best.params, law_of(in)), WithinRel(best.tokens, 1e-9));
  }
}

TEST_CASE("loss of parameters and tokens", "[workload][scaling]") {
  for (const nlohmann::json* vector : reference::with_prefix("loss/")) {
    const nlohmann::json& in = vector->at("inputs");
    const double loss = scaling_loss(in.at("N"), in.at("D"), law_of(in));
    CHECK_THAT(loss, WithinRel(vector->at("expected").get<double>(), 1e-9));
  }
}

TEST_CASE("the optimum is one: neighbours at the same FLOPs lose", "[workload][scaling]") {
  for (double flop = 1e18; flop < 1e28; flop *= 31) {
    const ComputeOptimal best = compute_optimal(flop);
    const double loss = scaling_loss(best.params, best.tokens);
    for (const double factor : {0.5, 0.9, 1.1, 2.0}) {
      CHECK(scaling_loss(best.params * factor, best.tokens / factor) > loss);
    }
  }
}
