// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::json {

/// A data file built into the library; paths are relative to `data/` and sorted.
struct EmbeddedFile {
  std::string_view path;
  const char* begin;
  const char* end;
  std::size_t document;  ///< position in the pack
};
std::span<const EmbeddedFile> embedded_files();
/// The file of a path, or null.
const EmbeddedFile* find_embedded_file(std::string_view path);
/// What parsing gives for them, nothing for tables: see packed_data.h.
const char* embedded_pack();

}  // namespace trcost::json
