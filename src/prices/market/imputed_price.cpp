// SPDX-License-Identifier: Apache-2.0
#include "prices/market/imputed_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "prices/market/class_price.h"
#include "quantity/portable_math.h"
#include "quantity/statistics.h"
#include "quantity/suggest.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

// Kinds of pricing in which a seller's own prices of two chips compare, the better first. Spot
// prices and blocks say what is idle.
constexpr std::array kComparable = {Commitment::on_demand, Commitment::reserved_3y,
                                    Commitment::reserved_1y};
constexpr int kSameTime = 184;  // days between two rows that are compared

std::size_t rank_of(Commitment commitment) {
  return static_cast<std::size_t>(std::ranges::find(kComparable, commitment) - kComparable.begin());
}

bool comparable(const PriceRow& row, std::string_view as_of) {
  return row.verified && !row.guessed && row.date.first <= as_of &&
         rank_of(row.commitment) < kComparable.size();
}

// One seller's rows of the chip and of its sibling.
struct Pair {
  const PriceRow* chip = nullptr;
  const PriceRow* sibling = nullptr;
  [[nodiscard]] double ratio() const { return chip->median / sibling->median; }
  [[nodiscard]] std::string_view older() const {
    return std::min(chip->date.first, sibling->date.first);
  }
};

bool compares_better(const Pair& a, const Pair& b) {
  const std::size_t rank_a = rank_of(a.chip->commitment), rank_b = rank_of(b.chip->commitment);
  if (rank_a != rank_b) return rank_a < rank_b;
  if (a.older() != b.older()) return a.older() > b.older();
  return a.ratio() < b.ratio();
}

bool same_seller(const PriceRow& a, const PriceRow& b) {
  return a.provider == b.provider || same_folded(a.provider, b.provider);
}

using Pairs = std::vector<Pair>;  // every seller once

void keep_pair(Pairs& pairs, const Pair& pair) {
  for (Pair& known : pairs) {
    if (!same_seller(*known.chip, *pair.chip)) continue;
    if (compares_better(pair, known)) known = pair;
    return;
  }
  pairs.push_back(pair);
}

// Whose rows say what two chips differ by.
struct Witnesses {
  bool own_class;
  bool secondary;
};

std::map<std::string_view, Pairs> pairs_of(const Market& market, std::string_view accelerator,
                                           const Witnesses& from) {
  const auto usable = [&](const PriceRow& row) {
    return comparable(row, market.as_of) && (from.secondary || !row.secondary) &&
           (!from.own_class || price_class_of(row.provider_class) == market.price_class);
  };
  PriceRows mine;
  for (const PriceRow& row : market.book.rows) {
    if (row.accelerator == accelerator && usable(row)) mine.push_back(&row);
  }
  std::map<std::string_view, Pairs> found;
  if (mine.empty()) return found;
  for (const PriceRow& row : market.book.rows) {
    if (row.accelerator == accelerator || !usable(row)) continue;
    for (const PriceRow* own : mine) {
      if (own->commitment != row.commitment || !same_seller(*own, row)) continue;
      if (std::abs(days_between(own->date.first, row.date.first)) > kSameTime) continue;
      keep_pair(found[row.accelerator], {own, &row});
    }
  }
  return found;
}

std::vector<double> ratios_of(const Pairs& pairs) {
  std::vector<double> ratios;
  for (const Pair& pair : pairs) ratios.push_back(pair.ratio());
  return ratios;
}

struct Candidate {
  std::string_view name;
  Pairs pairs;
  double ratio = 1;
  Offers offers;
};

int quarters_old(const Market& market, const Offers& offers) {
  constexpr int kQuarter = 93;  // days
  return days_between(offers.newest, market.newest) / kQuarter;
}

// Where the newest row decides, that of the sibling has to be as new as those of the others.
bool nearer(const Market& market, const Candidate& a, const Candidate& b) {
  const int age_a = quarters_old(market, a.offers), age_b = quarters_old(market, b.offers);
  if (newest_row_decides(market) && age_a != age_b) return age_a < age_b;
  if (a.pairs.size() != b.pairs.size()) return a.pairs.size() > b.pairs.size();
  return std::fabs(portable_log(a.ratio)) < std::fabs(portable_log(b.ratio));
}

std::optional<Candidate> nearest_candidate(const Market& market, std::string_view accelerator) {
  std::optional<Candidate> best;
  for (const Witnesses& from : {Witnesses{true, false}, {false, false}, {false, true}}) {
    // An index sees the whole market; a class of sellers knows a rare chip by few of its own.
    if (from.own_class && market.price_class != PriceClass::index) continue;
    for (auto& [name, pairs] : pairs_of(market, accelerator, from)) {
      Candidate each{name, pairs, median(ratios_of(pairs)), offers_of(market, name)};
      if (!is_market_price(market, each.offers)) continue;
      if (!best || nearer(market, each, *best)) best = std::move(each);
    }
    if (best) break;
  }
  return best;
}

// Nobody asks it to the last digit.
double rounded_to(double value, double step) {
  return std::round(value / step) * step;
}

// The price of others times a ratio, of which `ratios` give the spread.
PriceQuote scaled(const PriceQuote& from, double ratio, const std::vector<double>& ratios,
                  const Market& market) {
  PriceQuote out;
  out.imputed = true;
  out.price_class = market.price_class;
  constexpr double kRatioStep = 0.001, kCent = 0.01;
  out.factor = rounded_price(std::max(kRatioStep, rounded_to(ratio, kRatioStep)));
  out.usd = rounded_price(std::max(kCent, rounded_to(*from.usd * *out.factor, kCent)));
  out.sigma = std::min(kWidestSigma,
                       in_quadrature(from.sigma, std::max(kImputedSigma, log_deviation(ratios))));
  out.middle_of = {*from.usd};
  out.rows = from.rows;
  out.date = from.date;
  out.stale = from.stale;
  return out;
}

void add_age(PriceQuote& out, const PriceQuote& theirs) {
  if (!theirs.warning.empty()) out.warning += "; " + theirs.warning;
}

// Who sells the chip itself, so that the user can ask for that price instead.
std::string sellers_hint(const Market& market, std::string_view accelerator) {
  const PriceRow* newest = nullptr;
  for (const PriceRow& row : market.book.rows) {
    if (row.accelerator != accelerator || row.commitment != market.commitment || !row.verified ||
        row.date.first > market.as_of || price_class_of(row.provider_class) == PriceClass::index) {
      continue;
    }
    if (newest == nullptr || stands_better(row, *newest, {})) newest = &row;
  }
  if (newest == nullptr) return "--price gives another";
  return fmt::format("--provider {} ({}) or --price gives another", newest->provider,
                     format_price(newest->median));
}

}  // namespace

std::optional<Sibling> nearest_sibling(const Market& market, std::string_view accelerator) {
  std::optional<Candidate> best = nearest_candidate(market, accelerator);
  if (!best) return std::nullopt;
  Sibling out{best->name, best->ratio, ratios_of(best->pairs), {}, {}, {}, std::move(best->offers)};
  for (const Pair& pair : best->pairs) {
    out.list += fmt::format("{}{} / {} {}", out.list.empty() ? "" : ", ", describe_row(*pair.chip),
                            out.name, format_price(pair.sibling->median));
    out.sellers += (out.sellers.empty() ? "" : ", ") + pair.chip->provider;
    out.rows.insert(out.rows.end(), {pair.chip, pair.sibling});
  }
  return out;
}

PriceQuote scaled_price(const Market& market, std::string_view accelerator, const Sibling& sibling,
                        const PriceQuote& theirs) {
  PriceQuote out = scaled(theirs, sibling.factor, sibling.factors, market);
  out.rows.insert(out.rows.end(), sibling.rows.begin(), sibling.rows.end());
  out.date = dates_of(out.rows);
  out.rule = fmt::format("imputed: {} of {} x {}, the ratio of the two at {}; {}",
                         format_price(*theirs.usd), sibling.name, format_exact(*out.factor),
                         sibling.sellers, theirs.rule);
  out.source = fmt::format("{} x {}: {}; {}: {}", format_price(*theirs.usd),
                           format_exact(*out.factor), sibling.list, sibling.name, theirs.source);
  out.warning = fmt::format(
      "{}: no {} price of class {}; ~{} is that of {} x {}, what the two differ by at {}: {}",
      accelerator, commitment_name(market.commitment), price_class_name(market.price_class),
      format_price(*out.usd), sibling.name, format_exact(*out.factor), sibling.sellers,
      sellers_hint(market, accelerator));
  add_age(out, theirs);
  return out;
}

std::optional<PriceQuote> sibling_price(const Market& market, std::string_view accelerator) {
  const std::optional<Sibling> sibling = nearest_sibling(market, accelerator);
  if (!sibling) return std::nullopt;
  return scaled_price(market, accelerator, *sibling,
                      offered_price(market, sibling->name, sibling->offers));
}

std::optional<PriceQuote> other_class_price(const Market& market, std::string_view accelerator) {
  std::vector<std::string_view> names;
  for (const PriceRow& row : market.book.rows) names.push_back(row.accelerator);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const PriceClass other_class : {PriceClass::specialist, PriceClass::hyperscaler,
                                       PriceClass::marketplace, PriceClass::index}) {
    if (other_class == market.price_class) continue;
    const Market other = market_of(market, other_class, market.commitment);
    Offers offers = offers_of(other, accelerator);
    // Of indices some are a convention of their time.
    if (offers.rows.empty() || (other_class == PriceClass::index && !offers.recent())) continue;
    std::vector<double> ratios;
    for (const std::string_view name : names) {
      const Offers here = offers_of(market, name), there = offers_of(other, name);
      if (!is_market_price(market, here) || !is_market_price(other, there)) continue;
      ratios.push_back(*offered_price(market, name, here).usd /
                       *offered_price(other, name, there).usd);
    }
    if (ratios.empty()) continue;
    const PriceQuote theirs = offered_price(other, accelerator, std::move(offers));
    PriceQuote out = scaled(theirs, median(ratios), ratios, market);
    out.rule = fmt::format("imputed: {} of class {} x {}, what {} asks of it over {} chips; {}",
                           format_price(*theirs.usd), price_class_name(other_class),
                           format_exact(*out.factor), price_class_name(market.price_class),
                           ratios.size(), theirs.rule);
    out.source =
        fmt::format("{} x {}: ratio of the classes over {} chips; {}", format_price(*theirs.usd),
                    format_exact(*out.factor), ratios.size(), theirs.source);
    out.warning = fmt::format(
        "{}: no {} price of class {}; ~{} is class {}'s {} x {}, what the classes differ by over "
        "{} "
        "chips: {}",
        accelerator, commitment_name(market.commitment), price_class_name(market.price_class),
        format_price(*out.usd), price_class_name(other_class), format_price(*theirs.usd),
        format_exact(*out.factor), ratios.size(), sellers_hint(market, accelerator));
    add_age(out, theirs);
    return out;
  }
  return std::nullopt;
}

}  // namespace trcost::prices
