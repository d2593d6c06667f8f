// SPDX-License-Identifier: Apache-2.0
#include "trcost/bill.h"
#include "quantity/layers.h"

#include <fmt/format.h>

#include <algorithm>

namespace trcost {

namespace {

constexpr std::string_view kCovered = ", covered by the rental price";
constexpr std::string_view kOfRound = ": ";

}  // namespace

std::string_view unit_name(Unit unit) {
  constexpr std::array<std::string_view, 4> kNames = {"GPU-hour", "kWh", "GB-month", "GB"};
  return kNames[static_cast<std::size_t>(unit)];
}

std::string item_name(const LineItem& item) {
  const bool in_the_rent = item.part == Part::energy && !item.included;
  return fmt::format("{}{}{}{}", item.round, item.round.empty() ? "" : kOfRound,
                     kPartWords[static_cast<std::size_t>(item.part)].name,
                     in_the_rent ? kCovered : "");
}

ItemKey parse_item_name(std::string_view item_name) {
  std::string_view text = item_name;
  constexpr std::string_view kCoveredBefore = ", in the rent";  // results of 0.2
  for (const std::string_view suffix : {kCovered, kCoveredBefore}) {
    if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  }
  for (const PartWords& part : kPartWords) {
    if (text == part.name) return {std::string(part.key), {}};
    const std::size_t behind = part.name.size() + kOfRound.size();
    if (text.size() <= behind || !text.ends_with(part.name)) continue;
    const std::string_view round = text.substr(0, text.size() - behind);
    if (text.substr(round.size(), kOfRound.size()) != kOfRound) continue;
    return {std::string(part.key), std::string(round)};
  }
  return {std::string(text), {}};
}

void Dollars::add(const Term& term) {
  const auto alike = std::ranges::find(terms_, term.moves, &Term::moves);
  if (alike == terms_.end()) {
    terms_.push_back(term);
  } else {
    alike->usd += term.usd;
  }
}

double Dollars::total() const {
  double sum = 0;
  for (const Term& term : terms_) sum += term.usd;
  return sum;
}

Exponents Dollars::elasticities() const {
  const double all = total();
  Exponents out;
  if (all <= 0) return out;
  for (std::size_t i = 0; i < kDriverCount; ++i) {
    const auto driver = static_cast<Driver>(i);
    double sum = 0;
    for (const Term& term : terms_) sum += term.usd * term.moves[driver];
    out = out.with(driver, sum / all);
  }
  return out;
}

void Dollars::scale(double factor) {
  for (Term& term : terms_) term.usd *= factor;
}

PriceEvidence price_evidence(const CostResult& cost) {
  if (cost.own) return PriceEvidence::quotes;
  return price_evidence(cost.doubts, cost.provider);
}

PriceEvidence price_evidence(const PriceDoubts& doubts, std::string_view sellers) {
  if (doubts.imputed) return PriceEvidence::estimated;
  if (doubts.stale) return PriceEvidence::old;
  if (sellers.empty()) return PriceEvidence::quotes;
  const bool several = sellers.find(',') != std::string_view::npos;
  return several && !doubts.other_class ? PriceEvidence::quotes : PriceEvidence::one_quote;
}

}  // namespace trcost
