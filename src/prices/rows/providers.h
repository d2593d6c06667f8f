// SPDX-License-Identifier: Apache-2.0
// Names of the sellers in the price book.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::prices {

struct PriceBook;
struct Provider;

/// The provider of that spelling, also as catalogs of clouds have it (`lambdalabs`, `datacrunch`).
/// Null for an unknown one.
const Provider* known_provider(const PriceBook& book, std::string_view name);

/// The provider's name in the book, or `name` itself for an unknown one.
std::string provider_name(const PriceBook& book, std::string_view name);

/// The name of a provider that has rows in the book, from any spelling (`lambdalabs`, `LAMBDA`).
/// Throws Error (usage) with the nearest name.
std::string find_provider(const PriceBook& book, std::string_view provider);

}  // namespace trcost::prices
