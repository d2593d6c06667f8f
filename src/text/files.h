// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "quantity/layers.h"

namespace trcost::text {

/// Largest file that is read whole; a user's model or scenario is a few kilobytes.
inline constexpr std::size_t kLargestFile = std::size_t{16} << 20;

/// Reads a user's file of at most kLargestFile as UTF-8 text: a byte order mark is taken away, and
/// UTF-16 with one is converted. Throws Error (data) when it is missing, a directory, empty,
/// unreadable, larger (found before reading it), or no text, naming line and column.
std::string read_text_file(const std::string& path);
/// The same from stdin.
std::string read_stdin();

/// Whether there is a regular file.
bool file_exists(const std::string& path);

}  // namespace trcost::text
