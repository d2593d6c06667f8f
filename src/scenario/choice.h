// SPDX-License-Identifier: Apache-2.0
// What the words of choice fields stand for: one table per field, beside the code that needs it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trcost {

/// A word of a choice field and what it stands for.
template <class T>
struct Choice {
  std::string_view word;
  T value;
};

/// What a word stands for. The words of a field are checked when they are set, so one that the table
/// lacks is a row forgotten, not a default: std::logic_error.
template <class T, std::size_t kCount>
constexpr const T& value_of(const Choice<T> (&table)[kCount], std::string_view word) {
  const auto* row = std::ranges::find(table, word, &Choice<T>::word);
  if (row == std::end(table)) throw std::logic_error("no row for the word " + std::string(word));
  return row->value;
}

/// The word of a value; the same for one that no word stands for.
template <class T, std::size_t kCount>
constexpr std::string_view word_of(const Choice<T> (&table)[kCount], const T& value) {
  const auto* row = std::ranges::find(table, value, &Choice<T>::value);
  if (row == std::end(table)) throw std::logic_error("no word for a value");
  return row->word;
}

}  // namespace trcost
