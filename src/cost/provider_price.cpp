// SPDX-License-Identifier: Apache-2.0
// What one provider asks.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cost/price_rows.h"
#include "trcost/error.h"
#include "trcost/price_import.h"
#include "trcost/suggest.h"

namespace trcost {

std::vector<std::string> price_providers(const PriceBook& book) {
  std::set<std::string> names;
  for (const PriceRow& row : book.rows) names.insert(row.provider);
  return {names.begin(), names.end()};
}

std::string find_provider(const PriceBook& book, std::string_view provider) {
  const std::string wanted = provider_by_cloud_name(provider);
  const std::vector<std::string> known = price_providers(book);
  const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
    return same_folded(name, wanted);
  });
  if (found != known.end()) return *found;
  const std::string guess = did_you_mean(provider, known);
  throw Error(ErrorKind::usage,
              fmt::format("the price book has no provider \"{}\"", provider.substr(0, 60)),
              fmt::format("{}{}known: {}", guess, guess.empty() ? "" : " ", fmt::join(known, ", ")),
              "--provider");
}

PriceQuote provider_price(const PriceBook& book, std::string_view accelerator,
                          Commitment commitment, std::string_view provider,
                          const PriceRegion& region) {
  const std::string name = find_provider(book, provider);
  PriceRows best;
  for (const PriceRow& row : book.rows) {
    if (row.accelerator == accelerator && row.commitment == commitment &&
        same_folded(row.provider, name)) {
      keep_best(best, row, region);
    }
  }
  if (best.empty()) {
    PriceQuote quote;
    quote.rule = fmt::format("the price book has no {} price of {} from {}{}{}",
                             commitment_name(commitment), accelerator, name,
                             region.name.empty() ? "" : " in ", region.name);
    quote.source = quote.rule;
    return quote;
  }
  PriceQuote quote = quote_of(
      std::move(best), fmt::format("{} price of the provider", commitment_name(commitment)));
  quote.sigma = kListSigma;
  return quote;
}

}  // namespace trcost
