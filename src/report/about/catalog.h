// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/format/document.h"
#include "report/table/table.h"
#include "trcost/catalog.h"

namespace trcost::report {

/// The kind of this name (`accelerators`); throws Error (usage) with a did-you-mean.
CatalogKind catalog_kind(std::string_view name);

/// The kinds themselves with the number of their entries.
Table catalog_kinds_table(const Catalog& catalog);

/// All entries of a kind. A non-empty `accelerator` keeps what belongs to it; kinds that have no
/// accelerator refuse it with an Error (usage).
Table catalog_table(const Catalog& catalog, CatalogKind kind, std::string_view accelerator = {});

/// The spread of an accelerator's prices and what an estimate takes, a line per commitment.
std::string price_spread_text(const Catalog& catalog, std::string_view accelerator);
/// An accelerator's prices; text has what an estimate takes below them, a line per commitment.
Document prices_document(const Catalog& catalog, std::string_view accelerator);

/// One entry, one row per value of its file: where it stands, the value in readable units, the
/// key of its source; then the sources. Checks the entry first.
Table catalog_entry_table(const Catalog& catalog, CatalogKind kind, std::string_view name_or_path);
/// The same; its JSON is the file itself.
Document catalog_entry_document(const Catalog& catalog, CatalogKind kind,
                                const std::string& name_or_path);

}  // namespace trcost::report
