// SPDX-License-Identifier: Apache-2.0
// Doubts about the prices behind the rows of a sweep, known before a row is computed.
#pragma once

#include <string>
#include <vector>

#include "estimate/answer/price_warnings.h"
#include "quantity/layers.h"
#include "study/sweep/plan.h"
#include "trcost/catalog.h"

namespace trcost::study {

/// The first few of many warnings, and how many there are beyond them.
std::vector<std::string> first_warnings(const std::vector<std::string>& warnings);

/// Resolves the price of every platform under every combination of the axes of words that decide
/// it, such as region, provider and pricing. A combination without a price is an error of its rows.
PriceWarnings find_price_doubts(const SweepPlan& plan, const Catalog& catalog);

}  // namespace trcost::study
