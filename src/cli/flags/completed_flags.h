// SPDX-License-Identifier: Apache-2.0
// The options of a command with the words that complete their values.
#pragma once

#include <string>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"

namespace trcost::cli {

struct Completed : Flag {
  std::string words;  // that complete its value; files do where there are none
  bool list = false;  // takes several, separated by commas
  bool open = false;  // the words go on: no space after them

  // `--output -o`
  [[nodiscard]] std::string names() const { return letter.empty() ? name : name + " " + letter; }
};

/// Whether a value is one of some words: `a|b|c`.
bool is_word_list(const std::string& value);

/// Words between spaces.
std::string joined(const std::vector<std::string>& names);
/// The same of names without a space, each once: shells split the rest.
std::string names_of(std::vector<std::string> names);

std::vector<Completed> flags_of(const Command& command, Session& session);

/// The man page, in roff.
std::string man_page(Session& session);

}  // namespace trcost::cli
