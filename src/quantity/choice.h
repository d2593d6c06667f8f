// SPDX-License-Identifier: Apache-2.0
// Words and the values they stand for: one table per type, shared by command line, data files and
// answers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::quantity {

/// A word and its value.
template <class T>
struct Choice {
  std::string_view word;
  T value;
};

/// The value of a word, empty for a word that the table lacks.
template <class T, std::size_t kCount>
constexpr std::optional<T> find_value(const Choice<T> (&table)[kCount], std::string_view word) {
  const auto* row = std::ranges::find(table, word, &Choice<T>::word);
  if (row == std::end(table)) return std::nullopt;
  return row->value;
}

/// The value of a word that was checked when it was set. Throws std::logic_error for a word that
/// the table lacks.
template <class T, std::size_t kCount>
constexpr T value_of(const Choice<T> (&table)[kCount], std::string_view word) {
  const std::optional<T> value = find_value(table, word);
  if (!value) throw std::logic_error("no row for the word " + std::string(word));
  return *value;
}

/// The word of a value. Throws std::logic_error for a value without a word.
template <class T, std::size_t kCount>
constexpr std::string_view word_of(const Choice<T> (&table)[kCount], const T& value) {
  const auto* row = std::ranges::find(table, value, &Choice<T>::value);
  if (row == std::end(table)) throw std::logic_error("no word for a value");
  return row->word;
}

/// The words of a table in its order: all, or the first `count`.
template <class T, std::size_t kCount>
std::vector<std::string> words_in(const Choice<T> (&table)[kCount], std::size_t count = kCount) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.emplace_back(table[i].word);
  return out;
}

/// The first `kCount` words of a table, `a|b|c`.
template <const auto& kTable, std::size_t kCount = std::size(kTable)>
struct JoinedWords {
  static constexpr std::size_t kLength = [] {
    std::size_t length = kCount - 1;
    for (std::size_t i = 0; i < kCount; ++i) length += kTable[i].word.size();
    return length;
  }();
  static constexpr std::array<char, kLength> kText = [] {
    std::array<char, kLength> text{};
    char* at = text.data();
    for (std::size_t i = 0; i < kCount; ++i) {
      if (i > 0) *at++ = '|';
      at = std::ranges::copy(kTable[i].word, at).out;
    }
    return text;
  }();
};
template <const auto& kTable, std::size_t kCount = std::size(kTable)>
inline constexpr std::string_view kWordsOf{JoinedWords<kTable, kCount>::kText.data(),
                                           JoinedWords<kTable, kCount>::kLength};

}  // namespace trcost::quantity
