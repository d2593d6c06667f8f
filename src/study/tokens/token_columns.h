// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"
#include "study/tokens/token_report.h"
#include "text/column.h"

namespace trcost::study {

const Columns<TokenItem>& token_item_columns();
const Columns<TokenReport>& token_columns();

inline constexpr Subject<TokenReport> kTokens = {"tokens", token_columns, "items"};

}  // namespace trcost::study
