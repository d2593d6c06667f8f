// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// The columns of an estimate (estimate/columns/estimate_columns.h) and its lists, as its JSON has
/// them.
const Columns<Estimate>& estimate_columns();
const Columns<TokenAlternative>& alternative_columns();

}  // namespace trcost::estimation
