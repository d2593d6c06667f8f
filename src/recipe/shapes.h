// SPDX-License-Identifier: Apache-2.0
// Models that a recipe gives by their sizes (`shape.*`) instead of a name.
#pragma once

#include <string>

#include "quantity/layers.h"
#include "recipe/workings.h"

namespace trcost::recipe {

/// The catalog's entry of the shape, empty for none. Of several, that of the names in the files.
std::string entry_of_shape(const Workings& workings);

/// The shape as a model file in one line, which `model.name` takes too. Empty if a size is missing
/// that no default of the framework gives, or if the layers are of several kinds.
std::string model_file_of_shape(const Workings& workings);

/// Reports the sizes in which the recipe differs from the catalog's entry that its files name.
void report_other_sizes(Workings& workings);

}  // namespace trcost::recipe
