// SPDX-License-Identifier: Apache-2.0
// Words of a shell script.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::recipe {

/// Kind of a token.
enum class Token : std::uint8_t {
  word,      ///< quotes and variables as written
  end,       ///< end of a command: a newline, `;`, `&`, `|` and the like
  open,      ///< `(`
  close,     ///< `)`
  case_end,  ///< `;;`
  redirect,  ///< `>`, `<`; the next word is its file
};

struct ShellToken {
  Token kind = Token::word;
  std::string text;
  int line = 0;
  std::string document = {};  ///< text of a here-document, behind its redirect
};

/// Splits a script into tokens. Comments are left out, except `#SBATCH` lines at the top, which are
/// words that begin with `#SBATCH`. Throws Error (data) for a script of too many words.
std::vector<ShellToken> split_shell(std::string_view text, const std::string& file);

/// The index of the character that closes the quote, parenthesis or brace at `from`, or the size of
/// the text if none does.
std::size_t closing_character(std::string_view text, std::size_t from, int depth = 0);

}  // namespace trcost::recipe
