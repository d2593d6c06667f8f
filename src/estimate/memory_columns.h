// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/column.h"
#include "trcost/memory_fit.h"

namespace trcost {

const Columns<MemoryReport>& memory_columns();

inline constexpr Subject<MemoryReport> kMemory = {"memory", memory_columns, "items"};

}  // namespace trcost
