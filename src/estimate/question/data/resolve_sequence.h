// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Tokens of a packed sequence by default.
inline constexpr double kDefaultSequence = 4096;

/// Contents of one sample.
struct Sample {
  double text = 0;
  double images = 0;  ///< mean, samples without images included
  double vision = 0;  ///< tokens in the language model's sequence
  [[nodiscard]] double tokens() const { return text + vision; }
};

/// Whether images become tokens of the language model's own sequence.
bool in_sequence(const Workload& work);

/// Resolves the sequence length of `out` and its useful share. Throws Error (usage) if the images
/// of a sample, or a sample that is not packed, exceed --seq-length or the model's context.
void resolve_sequence(const Scenario& scenario, const Catalog& catalog, const Sample& sample,
                      bool from_samples, ResolvedWork& out, Notes& notes);

}  // namespace trcost::estimation
