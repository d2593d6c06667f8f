// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "quantity/layers.h"

namespace trcost::quantity {

/// Lower case of an ASCII letter. Other bytes stay.
constexpr char lower_case(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_case(std::string_view text);
/// Upper case of an ASCII letter. Other bytes stay.
constexpr char upper_case(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Text without spaces, tabs and carriage returns at its ends.
std::string_view trim(std::string_view text);
/// The parts of a text between separators, each of which is one character of `separators`. An empty
/// text is one empty part.
std::vector<std::string_view> split_text(std::string_view text, std::string_view separators);
/// Adds an item to a list in words, behind a separator if the list has one already.
void append_item(std::string& list, std::string_view item, std::string_view separator = ", ");
/// The number that is all of a text, empty for another text.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Whether a text is a number with one of `units`, a letter each, behind it: `7b`, `1.5T`.
bool is_number_with_unit(std::string_view text, std::string_view units);

/// Optimal string alignment distance: insertions, deletions, substitutions, neighbours swapped.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to what was typed: Damerau-Levenshtein distance of at most a third of the
/// length, and at least 1. Empty if none is near.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& known);

/// `did you mean "x"?` for the nearest name, else the empty string.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known);

/// Letters and digits in lower case: `Llama3.1-405B` and `llama-3.1-405b` are the same model.
std::string folded(std::string_view text);

/// True if folded() gives the same for both.
bool same_folded(std::string_view a, std::string_view b);

/// same_folded(), if a decimal point in either is a mark between the same digits in the other:
/// `qwen2-5-7b` is `qwen2.5-7b`, and `opt-1.3b` is not `opt-13b`.
bool same_name(std::string_view a, std::string_view b);

}  // namespace trcost::quantity
