// SPDX-License-Identifier: Apache-2.0
// The JSON files of data/ as the build stores them: parsed, one FlatJson after the other, in the
// byte order of the machine. cmake/trcost_pack.cpp writes them, the library reads them in place.
// Both are built from the same sources, so nothing is checked again at run time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/flat_json.h"
#include "quantity/layers.h"

namespace trcost::json {

/// Where one document lies, in bytes from the start of the pack. These stand first in it.
struct PackedDocument {
  std::uint64_t nodes = 0;
  std::uint64_t strings = 0;
};

/// The bytes of a pack. Alignment: that of FlatNode.
std::string pack_documents(const std::vector<FlatDocument>& documents);

/// The document at `position` of the pack that starts at `pack`.
FlatJson packed_document(const char* pack, std::size_t position);

}  // namespace trcost::json
