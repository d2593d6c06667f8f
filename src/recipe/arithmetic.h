// SPDX-License-Identifier: Apache-2.0
// Fields that follow from several keys: GPUs, batches, steps, models.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "recipe/framework.h"
#include "recipe/read_recipe.h"

namespace trcost::recipe {

/// A number as people write it in configurations (`2e-5`, `1_000`, `"8"`), nothing for other text.
std::optional<double> number_of(std::string_view text);

/// The text of a number without underscores between its digits. Other text stays.
std::string plain_number(std::string_view text);

/// Variables whose keys are reported after all, with the reason: what compute_fields() could not
/// use.
std::vector<std::pair<std::string, std::string>> report_later(std::string_view group,
                                                              const Variables& variables);

/// Adds the fields that follow from the variables by the arithmetic of a group of frameworks:
/// global batch = micro-batch x accumulation x data-parallel ranks, tokens = steps x global batch x
/// sequence length. Removes variables that are no fields. Names what the files do not tell.
void compute_fields(std::string_view group, const Scenario& given, const Catalog& catalog,
                    Variables& variables, std::vector<RecipeGap>& missing);

}  // namespace trcost::recipe
