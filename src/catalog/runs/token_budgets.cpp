// SPDX-License-Identifier: Apache-2.0
#include "catalog/runs/token_budgets.h"

#include "catalog/data_file.h"
#include "catalog/software/choices.h"
#include "json/strict_json.h"

namespace trcost::catalog {

namespace {

BudgetModel read_model(const JsonValue& value) {
  ObjectReader row = value.object();
  BudgetModel out;
  out.name = row.required_text("name");
  out.vision = row.required_choice("modality", kModalities) == Modality::vision;
  out.params = row.required_number("params", 1e6, 1e14);
  out.tokens = row.required_number("tokens", 1e9, 1e15);
  out.source = row.required_text("source");
  row.finish();
  return out;
}

TokenBudget read_budget(const JsonValue& value) {
  ObjectReader row = value.object();
  TokenBudget out;
  out.tokens = row.required_number("tokens", 1e9, 1e15);
  const JsonValue models = row.required_value("models");
  for (const JsonValue& each : models.array()) out.models.push_back(read_model(each));
  if (out.models.empty()) models.fail("a budget is of one model at least");
  row.finish();
  return out;
}

}  // namespace

std::vector<TokenBudget> load_token_budgets(const Catalog& catalog) {
  ObjectReader file = read_data_file(catalog, "runs/token_budgets.json").object();
  for (const std::string_view key : {"schema_version", "note", "retrieved"}) file.accept(key);
  std::vector<TokenBudget> out;
  for (const JsonValue& each : file.required_value("budgets").array()) {
    out.push_back(read_budget(each));
  }
  file.finish();
  return out;
}

}  // namespace trcost::catalog
