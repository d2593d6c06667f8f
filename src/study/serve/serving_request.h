// SPDX-License-Identifier: Apache-2.0
// Formats of a serving question, and the questions that are refused.
#pragma once

#include "catalog/models/model.h"
#include "catalog/software/engine.h"
#include "estimate/question/work/notes.h"
#include "planner/serving_layout.h"
#include "quantity/layers.h"
#include "trcost/serving.h"

namespace trcost::study {

/// Format of the weights: that of the question, else the released one, else fp8 if the chip
/// computes it and bf16 if not. Throws Error (usage).
WeightFormat choose_format(const ServingQuestion& question, const Model& model,
                           const ServingChip& chip);
/// Whether the cache has 8 bits. Throws Error (usage).
bool choose_cache(const ServingQuestion& question, const Engine& engine, WeightFormat format);
/// Warns if the chip stores the format of the question but computes in a wider one.
void note_format(const ServingQuestion& question, const ServingRow& row, const ServingChip& chip,
                 Notes& notes);

/// Throws Error (usage) for contradictory loads, too long contexts and impossible speculation.
void check_question(const ServingQuestion& question, const ServedModel& model);
/// Throws Error (usage) for degrees that do not fit each other or the model.
void check_degrees(const ServingSearch& search, const ServedModel& model);
/// Throws Error (no_answer): no layout holds the weights and one request, or none divides the
/// heads. `smallest` is the smallest replica that would fit.
[[noreturn]] void refuse_to_fit(const ServedModel& model, const ServingRow& row,
                                const ServingSearch& search, std::optional<int> smallest);
/// Throws Error (no_answer): the best layout does not reach the load or the speed.
[[noreturn]] void refuse_load(const ServingQuestion& question, const ServingChoice& choice,
                              const ServingRow& row, const Engine& engine);

}  // namespace trcost::study
