// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "recipe/read_recipe.h"
#include "report/format/document.h"
#include "text/column.h"

namespace trcost::report {

/// A field that the user sets beside the recipe.
struct RecipeSetting {
  std::string path;
  std::string value;
  std::string origin;  ///< `flag --gpus`
};

/// A recipe with the user's own settings, and the scenario of both as JSON.
struct RecipeReport {
  RecipeReading recipe;
  std::string scenario = "{}";
  std::vector<RecipeSetting> given;
};

const Columns<RecipeReport>& recipe_columns();
inline constexpr Subject<RecipeReport> kRecipe = {"recipe", recipe_columns, "keys"};

Document recipe_document(const RecipeReport& report);

}  // namespace trcost::report
