// SPDX-License-Identifier: Apache-2.0
// Look-up of catalog entries by name, and suggestions for unknown names.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// The entry whose name, title or alias is `name`, with or without its vendor in front. Case,
/// blanks and punctuation do not count. Empty if there is none.
std::string entry_named(const Catalog& catalog, CatalogKind kind, std::string_view name);

/// A model's name without its owner on Hugging Face and without endings that leave the shape alone,
/// in lower case: `qwen2.5-vl-7b` for `Qwen/Qwen2.5-VL-7B-Instruct`.
std::string plain_model_name(std::string_view name);

/// A sentence that suggests entries for a mistyped name: all that begin with it, else the one with
/// the nearest name or alias, else those that contain it or share its family, the word before the
/// first hyphen. Empty if nothing is near.
std::string suggested_entry(const Catalog& catalog, CatalogKind kind, std::string_view typed);

}  // namespace trcost::catalog
