// SPDX-License-Identifier: Apache-2.0
// Published peaks of memory, replayed.
#pragma once

#include <vector>

#include "quantity/layers.h"
#include "study/validate/replay.h"
#include "study/validate/validate.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"

namespace trcost::study {

/// A published peak of the fullest accelerator in bytes, as its counter shows it.
struct MemoryReplay : Replay {
  const MemoryFigure* figure = nullptr;
  std::string stack, recipe;
  MemoryUse use;  ///< predicted, in parts
};

struct MemoryValidation {
  std::vector<MemoryReplay> rows;
  SourceVotes votes;
  ValidationSummary all;                     ///< of rows to fit to, each source weighing one
  std::vector<ValidationSummary> summaries;  ///< likewise, by counter, stack, recipe and source
};

/// Predicts every row of data/runs/memory.csv whose facts can be asked. `filter.source` and
/// `filter.model` match a part, `filter.accelerator` and `filter.stack` the name, `filter.task`
/// what learns.
MemoryValidation validate_memory(const Catalog& catalog, const ValidationFilter& filter = {});

}  // namespace trcost::study
