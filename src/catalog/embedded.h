// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace trcost {

/// A data file built into the library; paths are relative to `data/` and sorted.
struct EmbeddedFile {
  std::string_view path;
  const char* begin;
  const char* end;
};
std::span<const EmbeddedFile> embedded_files();

}  // namespace trcost
