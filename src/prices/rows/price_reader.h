// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/strict_json.h"
#include "prices/rows/price_book.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// Parsed price files of one book.
struct PriceFiles {
  std::vector<JsonValue> built_in;
  std::vector<JsonValue> own;             ///< the user's
  std::vector<std::string> accelerators;  ///< that the user's files may name
};

/// Adds the rows of all files to a book that has its date and providers, and sets the date to the
/// newest one. Errors (data) name file, place and what is allowed: among them rows that stand
/// twice, in whatever files, and rows after the book's date. Rows of a user's file may be as late
/// as the day on which it says that it was retrieved.
void read_price_files(const PriceFiles& files, PriceBook& book);

/// A book of one file, whose rows must not be later than `book_date`.
PriceBook parse_price_file(std::string_view text, const std::string& origin,
                           std::string_view book_date);

}  // namespace trcost::prices
