// SPDX-License-Identifier: Apache-2.0
// Batches and amount of data of pre-training, fine-tuning and preferences.
#pragma once

#include "quantity/layers.h"
#include "recipe/workings.h"

namespace trcost::recipe {

/// Data-parallel ranks that learn, if the number of GPUs is known.
std::optional<double> learning_ranks(const Workings& workings);

/// Samples that the names of ms-swift's data sets tell (`name#500`), if all of them do.
std::optional<double> samples_of_names(const Workings& workings);

/// Global batch = micro-batch x accumulation x ranks. Tokens = steps x global batch x sequence
/// length where sequences are filled, else samples = steps x global batch.
void find_training(Workings& workings);

}  // namespace trcost::recipe
