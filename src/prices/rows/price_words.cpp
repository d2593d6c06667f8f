// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "prices/rows/price_book.h"
#include "quantity/suggest.h"

namespace trcost::prices {

const Provider* known_provider(const PriceBook& book, std::string_view name) {
  const auto exact = std::ranges::find(book.providers, name, &Provider::name);
  if (exact != book.providers.end()) return &*exact;
  const auto spelled_so = [&](std::string_view known) { return same_folded(known, name); };
  const auto found = std::ranges::find_if(book.providers, [&](const Provider& each) {
    return spelled_so(each.name) || std::ranges::any_of(each.also, spelled_so);
  });
  return found == book.providers.end() ? nullptr : &*found;
}

std::string provider_name(const PriceBook& book, std::string_view name) {
  const Provider* known = known_provider(book, name);
  return known != nullptr ? known->name : std::string(name);
}

}  // namespace trcost::prices
