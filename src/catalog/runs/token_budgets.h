// SPDX-License-Identifier: Apache-2.0
// Tokens that published models were pre-trained on: data/runs/token_budgets.json.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// A published model that was pre-trained on about the tokens of a budget.
struct BudgetModel {
  std::string name;
  bool vision = false;
  double params = 0;  ///< of the whole model
  double tokens = 0;
  std::string source;
};

struct TokenBudget {
  double tokens = 0;
  std::vector<BudgetModel> models;
};

/// The budgets, in the file's order. Throws Error (data) where the file is malformed.
std::vector<TokenBudget> load_token_budgets(const Catalog& catalog);

}  // namespace trcost::catalog
