// SPDX-License-Identifier: Apache-2.0
#include "prices/market/class_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "prices/rows/regions.h"

namespace trcost::prices {

namespace {

constexpr int kDaysOfMonth = 31;  // so that the same day of the month three months before counts
constexpr std::array<int, 4> kWindows = {3, 6, 9, 12};  // months
constexpr int kYear = 366;                              // days
constexpr double kAgree = 1.5;  // prices more apart than this say nothing by their middle

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

std::string_view newest_of(const PriceRows& rows, bool guessed) {
  std::string_view newest;
  for (const PriceRow* row : rows) {
    if (row->guessed == guessed) newest = std::max(newest, std::string_view(row->date.first));
  }
  return newest;
}

// A price that nobody can look up is no evidence against those that have an address.
void drop_doubtful(PriceRows& rows) {
  std::vector<double> first_hand;
  for (const PriceRow* row : rows) {
    if (!row->secondary) first_hand.push_back(row->median);
  }
  if (first_hand.empty()) return;
  const double middle = median_price(std::move(first_hand));
  std::erase_if(rows, [&](const PriceRow* row) {
    return row->secondary && (row->median > kAgree * middle || row->median * kAgree < middle);
  });
}

PriceRows within(const Market& market, const PriceRows& all, std::string_view newest, int months,
                 bool secondary) {
  PriceRows rows;
  for (const PriceRow* row : all) {
    if (row->guessed || (row->secondary && !secondary)) continue;
    if (age_days(*row, market.newest) > kYear) continue;
    if (age_days(*row, newest) <= months * kDaysOfMonth) keep_best(rows, *row, market.region);
  }
  if (secondary) drop_doubtful(rows);
  return rows;
}

// The quarter before the newest offer where enough sellers have one in it, else a longer time.
Offers recent_offers(const Market& market, const PriceRows& all, std::string_view newest) {
  const std::size_t enough =
      newest_row_decides(market) || market.price_class == PriceClass::index ? 1 : kEnoughSellers;
  Offers out{{}, 0, Recency::recent, {}};
  for (const bool secondary : {false, true}) {
    for (const int months : kWindows) {
      if (out.rows.size() >= enough) break;
      out.rows = within(market, all, newest, months, secondary);
      out.months = months;
    }
  }
  out.newest = newest_of(out.rows, false);
  return out;
}

Offers old_offers(const Market& market, const PriceRows& all) {
  Offers out;
  for (const PriceRow* row : all) {
    if (age_days(*row, market.newest) <= 2 * kYear) keep_best(out.rows, *row, market.region);
  }
  out.recency = Recency::old;
  if (out.rows.empty()) {
    for (const PriceRow* row : all) keep_best(out.rows, *row, market.region);
    out.recency = Recency::past;
  }
  out.newest = std::max(newest_of(out.rows, false), newest_of(out.rows, true));
  return out;
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
  if (all.empty() && !market.publisher.empty()) {
    Market others = market;
    others.publisher = {};
    return offers_of(others, accelerator);
  }
  if (all.empty()) return {};
  const std::string_view newest = newest_of(all, false);
  const bool recent = !newest.empty() && days_between(newest, market.newest) <= kYear;
  return recent ? recent_offers(market, all, newest) : old_offers(market, all);
}

PriceQuote offered_price(const Market& market, std::string_view accelerator, Offers offers) {
  const std::size_t sellers = offers.rows.size();
  const std::string newest_text = (*std::ranges::max_element(offers.rows, {}, [](const auto* row) {
                                    return std::string_view(row->date.first);
                                  }))->date.text;
  const std::string when = offers.recent()
                               ? fmt::format("in the {} months to {}", offers.months, offers.newest)
                               : fmt::format("older than a year or of a guessed date");
  PriceQuote quote =
      quote_of(std::move(offers.rows),
               fmt::format("{} price{} of {} {} {}", commitment_name(market.commitment),
                           sellers == 1 ? "" : "s", sellers,
                           class_words(market.price_class, sellers == 1), when));
  quote.price_class = market.price_class;
  if (sellers == 1 && market.price_class != PriceClass::index) {
    quote.sigma = std::max(quote.sigma, kLoneSigma);
  }
  const int age = offers.newest.empty() ? 0 : days_between(offers.newest, market.as_of);
  quote.stale = !offers.recent() || age > kYear;
  constexpr int kOld = 90;  // days
  if (!offers.recent() || age > kOld) {
    quote.warning = fmt::format(
        "{} price of {}: the newest one of {} is of {}, more than 90 days before {}",
        commitment_name(market.commitment), accelerator, class_words(market.price_class, false),
        newest_text.empty() ? "an unknown date" : newest_text, market.as_of);
  }
  return quote;
}

bool is_market_price(const Market& market, const Offers& offers) {
  if (!offers.recent() || offers.rows.empty()) return false;
  if (newest_row_decides(market) || market.price_class == PriceClass::index) return true;
  constexpr std::size_t kMarket = 3;
  if (offers.rows.size() >= kMarket) return true;
  if (offers.rows.size() < 2) return false;
  const auto [low, high] = std::ranges::minmax_element(offers.rows, {}, &PriceRow::median);
  return (*high)->median <= kAgree * (*low)->median;
}

}  // namespace trcost::prices
