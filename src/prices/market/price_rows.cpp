// SPDX-License-Identifier: Apache-2.0
#include "prices/market/price_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "prices/rows/regions.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/statistics.h"
#include "quantity/suggest.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

// The spread among rows; of a single one that which it states itself, at least that of a quote.
double spread_of(const PriceRows& rows) {
  if (rows.size() == 1) {
    const PriceRow& row = *rows.front();
    const double own = portable_log(row.high / row.low) / (2 * kNormalP90);
    return std::clamp(own, kQuoteSigma, kWidestSigma);
  }
  std::vector<double> prices;
  for (const PriceRow* row : rows) prices.push_back(row->median);
  return std::clamp(log_deviation(prices), kListSigma, kWidestSigma);
}

// How well one publisher's indices cover the chips.
struct Coverage {
  std::set<std::string_view> chips;
  std::string_view newest;
};

}  // namespace

std::string_view newest_day(const PriceBook& book, std::string_view as_of) {
  std::string_view newest;
  for (const PriceRow& row : book.rows) {
    if (row.date.first <= as_of) newest = std::max(newest, std::string_view(row.date.first));
  }
  return newest.empty() ? as_of : newest;
}

Market market_of(Market market, PriceClass price_class, Commitment commitment) {
  market.price_class = price_class;
  market.commitment = commitment;
  market.publisher = {};
  if (price_class != PriceClass::index) return market;
  std::map<std::string_view, Coverage> publishers;
  for (const PriceRow& row : market.book.rows) {
    if (price_class_of(row.provider_class) != price_class || row.commitment != commitment ||
        !row.verified || row.date.first > market.as_of) {
      continue;
    }
    Coverage& coverage = publishers[row.provider];
    coverage.newest = std::max(coverage.newest, std::string_view(row.date.first));
    constexpr int kYear = 366;
    if (!row.guessed && age_days(row, market.newest) <= kYear) {
      coverage.chips.insert(row.accelerator);
    }
  }
  const auto best = std::ranges::max_element(publishers, {}, [](const auto& each) {
    return std::pair(each.second.chips.size(), each.second.newest);
  });
  if (best != publishers.end()) market.publisher = best->first;
  return market;
}

std::string format_price(double usd) {
  std::string text = format_exact(rounded_price(usd));
  if (text.find('e') != std::string::npos) return "$" + text;
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return "$" + text + ".00";
  return "$" + text + (text.size() - point == 2 ? "0" : "");
}

double rounded_price(double usd) {
  return std::round(usd * 1e6) / 1e6;
}

double median_price(std::vector<double> prices) {
  return rounded_price(median(std::move(prices)));
}

int age_days(const PriceRow& row, std::string_view as_of) {
  constexpr int kVeryOld = 1 << 20;
  return row.date.first.empty() ? kVeryOld : days_between(row.date.first, as_of);
}

bool stands_better(const PriceRow& a, const PriceRow& b, const PriceRegion& region) {
  const bool a_exact = region_fit(a.region, region.name, region.regions) == RegionFit::exact;
  const bool b_exact = region_fit(b.region, region.name, region.regions) == RegionFit::exact;
  if (a_exact != b_exact) return a_exact;
  if (a.guessed != b.guessed) {
    const PriceRow& guess = a.guessed ? a : b;
    const PriceRow& known = a.guessed ? b : a;
    const bool later = guess.date.first > known.date.last && !known.date.last.empty();
    return later == a.guessed;
  }
  if (a.secondary != b.secondary && !a.date.first.empty() && !b.date.first.empty()) {
    constexpr int kYear = 366;
    if (std::abs(days_between(a.date.first, b.date.first)) <= kYear) return b.secondary;
  }
  if (a.date.first != b.date.first) return a.date.first > b.date.first;
  return a.median < b.median;
}

void keep_best(PriceRows& rows, const PriceRow& row, const PriceRegion& region) {
  if (region_fit(row.region, region.name, region.regions) == RegionFit::none) return;
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const PriceRow* other) {
    return same_folded(other->provider, row.provider);
  });
  if (same == rows.end()) {
    rows.push_back(&row);
  } else if (stands_better(row, **same, region)) {
    *same = &row;
  }
}

PriceQuote quote_of(PriceRows rows, std::string_view rule) {
  std::sort(rows.begin(), rows.end(), [](const PriceRow* a, const PriceRow* b) {
    return a->median != b->median ? a->median < b->median : a->provider < b->provider;
  });
  PriceQuote quote;
  std::vector<double> medians;
  std::string list;
  for (const PriceRow* row : rows) {
    medians.push_back(row->median);
    list += (list.empty() ? "" : ", ") + describe_row(*row);
  }
  quote.usd = median_price(medians);
  quote.middle_of = std::move(medians);
  quote.sigma = spread_of(rows);
  quote.date = dates_of(rows);
  quote.rule = rule;
  quote.price_class = price_class_of(rows.front()->provider_class);
  quote.provider = names_of(rows);
  quote.source = rows.size() == 1 ? fmt::format("{}: {}", rule, list)
                                  : fmt::format("median of {}: {}", rule, list);
  quote.rows = std::move(rows);
  return quote;
}

std::string dates_of(const PriceRows& rows) {
  const auto [oldest, newest] = std::minmax_element(
      rows.begin(), rows.end(),
      [](const auto* a, const auto* b) { return a->date.first < b->date.first; });
  const std::string& from = (*oldest)->date.text;
  const std::string& to = (*newest)->date.text;
  return from.empty() || from == to ? to : fmt::format("{} to {}", from, to);
}

std::string names_of(const PriceRows& rows) {
  std::string names;
  for (const PriceRow* row : rows) names += (names.empty() ? "" : ", ") + row->provider;
  return names;
}

std::string describe_row(const PriceRow& row) {
  return fmt::format("{}{}{} {} ({})", row.provider, row.product.empty() ? "" : " ", row.product,
                     format_price(row.median), row.date.text.empty() ? "undated" : row.date.text);
}

}  // namespace trcost::prices
