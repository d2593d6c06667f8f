// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantity/layers.h"

namespace trcost::catalog {

/// Throws Error (data) unless a user's data folder has the form of data/: at least one file that is
/// read, and none that looks like data but is passed over (in a misspelt folder, with another
/// extension, a dangling link, an unreadable folder). Protects its files from being outputs.
void check_data_folder(const std::string& directory);

}  // namespace trcost::catalog
