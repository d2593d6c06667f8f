// SPDX-License-Identifier: Apache-2.0
// Prices that are given, rows for listings, and how a price is explained.
#include <fmt/format.h>

#include <algorithm>

#include "prices/market/price_rows.h"
#include "prices/rows/price_import.h"
#include "prices/rows/regions.h"
#include "quantity/suggest.h"
#include "trcost/numbers.h"

namespace trcost::prices {

bool is_price_region(const PriceBook& book, std::string_view name) {
  return std::any_of(book.rows.begin(), book.rows.end(), [&](const PriceRow& row) {
    return region_fit(row.region, name, nullptr) == RegionFit::exact;
  });
}

PriceQuote given_price(double usd_per_gpu_hour, std::string_view flag) {
  PriceQuote quote;
  quote.usd = usd_per_gpu_hour;
  quote.middle_of = {usd_per_gpu_hour};
  quote.sigma = 0;
  quote.source = fmt::format("given by the user ({})", flag);
  quote.rule = "given";
  quote.given = true;
  return quote;
}

const PueRow* select_pue(const PriceBook& book, std::string_view provider) {
  const std::string wanted = provider_name(book, provider);
  const auto own = std::ranges::find_if(
      book.pue, [&](const PueRow& row) { return same_folded(row.name, wanted); });
  if (own != book.pue.end()) return &*own;
  const auto usual = std::ranges::find(book.pue, true, &PueRow::of_others);
  return usual == book.pue.end() ? nullptr : &*usual;
}

namespace {

// `median(3.9, 3.99, 4.5) x 0.65`
std::string price_numbers(const PriceQuote& quote) {
  std::string out;
  for (const double usd : quote.middle_of) {
    out += (out.empty() ? "" : ", ") + format_exact(rounded_price(usd));
  }
  if (quote.middle_of.size() > 1) out = fmt::format("median({})", out);
  if (quote.factor) out += " x " + format_exact(*quote.factor);
  return out;
}

}  // namespace

Derivation derive_price(const PriceQuote& quote, std::string_view accelerator) {
  Derivation step;
  step.name = fmt::format("price of one {} hour", accelerator);
  step.formula = quote.given     ? "given"
                 : quote.imputed ? "price of others x the ratio that sellers ask: see the rule"
                                 : "median of the selected rows, one per provider";
  std::string rows;
  for (const PriceRow* row : quote.rows) {
    rows += (rows.empty() ? "" : ", ") + describe_row(*row);
    const std::string origin = fmt::format("{} ({})", row->source, row->file);
    if (step.source.find(origin) == std::string::npos) {
      step.source += (step.source.empty() ? "" : "; ") + origin;
    }
  }
  step.numbers = price_numbers(quote);
  if (!rows.empty()) step.numbers += "; " + rows;
  if (rows.empty() || quote.imputed) {
    step.numbers += (step.numbers.empty() ? "" : "; ") + quote.rule;
  }
  if (step.source.empty()) step.source = quote.source;
  step.result = quote.usd ? fmt::format("{} per GPU-hour", format_price(*quote.usd)) : "n/a";
  return step;
}

}  // namespace trcost::prices
