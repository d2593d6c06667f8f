// SPDX-License-Identifier: Apache-2.0
// Listings and entries of the catalog.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/format/document.h"
#include "report/table/table.h"
#include "trcost/catalog.h"

namespace trcost::report {

/// Returns the kind of a name or a synonym of it, such as `accelerators`, `gpus` or `model`. Empty
/// for another word.
std::optional<CatalogKind> find_catalog_kind(std::string_view name);
/// Returns find_catalog_kind(). Throws Error (usage) with a did-you-mean.
CatalogKind catalog_kind(std::string_view name);

/// Lists the kinds with the number of their entries.
Table catalog_kinds_table(const Catalog& catalog);

/// Lists the entries of a kind, of one accelerator if that is not empty. Throws Error (usage) for
/// an accelerator with a kind that has none.
Table catalog_table(const Catalog& catalog, CatalogKind kind, std::string_view accelerator = {});

/// Lists the regions with the price of electricity, its carbon, and the sellers there.
Table regions_table(const Catalog& catalog);

/// Sorts the rows by a column, by its title or key: `price`, `date:desc`. Unknown cells come last.
/// Throws Error (usage) for an unknown column.
void sort_table(Table& table, std::string_view column);

/// Returns a line per seller class and commitment with the price that an estimate uses.
std::string price_spread_text(const Catalog& catalog, std::string_view accelerator);
/// Lists an accelerator's prices, with price_spread_text() below in text, or all, of which text
/// shows a row per accelerator.
Document prices_document(const Catalog& catalog, std::string_view accelerator,
                         std::string_view sort = {});

/// Returns an entry of the catalog or a file: a row per value, with a readable unit and the key of
/// its source, then the sources. Throws Error (data) for an invalid entry.
Table catalog_entry_table(const Catalog& catalog, CatalogKind kind, std::string_view name_or_path);
/// Returns catalog_entry_table() as a document whose JSON is the file itself.
Document catalog_entry_document(const Catalog& catalog, CatalogKind kind,
                                const std::string& name_or_path);

}  // namespace trcost::report
