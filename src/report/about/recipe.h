// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantity/layers.h"
#include "recipe/read_recipe.h"
#include "report/format/document.h"
#include "text/column.h"

namespace trcost::report {

/// A recipe with its scenario as JSON.
struct RecipeReport {
  RecipeReading recipe;
  std::string scenario = "{}";
};

const Columns<RecipeReport>& recipe_columns();
inline constexpr Subject<RecipeReport> kRecipe = {"recipe", recipe_columns, "keys"};

Document recipe_document(const RecipeReport& report);

}  // namespace trcost::report
