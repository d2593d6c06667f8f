// SPDX-License-Identifier: Apache-2.0
// Whose prices an answer is made from, and which program and price book made it: in every document,
// so that it can be audited later.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "estimate/columns/estimate_columns.h"
#include "quantity/layers.h"
#include "report/page/page.h"

namespace trcost::report {

/// The price of each platform in words, with where it comes from, and the price book's date.
std::vector<Fact> provenance_facts(std::span<const Estimate> estimates,
                                   std::string_view price_data_date);

}  // namespace trcost::report
