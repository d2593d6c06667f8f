// SPDX-License-Identifier: Apache-2.0
#include "prices/market/price_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "prices/rows/regions.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

bool is_term(Commitment commitment) {
  return commitment == Commitment::reserved_1y || commitment == Commitment::reserved_3y;
}

// Clouds rent the chips that they make.
constexpr PriceClass kClassOfMakers = PriceClass::hyperscaler;

PriceQuote maker_price(PriceTable& table, const PriceQuery& query) {
  constexpr std::string_view kReason = "its maker alone rents it: ";
  auto quote = table.find_maker_price(kClassOfMakers, query.commitment, query.accelerator);
  if (!quote || quote->imputed) {
    return missing_price(fmt::format("{}the price book has no {} price of {}: set --price", kReason,
                                     commitment_name(query.commitment), query.accelerator));
  }
  if (query.price_class == kClassOfMakers) return *std::move(quote);
  quote->other_class = true;
  quote->rule.insert(0, kReason);
  const std::string_view maker_class = price_class_name(kClassOfMakers);
  quote->warning = fmt::format(
      "{}: only its maker rents it, so its {} price ({}) is compared with {} prices of the others. "
      "--price-class {} compares all in one class{}{}",
      query.accelerator, maker_class, format_price(*quote->usd),
      price_class_name(query.price_class), maker_class, quote->warning.empty() ? "" : ", and ",
      quote->warning);
  return *std::move(quote);
}

}  // namespace

PriceQuote select_price(const PriceBook& book, const PriceQuery& query) {
  const std::string_view as_of = query.as_of.empty() ? std::string_view(book.date) : query.as_of;
  PriceTable table(book, {query.region, query.regions}, as_of);
  if (!query.provider.empty()) {
    return table.find_provider_price(query.commitment, query.accelerator,
                                     find_provider(book, query.provider));
  }
  if (query.sold_by_maker && query.price_class != PriceClass::index) {
    return maker_price(table, query);
  }
  auto quote = table.find(query.price_class, query.commitment, query.accelerator);
  if (!query.region.empty() && (!quote || quote->imputed)) {
    auto anywhere =
        PriceTable(book, {}, as_of).find(query.price_class, query.commitment, query.accelerator);
    if (anywhere && !(quote && anywhere->imputed)) {
      anywhere->rule =
          fmt::format("no price in {}, so that of any region: {}", query.region, anywhere->rule);
      anywhere->other_region = true;
      anywhere->warning = fmt::format(
          "{}: no {} price of {} in {}, so that of any region is used{}{}", query.accelerator,
          commitment_name(query.commitment), plural_class_name(query.price_class), query.region,
          anywhere->warning.empty() ? "" : ". ", anywhere->warning);
      return *std::move(anywhere);
    }
  }
  if (quote) return *std::move(quote);
  return missing_price(fmt::format("the price book has no {} price of {}: set --price",
                                   commitment_name(query.commitment), query.accelerator));
}

PriceTable::PriceTable(const PriceBook& book, const PriceRegion& region, std::string_view as_of)
    : book_(book), region_(region), as_of_(as_of) {
  rows_.reserve(book.rows.size());
  for (const PriceRow& row : book.rows) {
    if (!is_known_by(row, as_of, book)) continue;
    rows_.push_back(&row);
    newest_ = std::max(newest_, std::string_view(row.date.first));
  }
  if (newest_.empty()) newest_ = as_of;
}

std::optional<PriceQuote> PriceTable::find(PriceClass price_class, Commitment commitment,
                                           std::string_view chip) {
  const Market here = market(price_class, commitment);
  if (is_term(commitment)) return ordered_term(here, chip);
  std::optional<PriceQuote> quote = base_price(here, chip);
  if (quote && commitment == Commitment::spot) {
    const auto& on_demand = base_price(market(price_class, Commitment::on_demand), chip);
    if (on_demand) cap_spot(*quote, *on_demand, chip);
  }
  return quote;
}

PriceQuote PriceTable::find_provider_price(Commitment commitment, std::string_view chip,
                                           std::string_view provider) const {
  PriceRows here;
  for (const PriceRow* row : rows_) {
    if (seller_fit(book_, *row, region_.name, region_.regions) != RegionFit::none) {
      here.push_back(row);
    }
  }
  return quote_provider(here, market({}, commitment), chip, provider);
}

std::optional<PriceQuote> PriceTable::find_maker_price(PriceClass price_class,
                                                       Commitment commitment,
                                                       std::string_view chip) {
  const Market here = market(price_class, commitment);
  Offers own = offers(here, chip);
  if (!own.rows.empty()) return quote_offers(std::move(own), here, chip);
  return is_term(commitment) ? ordered_term(here, chip) : std::nullopt;
}

Market PriceTable::market(PriceClass price_class, Commitment commitment) const {
  return {price_class, commitment, region_, as_of_, newest_};
}

bool PriceTable::is_in(const Market& market, const PriceRow& row) const {
  return row.commitment == market.commitment && row.verified &&
         price_class_of(row.provider_class) == market.price_class &&
         seller_fit(book_, row, region_.name, region_.regions) != RegionFit::none;
}

// The offers among a chip's rows. Indices are of the main publisher if it has the chip, since
// publishers differ by what they count.
Offers PriceTable::offers(const Market& market, PriceRows rows) const {
  if (market.price_class == PriceClass::index) {
    const std::string_view publisher = main_publisher(rows_, market);
    const auto is_other = [&](const PriceRow* row) { return row->provider != publisher; };
    if (!std::ranges::all_of(rows, is_other)) std::erase_if(rows, is_other);
  }
  return select_offers(rows, market);
}

Offers PriceTable::offers(const Market& market, std::string_view chip) const {
  PriceRows rows;
  for (const PriceRow* row : rows_) {
    if (is_in(market, *row) && row->accelerator == chip) rows.push_back(row);
  }
  return offers(market, std::move(rows));
}

const ClassLevels& PriceTable::levels(const Market& market) {
  const auto [at, fresh] = levels_.try_emplace({market.price_class, market.commitment});
  if (!fresh) return at->second;
  std::map<std::string_view, PriceRows> chips;
  for (const PriceRow* row : rows_) {
    if (is_in(market, *row)) chips[row->accelerator].push_back(row);
  }
  for (auto& [chip, rows] : chips) {
    ChipLevel level{chip, offers(market, std::move(rows))};
    if (is_market_price(level.offers, market)) at->second.push_back(std::move(level));
  }
  return at->second;
}

const std::optional<PriceQuote>& PriceTable::base_price(const Market& market,
                                                        std::string_view chip) {
  const Cell cell(market.price_class, market.commitment, chip);
  const auto known = base_prices_.find(cell);
  if (known != base_prices_.end()) return known->second;
  return base_prices_[cell] = make_base_price(market, chip);
}

// The price before terms are ordered.
std::optional<PriceQuote> PriceTable::make_base_price(const Market& market, std::string_view chip) {
  Offers own = offers(market, chip);
  const bool quoted = !own.rows.empty();
  const Recency recency = own.recency;
  if (is_market_price(own, market)) return quote_offers(std::move(own), market, chip);
  if (recency == Recency::recent) {
    return adjust_to_class_level(quote_offers(std::move(own), market, chip), levels(market), chip);
  }
  const auto sibling = find_sibling(rows_, levels(market), market, chip);
  if (!sibling) {
    return quoted ? quote_offers(std::move(own), market, chip) : impute_from_class(market, chip);
  }
  const ChipLevel& level = *sibling->level;
  PriceQuote imputed = scale_by_sibling(quote_offers(level.offers, market, level.chip), *sibling,
                                        market, chip, seller_hint(market, chip));
  if (!quoted) return imputed;
  return choose_old_or_sibling(quote_offers(std::move(own), market, chip), recency,
                               std::move(imputed));
}

std::optional<PriceQuote> PriceTable::impute_from_class(const Market& market,
                                                        std::string_view chip) {
  for (const PriceClass other_class : {PriceClass::specialist, PriceClass::hyperscaler,
                                       PriceClass::marketplace, PriceClass::index}) {
    if (other_class == market.price_class) continue;
    const Market other = this->market(other_class, market.commitment);
    Offers theirs = offers(other, chip);
    // Old indices are a convention of their time.
    if (theirs.rows.empty() || (other_class == PriceClass::index && !theirs.recent())) continue;
    const std::vector<double> ratios = class_ratios(levels(market), levels(other));
    if (ratios.empty()) continue;
    return scale_by_class(quote_offers(std::move(theirs), other, chip), ratios, market, chip,
                          seller_hint(market, chip));
  }
  return std::nullopt;
}

// The price of a term before terms are ordered. A recent quote stands unless it is dearer than
// on-demand, which shows that its seller has another level.
std::optional<PriceQuote> PriceTable::term_price(const Market& market, std::string_view chip) {
  if (market.price_class == PriceClass::index) return base_price(market, chip);
  const auto& on_demand = base_price(this->market(market.price_class, Commitment::on_demand), chip);
  Offers own = offers(market, chip);
  std::optional<PriceQuote> quoted;
  if (!own.rows.empty()) quoted = quote_offers(own, market, chip);
  const bool cheaper = !on_demand || (quoted && *quoted->usd <= *on_demand->usd);
  if (own.recent() && cheaper) return quoted;
  auto imputed = impute_term(market, chip);
  return imputed ? imputed : quoted;
}

// A chip whose on-demand price is imputed follows its sibling's term. Else the class's discount on
// its own on-demand price.
std::optional<PriceQuote> PriceTable::impute_term(const Market& market, std::string_view chip) {
  const Market on_demand_market = this->market(market.price_class, Commitment::on_demand);
  const auto& on_demand = base_price(on_demand_market, chip);
  if (!on_demand) return std::nullopt;
  if (on_demand->imputed) {
    if (const auto sibling =
            find_sibling(rows_, levels(on_demand_market), on_demand_market, chip)) {
      if (const auto theirs = term_price(market, sibling->level->chip)) {
        return scale_by_sibling(*theirs, *sibling, market, chip, seller_hint(market, chip));
      }
    }
  }
  const auto share = term_share(rows_, book_.discounts, market);
  if (!share) return std::nullopt;
  return discount_price(*on_demand, *share, market, chip);
}

std::optional<PriceQuote> PriceTable::ordered_term(const Market& market, std::string_view chip) {
  auto one = term_price(this->market(market.price_class, Commitment::reserved_1y), chip);
  auto three = term_price(this->market(market.price_class, Commitment::reserved_3y), chip);
  order_terms(one, three);
  auto quote = market.commitment == Commitment::reserved_1y ? std::move(one) : std::move(three);
  if (!quote) return std::nullopt;
  const auto& on_demand = base_price(this->market(market.price_class, Commitment::on_demand), chip);
  if (on_demand) cap_price(*quote, *on_demand, "on-demand");
  if (market.price_class != PriceClass::index) add_index(market, chip, *quote);
  return quote;
}

// Adds the index of the same chip and term to the rule, for comparison.
void PriceTable::add_index(const Market& market, std::string_view chip, PriceQuote& quote) const {
  const Market index = this->market(PriceClass::index, market.commitment);
  Offers own = offers(index, chip);
  if (!own.recent()) return;
  const PriceQuote other = quote_offers(std::move(own), index, chip);
  quote.rule +=
      fmt::format(". {} says {} ({})", other.provider, format_price(*other.usd), other.date);
}

// The flags that give another price than an imputed one, with a seller of the chip if there is one.
std::string PriceTable::seller_hint(const Market& market, std::string_view chip) const {
  const PriceRow* best = nullptr;
  for (const PriceRow* row : rows_) {
    if (row->accelerator != chip || row->commitment != market.commitment || !row->verified ||
        price_class_of(row->provider_class) == PriceClass::index) {
      continue;
    }
    if (best == nullptr || is_preferred(*row, *best, {})) best = row;
  }
  if (best == nullptr) return "Override with --price";
  return fmt::format("Override with --price, or with --provider {} ({})", best->provider,
                     unit_money(best->median));
}

bool class_sells(const PriceBook& book, PriceClass price_class, Commitment commitment) {
  const auto sells = [&](const auto& row) {
    return row.commitment == commitment && price_class_of(row.provider_class) == price_class;
  };
  return std::ranges::any_of(book.discounts, sells) ||
         std::ranges::any_of(book.rows,
                             [&](const PriceRow& row) { return row.verified && sells(row); });
}

void require_class_sells(const PriceBook& book, PriceClass price_class, Commitment commitment) {
  if (class_sells(book, price_class, commitment)) return;
  std::string others;
  for (const auto& [word, other] : kPriceClasses) {
    if (!class_sells(book, other, commitment)) continue;
    append_item(others, word);
  }
  throw Error(ErrorKind::usage,
              fmt::format("class {} has no {} price in the book", price_class_name(price_class),
                          commitment_name(commitment)),
              others.empty() ? std::string("nobody of the book has: set --price")
                             : fmt::format("classes that have: {}. Or set --price", others),
              "--price-class");
}

PriceClass usual_price_class(Commitment commitment) {
  return commitment == Commitment::block ? PriceClass::hyperscaler : PriceClass::specialist;
}

}  // namespace trcost::prices
