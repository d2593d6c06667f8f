// SPDX-License-Identifier: Apache-2.0
// Hybrid and sparse layers of a model file.
#pragma once

#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

struct LanguageModel;

/// Reads "mamba", "linear", "sparse" and "pattern" of the object "language" into a model whose
/// layers and experts are read.
void read_pattern(ObjectReader& reader, LanguageModel& language);

/// True if some layer has the dense feed-forward.
bool has_dense_layers(const LanguageModel& language);

/// Throws Error (data) for a pattern with a block without sizes, or one that does not fill the
/// layers.
void check_pattern(const LanguageModel& language, const JsonValue& where);

}  // namespace trcost::catalog
