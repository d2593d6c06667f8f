// SPDX-License-Identifier: Apache-2.0
// JSON files of the data folder, parsed. What is built in was parsed at build time and is read in
// place; what a data directory or the user gives is parsed as text.
#pragma once

#include <string_view>

#include "json/strict_json.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// `text` is what the catalog gave for `path`, a path relative to the data folder or of a user's
/// own file; `origin` names it in messages.
JsonValue parse_data_file(std::string_view text, std::string_view path, std::string_view origin);

/// A file of the data folder, named in messages by its path there.
JsonValue read_data_file(const Catalog& catalog, std::string_view path);

}  // namespace trcost::catalog
