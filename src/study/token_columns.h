// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trcost/column.h"
#include "trcost/token_report.h"

namespace trcost {

const Columns<TokenItem>& token_item_columns();
const Columns<TokenReport>& token_columns();

inline constexpr Subject<TokenReport> kTokens = {"tokens", token_columns, "items"};

}  // namespace trcost
