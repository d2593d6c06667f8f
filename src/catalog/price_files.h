// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "trcost/price_book.h"

namespace trcost {

/// Reads one price file as the book's loader does; rows dated after `book_date` are refused.
PriceBook parse_price_file(std::string_view text, const std::string& origin,
                           std::string_view book_date);

}  // namespace trcost
