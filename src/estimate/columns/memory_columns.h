// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/cluster/memory_fit.h"
#include "quantity/layers.h"
#include "text/column.h"

namespace trcost::estimation {

const Columns<MemoryReport>& memory_columns();

inline constexpr Subject<MemoryReport> kMemory = {"memory", memory_columns, "items"};

}  // namespace trcost::estimation
