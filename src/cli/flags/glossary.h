// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace trcost::cli {

/// A term of the field, explained by `trcost help TERM`.
struct Term {
  std::string_view names;  ///< separated by |, the usual one first
  std::string_view text;   ///< two or three sentences
  std::string_view flags;  ///< that change it, or empty
};

std::span<const Term> glossary();

/// Returns the entry of a term in any case, with spaces or hyphens, or null.
const Term* find_term(std::string_view typed);

/// Returns the usual name of a term.
constexpr std::string_view term_name(const Term& term) {
  return term.names.substr(0, term.names.find('|'));
}

}  // namespace trcost::cli
