// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "catalog/price_book.h"
#include "quantity/suggest.h"

namespace trcost {

PriceClass price_class_of(ProviderClass provider_class) {
  constexpr PriceClass kClasses[] = {
#define TRCOST_PROVIDER_CLASS(id, word, prices) PriceClass::prices,
#include "catalog/provider_classes.def"
#undef TRCOST_PROVIDER_CLASS
  };
  return kClasses[static_cast<std::size_t>(provider_class)];
}

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

double commitment_years(Commitment commitment) {
  constexpr double kYears[] = {
#define TRCOST_COMMITMENT(id, word, years) years,
#include "catalog/commitments.def"
#undef TRCOST_COMMITMENT
  };
  return kYears[static_cast<std::size_t>(commitment)];
}

}  // namespace trcost
