// SPDX-License-Identifier: Apache-2.0
// Checks of a user's own entries against the catalog that they are added to.
#pragma once

#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// Throws Error (data) if an entry of the data folder is not named after its file, or if two
/// entries of a kind answer to one name: the name of either, or an alias.
void check_entry_names(const Catalog& catalog);

/// Reads every entry of a user's data folder, so that a wrong one is refused by each command, not
/// by those that use it. Throws Error (data) for the first wrong one.
void check_own_entries(const Catalog& catalog);

/// Throws Error (data) if a user's own accelerator names an architecture that no accelerator of the
/// catalog has: constants and measured errors are looked up by it.
void check_architecture(const Accelerator& accelerator);

}  // namespace trcost::catalog
