// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "recipe/workings.h"
#include "trcost/catalog.h"

namespace trcost::recipe {

/// The catalog's entry for a model's name or path in a recipe, empty for none that is sure.
std::string catalog_entry(std::string_view typed, const Catalog& catalog);
/// Returns the entry of the model that the name of a tuned one resembles, empty for none.
std::string tuned_entry(std::string_view typed, const Catalog& catalog);

/// Sets `model.name` by the name in the recipe (a repository, torchtitan's flavor, torchtune's
/// component, the name of a Megatron-Bridge recipe), else by the shape (`shape.*`), or asks.
void find_model(Workings& workings);

}  // namespace trcost::recipe
