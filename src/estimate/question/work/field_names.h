// SPDX-License-Identifier: Apache-2.0
// Catalog names that fields take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "scenario/fields.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Whether a word for a model or an encoder is a size (`1B`) rather than a name or file.
bool says_size(std::string_view word);

/// All names of a kind, empty for Names::none.
std::vector<std::string> known_names(const Catalog& catalog, Names kind);

/// Throws Error (usage) with a did-you-mean for a word that is neither a name nor a file of this
/// kind, nor a size that the kind accepts.
void require_name(const Catalog& catalog, Names kind, std::string_view word);

}  // namespace trcost::estimation
