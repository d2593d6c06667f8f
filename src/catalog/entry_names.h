// SPDX-License-Identifier: Apache-2.0
// Which entry of the catalog a name means, and which one may have been meant.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// The entry whose name, title or one of whose "aliases" is `name`, with or without its vendor in
/// front; case, blanks and punctuation do not count. Empty when there is none.
std::string entry_named(const Catalog& catalog, CatalogKind kind, std::string_view name);

/// What may have been meant, as a sentence: all entries that begin with what was typed, else the
/// one with the nearest name or alias, else those of which it is a part or whose family, the word
/// before the first hyphen, is the same. Empty when nothing is near.
std::string suggested_entry(const Catalog& catalog, CatalogKind kind, std::string_view typed);

}  // namespace trcost::catalog
