// SPDX-License-Identifier: Apache-2.0
// The files that this process has read. Whatever opens a file of the user's notes it here, so that
// no result replaces what it was made of.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"

namespace trcost::text {

/// Notes a file as read; what is no regular file (a pipe, a device, nothing) is passed over.
void note_input(const std::string& path);
/// The same for stdin, which may be a file.
void note_stdin();

/// The names of the first of them, in the order of reading.
std::vector<std::string> inputs_read();

/// Whether the file of this name, or of another name for the same file, was noted.
bool was_read(const std::string& path);
/// Forgets them all: what is asked next is made of other files.
void forget_inputs();

}  // namespace trcost::text
