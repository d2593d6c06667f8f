// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/serving.h"

namespace trcost::study {

const Columns<ServingReport>& serving_columns();
inline constexpr Subject<ServingReport> kServing{"serving", serving_columns, "serving"};

}  // namespace trcost::study
