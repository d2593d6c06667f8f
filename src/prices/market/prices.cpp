// SPDX-License-Identifier: Apache-2.0
// Which price of the book an estimate uses.
#include "prices/market/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "prices/market/class_price.h"
#include "prices/market/imputed_price.h"
#include "prices/market/price_rows.h"
#include "prices/market/seller_level.h"
#include "prices/market/term_share.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "trcost/error.h"

namespace trcost::prices {

namespace {

bool is_term(Commitment commitment) {
  return commitment == Commitment::reserved_1y || commitment == Commitment::reserved_3y;
}

// Real offers of the last two years stand, however few, unless they are farther from what the
// chip's sibling costs today than the widest range that a price is given; those of before yield to
// it.
std::optional<PriceQuote> old_price(Recency recency, PriceQuote own,
                                    std::optional<PriceQuote> siblings) {
  if (!siblings) return own;
  const double apart = std::fabs(portable_log(*own.usd / *siblings->usd));
  if (recency == Recency::old && apart <= kNormalP90 * kWidestSigma) return own;
  siblings->rule += fmt::format("; too old: {}", own.source);
  return siblings;
}

// What the class asks, or what it would ask.
std::optional<PriceQuote> class_price(const Market& market, std::string_view accelerator) {
  Offers offers = offers_of(market, accelerator);
  if (is_market_price(market, offers)) {
    return offered_price(market, accelerator, std::move(offers));
  }
  if (offers.recent()) return few_offers_price(market, accelerator, std::move(offers));
  auto siblings = sibling_price(market, accelerator);
  if (offers.rows.empty()) return siblings ? siblings : other_class_price(market, accelerator);
  return old_price(offers.recency, offered_price(market, accelerator, offers), std::move(siblings));
}

// The term that is asked for, in the class.
std::optional<PriceQuote> term_price(const Market& market, std::string_view accelerator);

// Nobody of the class offers the term: what its sellers take off their own prices, of the chip
// itself where the class sells it, else of its sibling.
std::optional<PriceQuote> derived_term(const Market& market, std::string_view accelerator,
                                       const std::optional<PriceQuote>& on_demand) {
  if (on_demand && on_demand->imputed) {
    const Market none = market_of(market, market.price_class, Commitment::on_demand);
    if (const auto sibling = nearest_sibling(none, accelerator)) {
      if (const auto theirs = term_price(market, sibling->name)) {
        return scaled_price(market, accelerator, *sibling, *theirs);
      }
    }
  }
  const auto share = on_demand ? term_share(market) : std::nullopt;
  if (!share) return std::nullopt;
  return discounted(*on_demand, *share, accelerator, market);
}

std::optional<PriceQuote> term_price(const Market& market, std::string_view accelerator) {
  if (market.price_class == PriceClass::index) return class_price(market, accelerator);
  const Market none = market_of(market, market.price_class, Commitment::on_demand);
  const std::optional<PriceQuote> on_demand = class_price(none, accelerator);
  Offers offers = offers_of(market, accelerator);
  const bool first_hand =
      std::ranges::any_of(offers.rows, [](const PriceRow* row) { return !row->secondary; });
  if (offers.recent() && first_hand) {
    PriceQuote asked = offered_price(market, accelerator, offers);
    // A term takes off: what is dearer than on-demand is the level of another seller.
    if (!on_demand || *asked.usd <= *on_demand->usd) return asked;
  }
  if (auto derived = derived_term(market, accelerator, on_demand)) return derived;
  if (!offers.rows.empty()) return offered_price(market, accelerator, std::move(offers));
  return std::nullopt;
}

// Another price of the chip takes the place of this one; whoever reads of it reads why.
void replace_price(PriceQuote& quote, const PriceQuote& other, std::string_view why) {
  const std::string said = fmt::format("; {} stands: {}", format_price(*other.usd), why);
  quote.usd = other.usd;
  quote.rule += said;
  quote.source += said;
  if (quote.warning.empty() && other.imputed) quote.warning = other.warning;
  if (!quote.warning.empty()) quote.warning += said;
  quote.imputed = quote.imputed || other.imputed;
}

void at_most(PriceQuote& quote, const PriceQuote& other, std::string_view what) {
  if (*quote.usd > *other.usd) replace_price(quote, other, fmt::format("no more than {}", what));
}

// What an index says of the same chip and term, for comparison.
void add_index(const Market& market, std::string_view accelerator, PriceQuote& quote) {
  if (market.price_class == PriceClass::index) return;
  const Market index = market_of(market, PriceClass::index, market.commitment);
  Offers offers = offers_of(index, accelerator);
  if (!offers.recent()) return;
  const PriceQuote said = offered_price(index, accelerator, std::move(offers));
  quote.rule += fmt::format("; {} says {} ({})", said.provider, format_price(*said.usd), said.date);
}

// Three years never cost more than one year, nor one year more than none. What somebody asks stands
// before what is derived.
std::optional<PriceQuote> ordered_term(const Market& market, std::string_view accelerator) {
  const Market none = market_of(market, market.price_class, Commitment::on_demand);
  const auto of_term = [&](Commitment term) {
    return term_price(market_of(market, market.price_class, term), accelerator);
  };
  auto one = of_term(Commitment::reserved_1y), three = of_term(Commitment::reserved_3y);
  if (one && three && *one->usd < *three->usd) {
    if (one->imputed && !three->imputed) {
      replace_price(*one, *three, "no less than for three years");
    } else {
      at_most(*three, *one, "for one year");
    }
  }
  auto quote = market.commitment == Commitment::reserved_1y ? std::move(one) : std::move(three);
  if (!quote) return std::nullopt;
  if (const auto on_demand = class_price(none, accelerator)) {
    at_most(*quote, *on_demand, "on-demand");
  }
  add_index(market, accelerator, *quote);
  return quote;
}

std::optional<PriceQuote> spot_price(const Market& market, std::string_view accelerator) {
  auto quote = class_price(market, accelerator);
  const Market none = market_of(market, market.price_class, Commitment::on_demand);
  const auto on_demand = quote ? class_price(none, accelerator) : std::nullopt;
  if (on_demand && *quote->usd > *on_demand->usd) {
    quote->warning =
        fmt::format("spot of {}, {}, is dearer than on-demand, which stands in for it: {}",
                    accelerator, format_price(*quote->usd), on_demand->rule);
    at_most(*quote, *on_demand, "on-demand");
  }
  return quote;
}

std::optional<PriceQuote> market_price(const Market& market, std::string_view accelerator) {
  if (is_term(market.commitment)) return ordered_term(market, accelerator);
  if (market.commitment == Commitment::spot) return spot_price(market, accelerator);
  return class_price(market, accelerator);
}

PriceQuote no_price(const PriceQuery& query, std::string_view of_whom) {
  PriceQuote none;
  none.rule = fmt::format("{}the price book has no {} price of {}: give --price", of_whom,
                          commitment_name(query.commitment), query.accelerator);
  none.source = none.rule;
  return none;
}

// Clouds rent what they make themselves.
constexpr PriceClass kClassOfMakers = PriceClass::hyperscaler;

// What the one seller asks; no other class sells the chip, and nobody's discount is his.
PriceQuote makers_price(const Market& market, const PriceQuery& query) {
  const Market maker = market_of(market, kClassOfMakers, query.commitment);
  Offers offers = offers_of(maker, query.accelerator);
  std::optional<PriceQuote> quote;
  if (!offers.rows.empty()) {
    quote = offered_price(maker, query.accelerator, std::move(offers));
  } else if (is_term(query.commitment)) {
    quote = ordered_term(maker, query.accelerator);
  }
  if (!quote || !quote->usd || quote->imputed) return no_price(query, "its maker alone rents it: ");
  if (query.price_class == kClassOfMakers) return *std::move(quote);
  quote->other_class = true;
  quote->rule = "its maker alone rents it: " + quote->rule;
  const std::string said = fmt::format(
      "{}: only its maker's cloud rents it, so {} of class {} is used beside class {} of others: "
      "--price-class {} compares all of them in its class",
      query.accelerator, format_price(*quote->usd), price_class_name(kClassOfMakers),
      price_class_name(query.price_class), price_class_name(kClassOfMakers));
  quote->warning = quote->warning.empty() ? said : fmt::format("{}; {}", said, quote->warning);
  return *std::move(quote);
}

}  // namespace

bool class_sells(const PriceBook& book, PriceClass price_class, Commitment commitment) {
  return std::ranges::any_of(book.rows,
                             [&](const PriceRow& row) {
                               return row.commitment == commitment && row.verified &&
                                      price_class_of(row.provider_class) == price_class;
                             }) ||
         std::ranges::any_of(book.discounts, [&](const DiscountRow& row) {
           return row.commitment == commitment && price_class_of(row.provider_class) == price_class;
         });
}

PriceClass usual_price_class(Commitment commitment) {
  return commitment == Commitment::block ? PriceClass::hyperscaler : PriceClass::specialist;
}

void require_class_sells(const PriceBook& book, PriceClass price_class, Commitment commitment) {
  if (class_sells(book, price_class, commitment)) return;
  std::string others;
  for (const auto& [word, other] : kPriceClasses) {
    if (!class_sells(book, other, commitment)) continue;
    others += fmt::format("{}{}", others.empty() ? "" : ", ", word);
  }
  throw Error(ErrorKind::usage,
              fmt::format("class {} has no {} price in the book", price_class_name(price_class),
                          commitment_name(commitment)),
              others.empty() ? std::string("nobody of the book has: give --price")
                             : fmt::format("classes that have: {}; or give --price", others),
              "--price-class");
}

PriceQuote select_price(const PriceBook& book, const PriceQuery& query) {
  const std::string_view as_of = query.as_of.empty() ? std::string_view(book.date) : query.as_of;
  Market market = market_of({book,
                             query.price_class,
                             query.commitment,
                             {query.region, query.regions},
                             as_of,
                             newest_day(book, as_of)},
                            query.price_class, query.commitment);
  if (!query.provider.empty()) return provider_price(market, query.accelerator, query.provider);
  if (query.sold_by_maker && query.price_class != PriceClass::index) {
    return makers_price(market, query);
  }
  auto quote = market_price(market, query.accelerator);
  if (!quote || !quote->usd || quote->imputed) {
    // An offer of elsewhere says more than a price that nobody asks.
    market.region = {};
    auto anywhere = query.region.empty() ? std::nullopt : market_price(market, query.accelerator);
    if (anywhere && anywhere->usd && !(quote && anywhere->imputed)) {
      anywhere->rule =
          fmt::format("no price in {}; of any region: {}", query.region, anywhere->rule);
      return *std::move(anywhere);
    }
  }
  if (quote && quote->usd) return *std::move(quote);
  return no_price(query, "");
}

}  // namespace trcost::prices
