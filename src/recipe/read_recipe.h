// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::recipe {

/// What a key of the files became.
struct RecipeKey {
  std::string key;
  std::string value;
  std::string status;  ///< `used`, `harmless` or `reported`
  std::string path;    ///< fields that it sets, comma-separated, or empty
  std::string why;     ///< of a reported key
  std::string file;
  double line = 0;
};

/// A field that the files do not tell.
struct RecipeGap {
  std::string path;
  std::string why;
};

/// A default of the framework that sets a field.
struct RecipeDefault {
  std::string path;
  std::string value;
  std::string why;
};

struct RecipeReading {
  std::string framework;
  std::string version;  ///< of the framework whose keys the table has, a source with its commit
  std::vector<std::string> files;
  Scenario scenario;  ///< from the files alone
  std::vector<RecipeKey> keys;
  std::vector<RecipeGap> missing;
  std::vector<RecipeDefault> defaults;  ///< the software stack first
  /// Why the recipe's steps give no amount of data, and the flags that would. Empty if they do.
  std::string uncounted_steps;
};

/// Files of a recipe with the tables that read them, opened once for several scenarios.
struct OpenedRecipe;

/// Opens the named files and those that they name beside themselves. Throws Error (data) for a
/// malformed file, and for one of no known framework.
std::shared_ptr<const OpenedRecipe> open_recipe(const std::vector<std::string>& files,
                                                const Catalog& catalog);

/// Reads opened files. Nothing is run. `given` are the user's own fields, which win and complete
/// what the arithmetic of batches needs.
RecipeReading read_recipe(const OpenedRecipe& recipe, const Scenario& given,
                          const Catalog& catalog);

}  // namespace trcost::recipe
