// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantity/layers.h"
#include "recipe/framework.h"
#include "trcost/catalog.h"

namespace trcost::recipe {

/// The catalog's entry of the model of a recipe.
struct ModelMatch {
  std::string name;    ///< empty if no entry is sure
  std::string recipe;  ///< `lora` or `qlora`, if the name says it
  std::string why;     ///< reason for an empty name
};

/// Finds the model by its name (`model`, torchtitan's flavor, torchtune's component, the name of a
/// Megatron-Bridge recipe), else by its shape (`shape.*`).
ModelMatch match_model(const Variables& variables, const Catalog& catalog);

}  // namespace trcost::recipe
