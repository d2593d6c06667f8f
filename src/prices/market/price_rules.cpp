// SPDX-License-Identifier: Apache-2.0
#include "prices/market/price_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
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

constexpr int kYearDays = 366;
constexpr int kFreshDays = 90;             // older prices carry a warning
constexpr std::size_t kEnoughSellers = 4;  // with four the median does not hang on one of them
constexpr double kAgreement = 1.5;         // the middle of prices farther apart says nothing

// Days from the row's first possible day to `day`, very many for an undated row.
int age_in_days(const PriceRow& row, std::string_view day) {
  constexpr int kUndated = 1 << 20;
  return row.date.first.empty() ? kUndated : days_between(row.date.first, day);
}

bool is_exact_region(const PriceRow& row, const PriceRegion& region) {
  return region_fit(row.region, region.name, region.regions) == RegionFit::exact;
}

bool is_same_seller(std::string_view a, std::string_view b) {
  return a == b || same_folded(a, b);
}

// A price without an address is no evidence against those that have one. One seller with an address
// may itself be the outlier.
void drop_secondary_outliers(PriceRows& rows) {
  std::vector<double> first_hand;
  for (const PriceRow* row : rows) {
    if (!row->secondary) first_hand.push_back(row->median);
  }
  constexpr std::size_t kWitnesses = 2;
  if (first_hand.size() < kWitnesses) return;
  const double middle = median_price(std::move(first_hand));
  std::erase_if(rows, [&](const PriceRow* row) {
    return row->secondary &&
           (row->median > kAgreement * middle || row->median * kAgreement < middle);
  });
}

// The multiple of `step` nearest to the value, at least one. Imputed prices are rounded to a cent.
double rounded_to(double value, double step) {
  return rounded_price(std::max(step, std::round(value / step) * step));
}

}  // namespace

std::string plural_class_name(PriceClass price_class) {
  if (price_class == PriceClass::index) return "indices";
  return fmt::format("{}s", price_class_name(price_class));
}

bool is_known_by(const PriceRow& row, std::string_view as_of, const PriceBook& book) {
  return row.date.first.empty() ? as_of >= book.date : row.date.first <= as_of;
}

bool is_preferred(const PriceRow& a, const PriceRow& b, const PriceRegion& region) {
  const bool exact = is_exact_region(a, region);
  if (exact != is_exact_region(b, region)) return exact;
  if (a.guessed != b.guessed) {
    const PriceRow& guess = a.guessed ? a : b;
    const PriceRow& known = a.guessed ? b : a;
    const bool later = guess.date.first > known.date.last && !known.date.last.empty();
    return later == a.guessed;
  }
  const bool dated = !a.date.first.empty() && !b.date.first.empty();
  if (a.secondary != b.secondary && dated &&
      std::abs(days_between(a.date.first, b.date.first)) <= kYearDays) {
    return b.secondary;
  }
  if (a.date.first != b.date.first) return a.date.first > b.date.first;
  return a.median < b.median;
}

void keep_preferred(PriceRows& rows, const PriceRow& row, const PriceRegion& region) {
  const auto same = std::ranges::find_if(
      rows, [&](const PriceRow* other) { return is_same_seller(other->provider, row.provider); });
  if (same == rows.end()) {
    rows.push_back(&row);
  } else if (is_preferred(row, **same, region)) {
    *same = &row;
  }
}

Offers select_offers(const PriceRows& rows, const Market& market) {
  Offers out;
  if (rows.empty()) return out;
  struct AgedRow {
    const PriceRow* row;
    int days;  // before the market's newest row
  };
  std::vector<AgedRow> aged;  // of a known date
  int newest = std::numeric_limits<int>::max();
  for (const PriceRow* row : rows) {
    if (row->guessed) continue;
    aged.push_back({row, age_in_days(*row, market.newest)});
    newest = std::min(newest, aged.back().days);
  }
  if (newest <= kYearDays) {
    out.recency = Recency::recent;
    const bool one_is_enough =
        market.newest_row_decides() || market.price_class == PriceClass::index;
    const std::size_t enough = one_is_enough ? 1 : kEnoughSellers;
    for (const bool secondary : {false, true}) {
      // Spot prices differ between sellers by more than a quote at second hand errs, so that one
      // seller at first hand does not speak for the class.
      if (!secondary && market.commitment == Commitment::spot) continue;
      for (const int months : {3, 6, 9, 12}) {
        constexpr int kMonthDays = 31;  // so that the same day three months before counts
        if (out.rows.size() >= enough) break;
        out.months = months;
        out.rows.clear();
        for (const auto& [row, days] : aged) {
          if (days > kYearDays || days - newest > months * kMonthDays) continue;
          if (secondary || !row->secondary) keep_preferred(out.rows, *row, market.region);
        }
        if (secondary) drop_secondary_outliers(out.rows);
      }
    }
  } else {
    out.recency = Recency::old;
    for (const PriceRow* row : rows) {
      if (age_in_days(*row, market.newest) > 2 * kYearDays) continue;
      keep_preferred(out.rows, *row, market.region);
    }
    if (out.rows.empty()) {
      out.recency = Recency::past;
      for (const PriceRow* row : rows) keep_preferred(out.rows, *row, market.region);
    }
  }
  for (const PriceRow* row : out.rows) {
    out.newest = std::max(out.newest, std::string_view(row->date.first));
  }
  return out;
}

bool is_market_price(const Offers& offers, const Market& market) {
  if (!offers.recent() || offers.rows.empty()) return false;
  if (market.newest_row_decides() || market.price_class == PriceClass::index) return true;
  constexpr std::size_t kMarketSellers = 3;
  if (offers.rows.size() != 2) return offers.rows.size() >= kMarketSellers;
  const auto [low, high] = std::ranges::minmax(offers.rows, {}, &PriceRow::median);
  return high->median <= kAgreement * low->median;
}

PriceQuote quote_offers(Offers offers, const Market& market, std::string_view chip) {
  const std::size_t sellers = offers.rows.size();
  const std::string newest_text = (*std::ranges::max_element(offers.rows, {}, [](const auto* row) {
                                    return std::string_view(row->date.first);
                                  }))->date.text;
  const std::string when = offers.recent()
                               ? fmt::format("in the {} months to {}", offers.months, offers.newest)
                               : "older than a year or of a guessed date";
  const std::string plural = plural_class_name(market.price_class);
  PriceQuote quote =
      quote_rows(std::move(offers.rows),
                 fmt::format("{} price{} of {} {} {}", commitment_name(market.commitment),
                             sellers == 1 ? "" : "s", sellers,
                             sellers == 1 ? price_class_name(market.price_class) : plural, when));
  if (sellers == 1 && market.price_class != PriceClass::index) {
    quote.sigma = std::max(quote.sigma, kLoneSigma);
  }
  const int age = offers.newest.empty() ? 0 : days_between(offers.newest, market.as_of);
  // Hyperscalers change their lists seldom.
  const int fresh_days = market.price_class == PriceClass::hyperscaler ? kYearDays : kFreshDays;
  quote.stale = !offers.recent() || age > fresh_days;
  if (!offers.recent()) {
    quote.warning = sellers == 1
                        ? fmt::format("the {} price of {} is old: its only quote is of {}",
                                      commitment_name(market.commitment), chip,
                                      quote.date.empty() ? "an unknown date" : quote.date)
                        : fmt::format("the {} price of {} is old: the quotes of {} are {}",
                                      commitment_name(market.commitment), chip, plural, when);
  } else if (age > fresh_days) {
    quote.warning = fmt::format(
        "the {} price of {} is old: the newest quote of {} is of {}, more than 90 days "
        "before {}",
        commitment_name(market.commitment), chip, plural,
        newest_text.empty() ? "an unknown date" : newest_text, market.as_of);
  }
  return quote;
}

double ChipLevel::usd() const {
  std::vector<double> prices;
  for (const PriceRow* row : offers.rows) prices.push_back(row->median);
  return median_price(std::move(prices));
}

namespace {

// A seller's prices of other chips relative to those of its class.
struct SellerLevel {
  std::vector<double> ratios;
  std::string list;   // `h100-sxm 1.54, h200 1.40`
  double factor = 1;  // median ratio
};

SellerLevel seller_level(std::string_view seller, const ClassLevels& levels,
                         std::string_view chip) {
  SellerLevel out;
  for (const ChipLevel& level : levels) {
    if (level.chip == chip) continue;
    for (const PriceRow* row : level.offers.rows) {
      if (!is_same_seller(row->provider, seller)) continue;
      out.ratios.push_back(row->median / level.usd());
      append_item(out.list, fmt::format("{} {:.2f}", level.chip, out.ratios.back()));
    }
  }
  if (!out.ratios.empty()) out.factor = median(out.ratios);
  return out;
}

}  // namespace

PriceQuote adjust_to_class_level(PriceQuote quote, const ClassLevels& levels,
                                 std::string_view chip) {
  // Two chips say more than an accident, and a fifth more than what prices scatter by.
  constexpr std::size_t kLeastChips = 2;
  constexpr double kInLine = 1.2;
  std::vector<double> prices, ratios;
  std::string brief, chips;
  for (const PriceRow* row : quote.rows) {
    const SellerLevel level = seller_level(row->provider, levels, chip);
    prices.push_back(row->median);
    const bool in_line = level.factor <= kInLine && level.factor * kInLine >= 1;
    if (level.ratios.size() < kLeastChips || in_line) continue;
    prices.back() /= level.factor;
    ratios.insert(ratios.end(), level.ratios.begin(), level.ratios.end());
    append_item(
        brief,
        fmt::format("{} quotes {} and charges {:.2f}x its peers on {} other chips", row->provider,
                    format_price(row->median), level.factor, level.ratios.size()),
        ", and ");
    append_item(chips, level.list);
  }
  if (ratios.empty()) return quote;
  quote.usd = rounded_to(median(prices), 0.01);
  quote.imputed = true;
  quote.sigma = std::min(kWidestSigma, in_quadrature(kQuoteSigma, log_deviation(ratios)));
  if (prices.size() > 1) {
    quote.sigma = std::clamp(log_deviation(prices), quote.sigma, kWidestSigma);
  }
  quote.prices = std::move(prices);
  quote.rule = fmt::format("imputed: brought to the level of the class: {} ({}), from {}", brief,
                           chips, quote.rule);
  quote.source =
      fmt::format("at the level of the class: {} ({}), from {}", brief, chips, quote.source);
  const std::string age_warning = std::exchange(
      quote.warning,
      fmt::format("{} price estimated at {}: {}. Override with --price, or with --provider {}",
                  chip, unit_money(*quote.usd), brief, quote.rows.front()->provider));
  if (!age_warning.empty()) append_item(quote.warning, age_warning, ". ");
  return quote;
}

namespace {

// Rows that may show the ratio of two chips.
struct EvidenceFilter {
  bool own_class;
  bool secondary;
};

// Commitments under which a seller's own prices of two chips compare, the best first. Spot prices
// and blocks show what is idle.
constexpr std::array kComparable = {Commitment::on_demand, Commitment::reserved_3y,
                                    Commitment::reserved_1y};

// Sort key of pairs of one seller: the better commitment, then the later of the older dates.
bool is_better_pair(const PricePair& a, const PricePair& b) {
  const auto rank = [](const PricePair& pair) {
    return std::ranges::find(kComparable, pair.chip->commitment) - kComparable.begin();
  };
  const auto older_day = [](const PricePair& pair) {
    return std::min(std::string_view(pair.chip->date.first),
                    std::string_view(pair.sibling->date.first));
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (older_day(a) != older_day(b)) return older_day(a) > older_day(b);
  return a.ratio() < b.ratio();
}

// The best pair of each seller of both chips.
std::vector<PricePair> pair_by_seller(const PriceRows& own_rows, const PriceRows& others,
                                      std::string_view sibling_chip) {
  constexpr int kSameTimeDays = 184;
  std::vector<PricePair> pairs;
  for (const PriceRow* sibling : others) {
    if (sibling->accelerator != sibling_chip) continue;
    for (const PriceRow* own : own_rows) {
      if (own->commitment != sibling->commitment) continue;
      if (!is_same_seller(own->provider, sibling->provider)) continue;
      if (std::abs(days_between(own->date.first, sibling->date.first)) > kSameTimeDays) continue;
      const PricePair pair{own, sibling};
      const auto known = std::ranges::find_if(pairs, [&](const PricePair& each) {
        return is_same_seller(each.chip->provider, own->provider);
      });
      if (known == pairs.end()) {
        pairs.push_back(pair);
      } else if (is_better_pair(pair, *known)) {
        *known = pair;
      }
    }
  }
  return pairs;
}

// Whether the candidate says more than the best sibling so far.
bool is_nearer(const Sibling& candidate, const Sibling& best, const Market& market) {
  const auto quarters_old = [&](const Sibling& sibling) {
    constexpr int kQuarterDays = 93;
    return days_between(sibling.level->offers.newest, market.newest) / kQuarterDays;
  };
  const int age = quarters_old(candidate), best_age = quarters_old(best);
  if (market.newest_row_decides() && age != best_age) return age < best_age;
  if (candidate.pairs.size() != best.pairs.size()) {
    return candidate.pairs.size() > best.pairs.size();
  }
  return std::fabs(portable_log(candidate.factor)) < std::fabs(portable_log(best.factor));
}

}  // namespace

std::optional<Sibling> find_sibling(const PriceRows& rows, const ClassLevels& levels,
                                    const Market& market, std::string_view chip) {
  std::optional<Sibling> best;
  for (const EvidenceFilter& filter :
       {EvidenceFilter{true, false}, EvidenceFilter{false, false}, EvidenceFilter{false, true}}) {
    // An index sees the whole market. A class of sellers knows a rare chip by few rows of its own.
    if (best || (filter.own_class && market.price_class != PriceClass::index)) continue;
    PriceRows own, others;
    for (const PriceRow* row : rows) {
      if (!row->verified || row->guessed || (row->secondary && !filter.secondary)) continue;
      if (filter.own_class && price_class_of(row->provider_class) != market.price_class) continue;
      if (std::ranges::find(kComparable, row->commitment) == kComparable.end()) continue;
      (row->accelerator == chip ? own : others).push_back(row);
    }
    for (const ChipLevel& level : levels) {
      Sibling candidate{&level, pair_by_seller(own, others, level.chip), {}, 1};
      if (candidate.pairs.empty()) continue;
      for (const PricePair& pair : candidate.pairs) candidate.ratios.push_back(pair.ratio());
      candidate.factor = median(candidate.ratios);
      if (!best || is_nearer(candidate, *best, market)) best = std::move(candidate);
    }
  }
  return best;
}

namespace {

// Another price times the median ratio, rounded to three digits.
PriceQuote scale_price(const PriceQuote& theirs, const std::vector<double>& ratios,
                       const Market& market) {
  PriceQuote out;
  out.imputed = true;
  out.price_class = market.price_class;
  out.factor = rounded_to(median(ratios), 0.001);
  out.usd = rounded_to(*theirs.usd * *out.factor, 0.01);
  out.sigma = std::min(kWidestSigma,
                       in_quadrature(theirs.sigma, std::max(kImputedSigma, log_deviation(ratios))));
  out.prices = {*theirs.usd};
  out.rows = theirs.rows;
  out.date = theirs.date;
  out.stale = theirs.stale;
  return out;
}

}  // namespace

PriceQuote scale_by_sibling(const PriceQuote& theirs, const Sibling& sibling, const Market& market,
                            std::string_view chip, std::string_view hint) {
  const std::string_view name = sibling.level->chip;
  PriceQuote out = scale_price(theirs, sibling.ratios, market);
  std::string list, sellers;
  for (const PricePair& pair : sibling.pairs) {
    append_item(list, fmt::format("{} / {} {}", describe_row(*pair.chip), name,
                                  format_price(pair.sibling->median)));
    append_item(sellers, pair.chip->provider);
    out.rows.insert(out.rows.end(), {pair.chip, pair.sibling});
  }
  out.date = date_range(out.rows);
  const std::string price = format_price(*theirs.usd), factor = format_exact(*out.factor);
  out.rule = fmt::format("imputed: {} of {} x {}, the ratio of the two at {}, from {}", price, name,
                         factor, sellers, theirs.rule);
  out.source = fmt::format("{} x {}: {}; {}: {}", price, factor, list, name, theirs.source);
  out.warning = fmt::format(
      "{} price estimated at {}: no {} quote of {}s, so {} price x {}, the ratio at {}. {}", chip,
      unit_money(*out.usd), commitment_name(market.commitment),
      price_class_name(market.price_class), name, factor, sellers, hint);
  if (!theirs.warning.empty()) append_item(out.warning, theirs.warning, ". ");
  return out;
}

std::vector<double> class_ratios(const ClassLevels& here, const ClassLevels& there) {
  std::vector<double> ratios;
  for (const ChipLevel& level : here) {
    const auto other = std::ranges::find(there, level.chip, &ChipLevel::chip);
    if (other != there.end()) ratios.push_back(level.usd() / other->usd());
  }
  return ratios;
}

PriceQuote scale_by_class(const PriceQuote& theirs, const std::vector<double>& ratios,
                          const Market& market, std::string_view chip, std::string_view hint) {
  PriceQuote out = scale_price(theirs, ratios, market);
  const std::string price = format_price(*theirs.usd), factor = format_exact(*out.factor);
  const std::string_view here = price_class_name(market.price_class);
  const std::string_view there = price_class_name(theirs.price_class.value());
  out.rule = fmt::format("imputed: {} of class {} x {}, what {} asks of it over {} chips, from {}",
                         price, there, factor, here, ratios.size(), theirs.rule);
  out.source = fmt::format("{} x {}: ratio of the classes over {} chips; {}", price, factor,
                           ratios.size(), theirs.source);
  out.warning = fmt::format(
      "{} price estimated at {}: no {} quote of {}s, so {} of {}s x {}, the ratio of the classes "
      "on "
      "{} chips. {}",
      chip, unit_money(*out.usd), commitment_name(market.commitment), here, price, there, factor,
      ratios.size(), hint);
  if (!theirs.warning.empty()) append_item(out.warning, theirs.warning, ". ");
  return out;
}

std::optional<TermShare> term_share(const PriceRows& rows,
                                    const std::vector<DiscountRow>& discounts,
                                    const Market& market) {
  std::map<std::string_view, std::vector<double>> sellers;
  for (const PriceRow* row : rows) {
    if (row->commitment != market.commitment || !row->verified || row->guessed ||
        price_class_of(row->provider_class) != market.price_class) {
      continue;
    }
    // The nearest product on demand that is not cheaper, since a term takes off.
    double on_demand = 0;
    for (const PriceRow* own : rows) {
      if (own->commitment != Commitment::on_demand || own->accelerator != row->accelerator ||
          own->date.text != row->date.text || own->provider != row->provider || !own->verified ||
          own->median < row->median) {
        continue;
      }
      if (on_demand == 0 || own->median < on_demand) on_demand = own->median;
    }
    if (on_demand > 0) sellers[row->provider].push_back(row->median / on_demand);
  }
  for (const DiscountRow& row : discounts) {
    if (row.commitment != market.commitment || row.date.first > market.as_of ||
        price_class_of(row.provider_class) != market.price_class) {
      continue;
    }
    sellers.try_emplace(row.provider, 1, row.share);
  }
  if (sellers.empty()) return std::nullopt;
  TermShare out;
  for (const auto& [name, shares] : sellers) {
    out.seller_shares.push_back(median(shares));
    append_item(out.list, fmt::format("{} {:.3g}%", name, 100 * out.seller_shares.back()));
  }
  constexpr double kDigits = 1000;
  out.share = std::min(1.0, std::round(median(out.seller_shares) * kDigits) / kDigits);
  return out;
}

PriceQuote discount_price(const PriceQuote& on_demand, const TermShare& share, const Market& market,
                          std::string_view chip) {
  PriceQuote out = on_demand;
  out.imputed = true;
  out.prices = {*on_demand.usd};
  out.factor = share.share;
  out.usd = rounded_price(*on_demand.usd * share.share);
  out.sigma = std::clamp(
      in_quadrature(on_demand.sigma, std::max(kListSigma, log_deviation(share.seller_shares))),
      kImputedSigma, kWidestSigma);
  const std::string_view term = commitment_name(market.commitment);
  out.rule = fmt::format(
      "imputed: {} at {:.3g}% of on-demand, the share that sellers of the class ask ({}), from {}",
      term, 100 * share.share, share.list, on_demand.rule);
  out.source = fmt::format("{} x {}: {} as a share of on-demand: {}; on-demand: {}",
                           format_exact(share.share), format_price(*on_demand.usd), term,
                           share.list, on_demand.source);
  out.warning = fmt::format(
      "{} price estimated at {}: no {} quote of {}s, so {:.3g}% of on-demand, their usual share "
      "for "
      "the term ({}). Override with --price",
      chip, unit_money(*out.usd), term, price_class_name(market.price_class), 100 * share.share,
      share.list);
  if (!on_demand.warning.empty()) append_item(out.warning, on_demand.warning, ". ");
  return out;
}

namespace {

// Puts another price of the chip in place of this one, with the reason in every text.
void replace_price(PriceQuote& quote, const PriceQuote& other, std::string_view reason) {
  const std::string words = fmt::format(". {} stands: {}", format_price(*other.usd), reason);
  quote.usd = other.usd;
  quote.rule += words;
  quote.source += words;
  if (quote.warning.empty() && other.imputed) quote.warning = other.warning;
  if (!quote.warning.empty()) quote.warning += words;
  quote.imputed = quote.imputed || other.imputed;
}

}  // namespace

void cap_price(PriceQuote& quote, const PriceQuote& limit, std::string_view name) {
  if (*quote.usd > *limit.usd) replace_price(quote, limit, fmt::format("no more than {}", name));
}

void order_terms(std::optional<PriceQuote>& one_year, std::optional<PriceQuote>& three_years) {
  if (!one_year || !three_years || *one_year->usd >= *three_years->usd) return;
  if (one_year->imputed && !three_years->imputed) {
    replace_price(*one_year, *three_years, "no less than for three years");
  } else {
    cap_price(*three_years, *one_year, "for one year");
  }
}

void cap_spot(PriceQuote& spot, const PriceQuote& on_demand, std::string_view chip) {
  if (*spot.usd <= *on_demand.usd) return;
  spot.warning = fmt::format("spot of {}, {}, is dearer than on-demand, which stands in for it: {}",
                             chip, unit_money(*spot.usd), on_demand.rule);
  cap_price(spot, on_demand, "on-demand");
}

PriceQuote choose_old_or_sibling(PriceQuote own, Recency recency, PriceQuote by_sibling) {
  const double difference = std::fabs(portable_log(*own.usd / *by_sibling.usd));
  if (recency == Recency::old && difference <= kNormalP90 * kWidestSigma) return own;
  by_sibling.rule += fmt::format(". Too old: {}", own.source);
  return by_sibling;
}

std::string_view main_publisher(const PriceRows& rows, const Market& market) {
  struct Coverage {
    std::set<std::string_view> chips;
    std::string_view newest;
  };
  std::map<std::string_view, Coverage> publishers;
  for (const PriceRow* row : rows) {
    if (price_class_of(row->provider_class) != market.price_class ||
        row->commitment != market.commitment || !row->verified) {
      continue;
    }
    Coverage& coverage = publishers[row->provider];
    coverage.newest = std::max(coverage.newest, std::string_view(row->date.first));
    if (!row->guessed && age_in_days(*row, market.newest) <= kYearDays) {
      coverage.chips.insert(row->accelerator);
    }
  }
  const auto best = std::ranges::max_element(publishers, {}, [](const auto& each) {
    return std::pair(each.second.chips.size(), each.second.newest);
  });
  return best == publishers.end() ? std::string_view() : best->first;
}

namespace {

// Names the price of a cluster at the seller whose single machine sets the price. Empty for none.
std::string cluster_warning(const PriceRows& rows, const Market& market, std::string_view chip,
                            const PriceRow& machine) {
  const PriceRow* dearest = nullptr;
  for (const PriceRow* row : rows) {
    if (row->accelerator != chip || row->commitment != market.commitment ||
        !is_same_seller(row->provider, machine.provider) ||
        row->product.find("Cluster") == std::string::npos || row->median <= machine.median ||
        age_in_days(*row, market.as_of) > kYearDays) {
      continue;
    }
    if (dearest == nullptr || row->median > dearest->median) dearest = row;
  }
  if (dearest == nullptr) return {};
  return fmt::format(
      "{} asks {} per GPU-hour of {} in a cluster ({}), {} in one machine: --price "
      "sets it",
      machine.provider, format_price(dearest->median), chip, dearest->product,
      format_price(machine.median));
}

}  // namespace

PriceQuote quote_provider(const PriceRows& rows, const Market& market, std::string_view chip,
                          std::string_view provider) {
  PriceRows best;
  for (const PriceRow* row : rows) {
    if (row->accelerator != chip || row->commitment != market.commitment ||
        !is_same_seller(row->provider, provider) ||
        region_fit(row->region, market.region.name, market.region.regions) == RegionFit::none) {
      continue;
    }
    keep_preferred(best, *row, market.region);
  }
  if (best.empty()) {
    return missing_price(fmt::format("the price book has no {} price of {} from {}{}{}",
                                     commitment_name(market.commitment), chip, provider,
                                     market.region.name.empty() ? "" : " in ", market.region.name));
  }
  const PriceRow& row = *best.front();
  const int age = age_in_days(row, market.as_of);
  PriceQuote quote = quote_rows(
      std::move(best), fmt::format("{} price of the provider", commitment_name(market.commitment)));
  quote.sigma = kListSigma;
  quote.stale = age > kYearDays || row.guessed;
  if (age > kFreshDays) {
    quote.warning = fmt::format("{} price of {} at {}: it is of {}, more than 90 days before {}",
                                commitment_name(market.commitment), chip, provider,
                                quote.date.empty() ? "an unknown date" : quote.date, market.as_of);
  }
  if (quote.warning.empty()) quote.warning = cluster_warning(rows, market, chip, row);
  return quote;
}

}  // namespace trcost::prices
