// SPDX-License-Identifier: Apache-2.0
#include "catalog/runs/runs.h"

#include "catalog_fixture.h"
#include "catch.h"

using namespace trcost;

TEST_CASE("budgets grow, and every model of one saw about its tokens", "[catalog][token_budgets]") {
  double before = 0;
  for (const TokenBudget& budget : load_token_budgets(test_catalog())) {
    CHECK(budget.tokens > before);
    before = budget.tokens;
    for (const BudgetModel& model : budget.models) {
      INFO(model.name);
      CHECK_THAT(model.tokens, WithinRel(budget.tokens, 0.25));
      CHECK(model.params > 0);
      CHECK_FALSE(model.source.empty());
    }
  }
  CHECK(before >= 15e12);
}
