// SPDX-License-Identifier: Apache-2.0
// Prices of bytes that are kept, and of bytes that leave.
#include <fmt/format.h>

#include "prices/market/price_rows.h"
#include "prices/market/prices.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

PriceQuote byte_price(const std::vector<BytePrice>& rows, bool object_storage,
                      std::string_view what) {
  PriceQuote quote;
  std::vector<double> medians;
  std::string list;
  const BytePrice* newest = nullptr;
  for (const BytePrice& row : rows) {
    if (!row.verified || row.object_storage != object_storage) continue;
    medians.push_back(row.median);
    list += fmt::format("{}{} {} ${}", list.empty() ? "" : ", ", row.provider, row.item,
                        format_exact(row.median));
    if (newest == nullptr || row.date.last > newest->date.last) newest = &row;
  }
  if (medians.empty()) {
    quote.source = quote.rule = fmt::format("the price book has no price of {}", what);
    return quote;
  }
  quote.usd = median_price(medians);
  quote.date = newest->date.text;
  quote.rule = fmt::format("median of {}", what);
  quote.source = fmt::format("median of {} prices of {}: {}", medians.size(), what, list);
  return quote;
}

}  // namespace

PriceQuote select_storage_price(const PriceBook& book) {
  return byte_price(book.storage, true, "object storage");
}

PriceQuote select_egress_price(const PriceBook& book) {
  return byte_price(book.egress, false, "egress, first tiers");
}

}  // namespace trcost::prices
