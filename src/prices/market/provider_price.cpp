// SPDX-License-Identifier: Apache-2.0
// What one provider asks.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "prices/market/price_rows.h"
#include "prices/rows/price_import.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::prices {

std::vector<std::string> price_providers(const PriceBook& book) {
  std::set<std::string> names;
  for (const PriceRow& row : book.rows) names.insert(row.provider);
  return {names.begin(), names.end()};
}

std::string find_provider(const PriceBook& book, std::string_view provider) {
  const std::string wanted = provider_name(book, provider);
  const std::vector<std::string> known = price_providers(book);
  const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
    return same_folded(name, wanted);
  });
  if (found != known.end()) return *found;
  if (find_value(kPriceClasses, provider)) {
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" is a class of sellers, not a provider", provider),
                fmt::format("give --price-class {}", provider), "--provider");
  }
  const std::string guess = did_you_mean(provider, known);
  throw Error(ErrorKind::usage,
              fmt::format("the price book has no provider \"{}\"", provider.substr(0, 60)),
              fmt::format("{}{}known: {}", guess, guess.empty() ? "" : " ", fmt::join(known, ", ")),
              "--provider");
}

PriceQuote provider_price(const Market& market, std::string_view accelerator,
                          std::string_view provider) {
  const std::string name = find_provider(market.book, provider);
  PriceRows best;
  for (const PriceRow& row : market.book.rows) {
    if (row.accelerator == accelerator && row.commitment == market.commitment &&
        row.date.first <= market.as_of &&
        (!row.date.first.empty() || market.as_of >= market.book.date) &&
        same_folded(row.provider, name)) {
      keep_best(best, row, market.region);
    }
  }
  if (best.empty()) {
    PriceQuote quote;
    quote.rule = fmt::format("the price book has no {} price of {} from {}{}{}",
                             commitment_name(market.commitment), accelerator, name,
                             market.region.name.empty() ? "" : " in ", market.region.name);
    quote.source = quote.rule;
    return quote;
  }
  const int age = age_days(*best.front(), market.as_of);
  const bool guessed = best.front()->guessed;
  PriceQuote quote = quote_of(
      std::move(best), fmt::format("{} price of the provider", commitment_name(market.commitment)));
  quote.sigma = kListSigma;
  constexpr int kYear = 366;
  quote.stale = age > kYear || guessed;
  constexpr int kOld = 90;  // days
  if (age > kOld) {
    quote.warning = fmt::format("{} price of {} at {}: it is of {}, more than 90 days before {}",
                                commitment_name(market.commitment), accelerator, name,
                                quote.date.empty() ? "an unknown date" : quote.date, market.as_of);
  }
  return quote;
}

}  // namespace trcost::prices
