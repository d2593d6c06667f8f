// SPDX-License-Identifier: Apache-2.0
// What every way of choosing a price does with rows of the book.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prices/market/prices.h"
#include "quantity/layers.h"

namespace trcost::prices {

struct Regions;

inline constexpr double kListSigma = 0.10;   ///< one provider's list price (model.md 10: contract)
inline constexpr double kQuoteSigma = 0.25;  ///< a single quote of a market (model.md 10)
inline constexpr double kLoneSigma = 0.35;   ///< a lone seller's: the quote's, and what sellers of
                                             ///< one class differ by, 0.2 to 0.3 of ln(price)
inline constexpr double kWidestSigma = 0.6;  ///< of ln(price), whatever the quotes

using PriceRows = std::vector<const PriceRow*>;

/// Where a price is asked for. No name: anywhere.
struct PriceRegion {
  std::string_view name;
  const Regions* regions = nullptr;  ///< what lies in what; without it names are compared as text
};

/// Whose offers an answer is made from.
struct Market {
  const PriceBook& book;
  PriceClass price_class = PriceClass::specialist;
  Commitment commitment = Commitment::on_demand;
  PriceRegion region;
  std::string_view as_of;           ///< YYYY-MM-DD
  std::string_view newest = {};     ///< day of the book's newest row not after `as_of`
  std::string_view publisher = {};  ///< whose indices count first; empty: not of that class
};
/// The newest first day of a row of the book that is not after `as_of`; `as_of` where there is
/// none. Which rows decide follows from this day and never from `as_of` itself, so that time that
/// brings no new row moves no price.
std::string_view newest_day(const PriceBook& book, std::string_view as_of);

/// The same market of another class or kind of pricing; of indices those of one publisher before
/// all others, since two publishers' indices differ by what they count. It is the one that prices
/// most chips so in the year before the book's newest row; of several the one with the newest row.
Market market_of(Market market, PriceClass price_class, Commitment commitment);

/// To a millionth of a dollar, so that a mean of two prices has no digits of binary rounding.
double rounded_price(double usd);
double median_price(std::vector<double> prices);

/// Adds a row to rows that hold each provider once, or puts it in its provider's place where it
/// stands better for the provider: for the region itself rather than for one around it, of a date
/// that is known rather than guessed, unless all that is guessed is later, with an address rather
/// than secondary where both are of one year, then of the later date, then the cheaper. Of dates
/// the first day counts that each may mean. Rows of other regions are left out.
void keep_best(PriceRows& rows, const PriceRow& row, const PriceRegion& region);

/// Whether `a` is the better one of two rows, as keep_best says.
bool stands_better(const PriceRow& a, const PriceRow& b, const PriceRegion& region);

/// Days from the row's first possible day to `as_of`; of a row without a date very many.
int age_days(const PriceRow& row, std::string_view as_of);

/// Sorted by price: their median, its spread, and where it is from.
PriceQuote quote_of(PriceRows rows, std::string_view rule);

/// `2026-03`, or `2025-11 to 2026` where the rows are of several dates.
std::string dates_of(const PriceRows& rows);

/// `Lambda 8x $2.99 (2025-H2)`.
std::string describe_row(const PriceRow& row);

/// Every provider's name once, comma-separated, in the order of the rows.
std::string names_of(const PriceRows& rows);

/// What one provider asks, by --provider.
PriceQuote provider_price(const Market& market, std::string_view accelerator,
                          std::string_view provider);

}  // namespace trcost::prices
