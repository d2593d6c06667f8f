// SPDX-License-Identifier: Apache-2.0
#include "cost/class_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trcost/regions.h"

namespace trcost {
namespace {

constexpr int kDaysOfMonth = 31;  // so that the same day of the month three months before counts
constexpr std::array<int, 4> kWindows = {3, 6, 9, 12};  // months

PriceRows candidates(const Market& market, std::string_view accelerator) {
  PriceRows rows;
  for (const PriceRow& row : market.book.rows) {
    if (row.accelerator != accelerator || row.commitment != market.commitment || !row.verified ||
        price_class_of(row.provider_class) != market.price_class) {
      continue;
    }
    if (!market.publisher.empty() && row.provider != market.publisher) continue;
    if (row.date.first > market.as_of) continue;
    if (row.date.first.empty() && market.as_of < market.book.date) continue;
    if (region_fit(row.region, market.region.name, market.region.regions) == RegionFit::none) {
      continue;
    }
    rows.push_back(&row);
  }
  return rows;
}

PriceRows within(const Market& market, const PriceRows& all, int months, bool secondary) {
  PriceRows rows;
  for (const PriceRow* row : all) {
    if (row->guessed || (row->secondary && !secondary)) continue;
    if (age_days(*row, market.as_of) <= months * kDaysOfMonth) keep_best(rows, *row, market.region);
  }
  return rows;
}

std::string_view class_words(PriceClass price_class, bool one) {
  switch (price_class) {
    case PriceClass::specialist:
      return one ? "specialist" : "specialists";
    case PriceClass::marketplace:
      return one ? "marketplace" : "marketplaces";
    case PriceClass::hyperscaler:
      return one ? "hyperscaler" : "hyperscalers";
    case PriceClass::index:
      return one ? "index" : "indices";
  }
  return "";
}

}  // namespace

bool newest_row_decides(const Market& market) {
  return market.commitment == Commitment::spot || market.commitment == Commitment::block;
}

Offers offers_of(const Market& market, std::string_view accelerator) {
  const PriceRows all = candidates(market, accelerator);
  const std::size_t enough =
      newest_row_decides(market) || market.price_class == PriceClass::index ? 1 : kEnoughSellers;
  for (const bool secondary : {false, true}) {
    for (const int months : kWindows) {
      PriceRows rows = within(market, all, months, secondary);
      if (rows.size() >= enough) return {std::move(rows), months};
    }
  }
  PriceRows rows = within(market, all, kWindows.back(), true);
  if (!rows.empty()) return {std::move(rows), kWindows.back()};
  for (const PriceRow* row : all) keep_best(rows, *row, market.region);
  return {std::move(rows), 0};
}

PriceQuote offered_price(const Market& market, std::string_view accelerator, Offers offers) {
  const std::size_t sellers = offers.rows.size();
  const std::string when = offers.months > 0
                               ? fmt::format("in the {} months to {}", offers.months, market.as_of)
                               : fmt::format("older than a year or of a guessed date");
  const int newest = age_days(
      **std::ranges::min_element(offers.rows, {},
                                 [&](const PriceRow* row) { return age_days(*row, market.as_of); }),
      market.as_of);
  PriceQuote quote =
      quote_of(std::move(offers.rows),
               fmt::format("{} price{} of {} {} {}", commitment_name(market.commitment),
                           sellers == 1 ? "" : "s", sellers,
                           class_words(market.price_class, sellers == 1), when));
  quote.price_class = market.price_class;
  quote.stale = offers.months == 0;
  constexpr int kOld = 90;  // days
  if (offers.months == 0 || newest > kOld) {
    quote.warning = fmt::format(
        "{} price of {}: the newest one of {} is of {}, more than 90 days before {}",
        commitment_name(market.commitment), accelerator, class_words(market.price_class, false),
        quote.date.empty() ? "an unknown date" : quote.date, market.as_of);
  }
  return quote;
}

bool is_market_price(const Market& market, const Offers& offers) {
  if (offers.rows.empty()) return false;
  if (newest_row_decides(market) || market.price_class == PriceClass::index) return true;
  constexpr std::size_t kMarket = 3;
  constexpr double kAgree = 1.5;  // two that ask more apart than this say nothing by their middle
  if (offers.rows.size() >= kMarket) return true;
  if (offers.rows.size() < 2) return false;
  const auto [low, high] = std::ranges::minmax_element(offers.rows, {}, &PriceRow::median);
  return (*high)->median <= kAgree * (*low)->median;
}

}  // namespace trcost
