// SPDX-License-Identifier: Apache-2.0
// In which formats weights and cache are kept where nobody says, and what a chip makes of them.
#pragma once

#include "catalog/models/model.h"
#include "catalog/software/engine.h"
#include "estimate/question/work/notes.h"
#include "quantity/layers.h"
#include "trcost/serving.h"

namespace trcost::study {

/// As released where that is smaller than 16 bit; else 8 bit where the chip computes in it. Throws
/// Error (usage).
WeightFormat choose_format(const ServingQuestion& question, const Model& model,
                           const ServingChip& chip);
/// Whether the cache is kept in 8 bit. Throws Error (usage).
bool choose_cache(const ServingQuestion& question, const Engine& engine, WeightFormat format);
/// Says where the chip stores the format that was asked for and computes in a wider one.
void note_format(const ServingQuestion& question, const ServingRow& row, const ServingChip& chip,
                 Notes& notes);

}  // namespace trcost::study
