// SPDX-License-Identifier: Apache-2.0
// Models that are asked for often and cannot be described yet: data/unread.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/data_folder.h"

namespace trcost::catalog {

/// Why trcost cannot describe a model, and what comes nearest.
struct UnreadModel {
  std::string why;
  std::string nearest;  ///< a model of the catalog, or empty
};

/// Looks up the model_type of a config.json. Empty for a family that the file does not list.
std::optional<UnreadModel> unread_family(const DataFolder& data, std::string_view model_type);
/// Looks up the start of a model's name, in any case and punctuation.
std::optional<UnreadModel> unread_model(const DataFolder& data, std::string_view name);

}  // namespace trcost::catalog
