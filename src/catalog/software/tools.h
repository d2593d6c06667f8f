// SPDX-License-Identifier: Apache-2.0
// Training tools by name: data/tools.json.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// A training tool, such as Axolotl, which trains with a stack of the catalog.
struct Tool {
  std::vector<std::string> names;  ///< in lower case, the usual one first
  std::string title;
  std::string stack;
  /// Scenario fields that the tool sets unless told otherwise: paths and values as text.
  std::vector<std::pair<std::string, std::string>> defaults;
  std::string source;
};

/// All tools. Throws Error (data) for a malformed file.
const std::vector<Tool>& training_tools(const Catalog& catalog);

/// The tool of that name, in any case and with or without a release behind `@`. Null if there is
/// none, and for the name of a stack of the catalog.
const Tool* find_tool(const Catalog& catalog, std::string_view name);

}  // namespace trcost::catalog
