// SPDX-License-Identifier: Apache-2.0
#include "prices/market/seller_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "quantity/statistics.h"
#include "quantity/suggest.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

struct Level {
  std::vector<double> ratios;  // the seller's price over the class's, of other chips
  std::string list;            // `h100-sxm 1.54`
  [[nodiscard]] double factor() const { return ratios.empty() ? 1 : median(ratios); }
  // Two chips say more than an accident, and a fifth more than what prices scatter by.
  [[nodiscard]] bool out_of_line() const {
    constexpr double kInLine = 1.2;
    return ratios.size() >= 2 && (factor() > kInLine || factor() * kInLine < 1);
  }
};

Level level_of(const Market& market, const PriceRow& offer) {
  std::set<std::string_view> chips;
  for (const PriceRow& row : market.book.rows) {
    if (row.accelerator != offer.accelerator && same_folded(row.provider, offer.provider)) {
      chips.insert(row.accelerator);
    }
  }
  Level out;
  for (const std::string_view chip : chips) {
    const Offers offers = offers_of(market, chip);
    if (!is_market_price(market, offers)) continue;
    std::vector<double> asked;
    const PriceRow* own = nullptr;
    for (const PriceRow* row : offers.rows) {
      asked.push_back(row->median);
      if (same_folded(row->provider, offer.provider)) own = row;
    }
    if (own == nullptr) continue;
    out.ratios.push_back(own->median / median_price(std::move(asked)));
    out.list += fmt::format("{}{} {:.2f}", out.list.empty() ? "" : ", ", chip, out.ratios.back());
  }
  return out;
}

// Sellers that are brought to the level of their class.
struct Levelled {
  std::vector<double> ratios;  // of all of them
  std::string brief;  // `A asks $9.00, and 1.50 times the class's price over 2 other chips`
  std::string chips;  // `h100-sxm 1.54, ...`
  void add(const PriceRow& row, const Level& level) {
    ratios.insert(ratios.end(), level.ratios.begin(), level.ratios.end());
    brief += fmt::format("{}{} asks {}, and {:.2f} times the class's price over {} other chips",
                         brief.empty() ? "" : "; ", row.provider, format_price(row.median),
                         level.factor(), level.ratios.size());
    chips += (chips.empty() ? "" : "; ") + level.list;
  }
};

double to_cents(double usd) {
  constexpr double kCents = 100;
  return rounded_price(std::max(1.0, std::round(usd * kCents)) / kCents);
}

}  // namespace

PriceQuote few_offers_price(const Market& market, std::string_view accelerator, Offers offers) {
  PriceQuote out = offered_price(market, accelerator, std::move(offers));
  std::vector<double> prices;
  Levelled levelled;
  for (const PriceRow* row : out.rows) {
    const Level level = level_of(market, *row);
    const bool apart = level.out_of_line();
    prices.push_back(apart ? row->median / level.factor() : row->median);
    if (apart) levelled.add(*row, level);
  }
  if (levelled.ratios.empty()) return out;
  out.usd = to_cents(median(prices));
  out.middle_of = prices;
  out.imputed = true;
  out.sigma = std::min(kWidestSigma, in_quadrature(kQuoteSigma, log_deviation(levelled.ratios)));
  if (prices.size() > 1) out.sigma = std::clamp(log_deviation(prices), out.sigma, kWidestSigma);
  const std::string how = fmt::format("{} ({})", levelled.brief, levelled.chips);
  out.rule = fmt::format("imputed: brought to the level of the class: {}; {}", how, out.rule);
  out.source = fmt::format("at the level of the class: {}; {}", how, out.source);
  const std::string said = fmt::format(
      "{}: {}; so ~{} is assumed, as {} sellers ask: --provider {} or --price gives "
      "another",
      accelerator, levelled.brief, format_price(*out.usd), price_class_name(market.price_class),
      out.rows.front()->provider);
  out.warning = out.warning.empty() ? said : fmt::format("{}; {}", said, out.warning);
  return out;
}

}  // namespace trcost::prices
