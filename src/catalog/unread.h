// SPDX-License-Identifier: Apache-2.0
// Models that people ask for and that cannot be described yet: data/unread.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

struct UnreadModel {
  std::string why;
  std::string nearest;  ///< what of the catalog comes nearest, or empty
};

/// By the model_type of a config.json; empty for a family that the file does not list.
std::optional<UnreadModel> unread_family(const Catalog& catalog, std::string_view model_type);
/// By how a model's name begins, whatever its case and punctuation.
std::optional<UnreadModel> unread_model(const Catalog& catalog, std::string_view name);

}  // namespace trcost::catalog
