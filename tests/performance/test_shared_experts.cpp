// SPDX-License-Identifier: Apache-2.0
// Experts whose matrices several tensor-parallel ranks share.
#include "catch.h"
#include "planner/scenarios.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

Workload mixtral() {
  Workload workload;
  workload.language = test_catalog().model("mixtral-8x7b").language;
  workload.seq_length = workload.attention_length = 4096;
  return workload;
}

Layout expert_layout(int tp, int ep, int etp, int dp) {
  Layout layout;
  layout.tp = tp;
  layout.ep = ep;
  layout.etp = etp;
  layout.dp = dp;
  layout.global_batch = 64.0 * dp;
  return layout;
}

double term(const StepTime& time, StepTerm name) {
  return time.terms[static_cast<std::size_t>(name)];
}

}  // namespace

TEST_CASE("tensor ranks that share an expert by default", "[experts]") {
  CHECK(expert_tensor_parallel(expert_layout(4, 1, 0, 2)) == 4);
  CHECK(expert_tensor_parallel(expert_layout(4, 8, 0, 2)) == 1);
  CHECK(expert_tensor_parallel(expert_layout(4, 2, 4, 2)) == 4);
  const StepModel model(mixtral(), planning::platform("h100-sxm", "megatron"));
  for (const auto& [open, given] : {std::pair{expert_layout(4, 1, 0, 8), expert_layout(4, 1, 4, 8)},
                                    {expert_layout(4, 8, 0, 8), expert_layout(4, 8, 1, 8)}}) {
    CHECK(model.step(open).seconds == model.step(given).seconds);
    CHECK(model.memory(open).total == model.memory(given).total);
  }
}

// 32 layers of 8 experts of 3 x 4096 x 14336 parameters (arXiv:2401.04088, table 1).
TEST_CASE("ranks that share an expert hold a part of it", "[experts][memory]") {
  const StepModel model(mixtral(), planning::platform("h100-sxm", "megatron"));
  const double experts = 32 * 8 * 3.0 * 4096 * 14336;
  const double whole = model.memory(expert_layout(4, 2, 1, 8)).weights;
  const double shared = model.memory(expert_layout(4, 2, 4, 8)).weights;
  CHECK_THAT(whole - shared, WithinRel(2 * experts / 2 * (1 - 1 / 4.0), 1e-9));
}

TEST_CASE("sharing experts fills their matmuls and costs exchange", "[experts]") {
  const StepModel model(mixtral(), planning::platform("h100-sxm", "megatron"));
  const StepTime whole = model.step(expert_layout(4, 2, 1, 8));
  const StepTime shared = model.step(expert_layout(4, 2, 4, 8));
  // Four times the tokens per expert.
  CHECK(term(shared, StepTerm::kernel) < 0.8 * term(whole, StepTerm::kernel));
  CHECK(term(shared, StepTerm::expert_parallel) > term(whole, StepTerm::expert_parallel));
  CHECK(term(shared, StepTerm::optimizer) < term(whole, StepTerm::optimizer) * (1 + 1e-9));
}

TEST_CASE("a degree for experts that does not divide is refused by its name",
          "[experts][planner][errors]") {
  const planning::TrainingCase dense{"llama3-8b", "h100-sxm", "megatron", 8, 4096, 128};
  const planning::TrainingCase sparse{"mixtral-8x7b", "h100-sxm", "megatron", 16, 4096, 128};
  const auto refused = [](const planning::TrainingCase& s, int ep, int etp) {
    PlanRequest request = planning::request(s);
    request.ep = ep;
    request.etp = etp;
    try {
      plan(planning::step_model(s), request);
    } catch (const Error& error) {
      return error.location + ": " + error.message;
    }
    return std::string();
  };
  CHECK(refused(dense, 1, 2).find("--etp: ") == 0);
  CHECK(refused(sparse, 8, 3).find("--etp: ") == 0);
  CHECK(refused(sparse, 8, 4).find("--etp: ") == 0);
  CHECK(refused(sparse, 8, 2).empty());
}
