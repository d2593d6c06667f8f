// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "catalog/price_book.h"

namespace trcost {
namespace {

struct CommitmentRow {
  std::string_view word;
  double years;
};
constexpr CommitmentRow kCommitments[] = {
#define TRCOST_COMMITMENT(id, word, years) {word, years},
#include "catalog/commitments.def"
#undef TRCOST_COMMITMENT
};

struct ProviderClassRow {
  std::string_view word;
  PriceClass prices;
};
constexpr ProviderClassRow kProviderClasses[] = {
#define TRCOST_PROVIDER_CLASS(id, word, prices) {word, PriceClass::prices},
#include "catalog/provider_classes.def"
#undef TRCOST_PROVIDER_CLASS
};

// A class of prices has the word of the providers that name it; by PriceClass.
constexpr ProviderClass kNamesakes[] = {ProviderClass::specialist, ProviderClass::marketplace,
                                        ProviderClass::hyperscaler, ProviderClass::index};

template <class Rows>
std::vector<std::string> words_of(const Rows& rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) out.emplace_back(row.word);
  return out;
}

// The place of a word in a table, which is its enumerator; empty where it has none.
template <class Enum, class Rows>
std::optional<Enum> parse(const Rows& rows, std::string_view word) {
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    if (rows[i].word == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view price_class_name(PriceClass price_class) {
  return provider_class_name(kNamesakes[static_cast<std::size_t>(price_class)]);
}

std::optional<PriceClass> parse_price_class(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kNamesakes); ++i) {
    if (provider_class_name(kNamesakes[i]) == word) return static_cast<PriceClass>(i);
  }
  return std::nullopt;
}

PriceClass price_class_of(ProviderClass provider_class) {
  return kProviderClasses[static_cast<std::size_t>(provider_class)].prices;
}

std::string_view provider_class_name(ProviderClass provider_class) {
  return kProviderClasses[static_cast<std::size_t>(provider_class)].word;
}

std::optional<ProviderClass> parse_provider_class(std::string_view word) {
  return parse<ProviderClass>(kProviderClasses, word);
}

const std::vector<std::string>& provider_class_words() {
  static const std::vector<std::string> words = words_of(kProviderClasses);
  return words;
}

std::string_view commitment_name(Commitment commitment) {
  return kCommitments[static_cast<std::size_t>(commitment)].word;
}

double commitment_years(Commitment commitment) {
  return kCommitments[static_cast<std::size_t>(commitment)].years;
}

std::optional<Commitment> parse_commitment(std::string_view word) {
  return parse<Commitment>(kCommitments, word);
}

const std::vector<std::string>& commitment_words() {
  static const std::vector<std::string> words = words_of(kCommitments);
  return words;
}

}  // namespace trcost
