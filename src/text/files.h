// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "quantity/layers.h"

namespace trcost::text {

/// Largest file that is read whole. A user's model or scenario has a few kilobytes.
inline constexpr std::size_t kLargestFile = std::size_t{16} << 20;

/// Reads a user's file of at most kLargestFile as UTF-8 text: a byte order mark is taken away, and
/// UTF-16 with one is converted. Throws Error (data) when it is missing, a directory, empty,
/// unreadable, larger (found before reading it), or no text, naming line and column.
std::string read_text_file(const std::string& path);
/// Reads stdin as read_text_file() reads a file.
std::string read_stdin();

// The files that this process has read. Every reader of a user's file notes it here, so that no
// result replaces its own input.

/// Notes a regular file as read. Ignores pipes, devices and missing files.
void note_input(const std::string& path);
/// Notes stdin, if it is a regular file.
void note_stdin();
/// Names of the first files noted, in the order of reading.
std::vector<std::string> inputs_read();
/// True if the file of this name, or of another name for the same file, was noted.
bool was_read(const std::string& path);
/// Counts a file as read, so that it is no output, without its name in inputs_read().
void protect_file(const std::string& path);
/// Forgets all files noted: the next answer has other inputs.
void forget_inputs();

}  // namespace trcost::text
