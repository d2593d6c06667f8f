// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "catalog/price_book.h"

namespace trcost {
namespace {

constexpr std::array<std::string_view, 5> kClasses = {"specialist", "marketplace", "survey",
                                                      "index", "hyperscaler"};
constexpr std::array<std::string_view, 5> kCommitments = {"on-demand", "reserved-1y", "reserved-3y",
                                                          "spot", "block"};

constexpr std::array<std::string_view, 4> kPriceClasses = {"specialist", "marketplace",
                                                           "hyperscaler", "index"};

}  // namespace

std::string_view price_class_name(PriceClass price_class) {
  return kPriceClasses[static_cast<std::size_t>(price_class)];
}

std::optional<PriceClass> parse_price_class(std::string_view word) {
  for (std::size_t i = 0; i < kPriceClasses.size(); ++i) {
    if (word == kPriceClasses[i]) return static_cast<PriceClass>(i);
  }
  return std::nullopt;
}

PriceClass price_class_of(ProviderClass provider_class) {
  switch (provider_class) {
    case ProviderClass::specialist:
      return PriceClass::specialist;
    case ProviderClass::marketplace:
      return PriceClass::marketplace;
    case ProviderClass::hyperscaler:
      return PriceClass::hyperscaler;
    default:
      return PriceClass::index;
  }
}

std::string_view provider_class_name(ProviderClass provider_class) {
  return kClasses[static_cast<std::size_t>(provider_class)];
}

std::string_view commitment_name(Commitment commitment) {
  return kCommitments[static_cast<std::size_t>(commitment)];
}

std::optional<Commitment> parse_commitment(std::string_view word) {
  for (std::size_t i = 0; i < kCommitments.size(); ++i) {
    if (word == kCommitments[i]) return static_cast<Commitment>(i);
  }
  return std::nullopt;
}

}  // namespace trcost
