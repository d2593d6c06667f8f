// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/providers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "prices/rows/price_book.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::prices {

const Provider* known_provider(const PriceBook& book, std::string_view name) {
  const auto exact = std::ranges::find(book.providers, name, &Provider::name);
  if (exact != book.providers.end()) return &*exact;
  const auto is_spelling = [&](std::string_view known) { return same_folded(known, name); };
  const auto found = std::ranges::find_if(book.providers, [&](const Provider& each) {
    return is_spelling(each.name) || std::ranges::any_of(each.also, is_spelling);
  });
  return found == book.providers.end() ? nullptr : &*found;
}

std::string provider_name(const PriceBook& book, std::string_view name) {
  const Provider* known = known_provider(book, name);
  return known != nullptr ? known->name : std::string(name);
}

std::string find_provider(const PriceBook& book, std::string_view provider) {
  const std::string wanted = provider_name(book, provider);
  std::set<std::string> sellers;
  for (const PriceRow& row : book.rows) sellers.insert(row.provider);
  const std::vector<std::string> known(sellers.begin(), sellers.end());
  const auto found = std::ranges::find_if(
      known, [&](const std::string& name) { return same_folded(name, wanted); });
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

}  // namespace trcost::prices
