// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

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

constexpr PriceClass kPriceClasses[] = {PriceClass::specialist, PriceClass::marketplace,
                                        PriceClass::hyperscaler, PriceClass::index};

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

// A class of prices has the word of the providers that name it.
std::string_view price_class_name(PriceClass price_class) {
  switch (price_class) {
    case PriceClass::specialist:
      return provider_class_name(ProviderClass::specialist);
    case PriceClass::marketplace:
      return provider_class_name(ProviderClass::marketplace);
    case PriceClass::hyperscaler:
      return provider_class_name(ProviderClass::hyperscaler);
    case PriceClass::index:
      break;
  }
  return provider_class_name(ProviderClass::index);
}

std::optional<PriceClass> parse_price_class(std::string_view word) {
  const auto* found = std::ranges::find(kPriceClasses, word, price_class_name);
  return found != std::end(kPriceClasses) ? std::optional(*found) : std::nullopt;
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
