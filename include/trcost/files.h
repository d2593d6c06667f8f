// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace trcost {

/// Reads a user's file of at most 16 MB. Throws Error (data) when it is missing, a directory,
/// empty, unreadable or larger (found before reading it).
std::string read_text_file(const std::string& path);

/// Whether there is a regular file.
bool file_exists(const std::string& path);

}  // namespace trcost
