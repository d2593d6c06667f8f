// SPDX-License-Identifier: Apache-2.0
// Warnings about the price of a platform, without an estimate of a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

struct PriceWarnings {
  std::vector<std::string> lines;
  bool doubtful = false;  ///< the price is one that `estimate --strict` rejects
  std::string missing;    ///< reason why a rent has no price, else empty
  /// Adds the lines of another platform, each once.
  void add(PriceWarnings&& other);
};

/// Returns the warnings about the price that the scenario's estimate on `accelerator` would use,
/// each with its name. Without a price there are none: the estimate says why.
PriceWarnings price_warnings(const Scenario& scenario, std::string_view accelerator,
                             const Catalog& catalog);

}  // namespace trcost::estimation
