// SPDX-License-Identifier: Apache-2.0
// A price with its provenance.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "trcost/derivation.h"

namespace trcost::prices {

// Standard deviations of ln(price).
inline constexpr double kListSigma = 0.10;   ///< list price of one provider (model.md 10: contract)
inline constexpr double kQuoteSigma = 0.25;  ///< one quote of a market (model.md 10)
inline constexpr double kLoneSigma = 0.35;   ///< a lone seller: the quote's, and 0.2 to 0.3 between
                                             ///< the sellers of a class
inline constexpr double kWidestSigma = 0.6;  ///< upper bound

using PriceRows = std::vector<const PriceRow*>;

/// A unit price and its provenance. `usd` is empty if the book has none.
struct PriceQuote {
  std::optional<double> usd;  ///< per accelerator-hour, GB-month or GB
  double sigma = 0.25;        ///< standard deviation of ln(price) among quotes
  std::string source;         ///< the rows behind the price
  std::string date;  ///< of the rows: `2026`, or from the oldest to the newest, `2025-11 to 2026`
  std::string provider;  ///< sellers of the rows, comma-separated. Empty if given or imputed
  std::optional<PriceClass> price_class;  ///< of the sellers. Empty if given
  bool imputed = false;       ///< derived from other prices, for want of quotes in the class
  bool other_class = false;   ///< the maker's own price, of another class than the query's
  bool other_region = false;  ///< of any region, for want of one in the query's
  bool stale = false;  ///< over 90 days old, of a hyperscaler over a year, or of a guessed date
  std::string rule;    ///< the rule that set the price, or the reason why there is none
  PriceRows rows;      ///< pointers into the book
  bool given = false;  ///< set by the user
  std::vector<double> prices;    ///< USD. Their median, times `factor`, is the price
  std::optional<double> factor;  ///< ratio that a price of others was multiplied with
  std::string warning;           ///< a caveat before relying on the price. Mostly empty
};

/// Median of the rows and its spread, with `rule` in front of the list of rows. `rows` must not be
/// empty.
PriceQuote quote_rows(PriceRows rows, std::string_view rule);

/// The price that the user set. Its sigma is 0 unless it is a range.
PriceQuote given_price(double usd_per_gpu_hour, std::string_view flag = "--price");

/// A quote without a price, whose rule and source are the reason.
PriceQuote missing_price(std::string reason);

/// Rounds to a millionth of a dollar, so that a mean of two prices has no digits of binary
/// rounding.
double rounded_price(double usd);
/// Rounded median. `prices` must not be empty.
double median_price(std::vector<double> prices);

/// A unit price in full, at most to a millionth of a dollar: `$2.00`, `$5.245`.
std::string format_price(double usd);

/// Provider, product, price and date of a row: `Lambda 8x $2.99 (2025-H2)`.
std::string describe_row(const PriceRow& row);

/// `2026-03`, or `2025-11 to 2026` if the rows are of several dates. `rows` must not be empty.
std::string date_range(const PriceRows& rows);

/// Explains the price of an accelerator-hour: `unit price = median(...)` with the rows put in.
Derivation derive_price(const PriceQuote& quote, std::string_view accelerator);

/// Price of object storage (USD per GB-month): the median over verified rows.
PriceQuote select_storage_price(const PriceBook& book);
/// Price of egress (USD per GB): the median over verified rows.
PriceQuote select_egress_price(const PriceBook& book);

/// PUE of a provider that publishes one, else the book's row of all others. Null if it has none.
const PueRow* select_pue(const PriceBook& book, std::string_view provider);

}  // namespace trcost::prices
