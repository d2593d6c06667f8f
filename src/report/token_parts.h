// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "trcost/table.h"
#include "trcost/token_report.h"

namespace trcost {

/// Every item with all that is known of it, for machines.
Table token_rows(std::span<const TokenItem> items);
/// The JSON document; `items` false leaves the single inputs out.
std::string tokens_json(const TokenReport& report, bool items);

}  // namespace trcost
