// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "json/strict_json.h"
#include "prices/rows/price_book.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// Reads one price file as the book's loader does; rows dated after `book_date` are refused.
PriceBook parse_price_file(std::string_view text, const std::string& origin,
                           std::string_view book_date);

/// parse_price_date of a text in a file; the error names the place of `place`.
PriceDate price_date_at(const JsonValue& place, std::string_view text);

}  // namespace trcost::prices
