// SPDX-License-Identifier: Apache-2.0
// Selection of the price of an accelerator-hour from the book.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "prices/market/price_rules.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// A query for the price of an accelerator-hour.
struct PriceQuery {
  std::string_view accelerator;
  Commitment commitment = Commitment::on_demand;
  std::string_view provider = {};    ///< empty: the class
  std::string_view region = {};      ///< empty: any
  const Regions* regions = nullptr;  ///< containment of regions. Null: names are compared as text
  PriceClass price_class = PriceClass::specialist;
  std::string_view as_of = {};  ///< YYYY-MM-DD. Empty: the book's date
  bool sold_by_maker = false;   ///< Accelerator::sold_by_maker
};

/// Returns the price of an accelerator-hour, or a quote without a price whose rule says why.
///
/// Without `provider` it is the price of the class in PriceTable. A price that would be imputed, or
/// missing, in `region` yields to a quoted one of any region. A chip that only its maker's cloud
/// rents has that cloud's own price, in whatever class, or none.
///
/// With `provider`, however spelled, it is that provider's newest row. Throws Error (usage) with
/// the nearest name for one that the book does not have.
PriceQuote select_price(const PriceBook& book, const PriceQuery& query);

/// Prices by chip, class and commitment, for one region and day. Rows are filtered once. A cell is
/// computed by the rules when it is first needed, and looked up after that.
///
/// Quotes of the class come first: a market price, one or two sellers at the level of the class, or
/// old offers. Without quotes the price is imputed: from the sibling chip, else from another class.
/// A term is what sellers of the class ask, else their discount on the on-demand price. Terms are
/// ordered, and neither they nor spot cost more than on-demand.
class PriceTable {
 public:
  PriceTable(const PriceBook& book, const PriceRegion& region, std::string_view as_of);

  /// Empty if no rule gives a price.
  std::optional<PriceQuote> find(PriceClass price_class, Commitment commitment,
                                 std::string_view chip);
  /// As select_price() with a provider of the book.
  [[nodiscard]] PriceQuote find_provider_price(Commitment commitment, std::string_view chip,
                                               std::string_view provider) const;
  /// Price of a chip that only clouds of `price_class` rent: their offers, else their ordered term.
  std::optional<PriceQuote> find_maker_price(PriceClass price_class, Commitment commitment,
                                             std::string_view chip);

 private:
  using Cell = std::tuple<PriceClass, Commitment, std::string_view>;

  [[nodiscard]] Market market(PriceClass price_class, Commitment commitment) const;
  [[nodiscard]] bool is_in(const Market& market, const PriceRow& row) const;
  [[nodiscard]] Offers offers(const Market& market, PriceRows rows) const;
  [[nodiscard]] Offers offers(const Market& market, std::string_view chip) const;
  const ClassLevels& levels(const Market& market);
  const std::optional<PriceQuote>& base_price(const Market& market, std::string_view chip);
  std::optional<PriceQuote> make_base_price(const Market& market, std::string_view chip);
  std::optional<PriceQuote> impute_from_class(const Market& market, std::string_view chip);
  std::optional<PriceQuote> term_price(const Market& market, std::string_view chip);
  std::optional<PriceQuote> impute_term(const Market& market, std::string_view chip);
  std::optional<PriceQuote> ordered_term(const Market& market, std::string_view chip);
  void add_index(const Market& market, std::string_view chip, PriceQuote& quote) const;
  [[nodiscard]] std::string seller_hint(const Market& market, std::string_view chip) const;

  const PriceBook& book_;
  PriceRegion region_;
  std::string_view as_of_;
  std::string_view newest_;  // day of the newest row not after as_of_
  PriceRows rows_;           // known by as_of_, of any region
  std::map<std::pair<PriceClass, Commitment>, ClassLevels> levels_;
  std::map<Cell, std::optional<PriceQuote>> base_prices_;
};

/// Whether a seller of the class has that kind of pricing in the book.
bool class_sells(const PriceBook& book, PriceClass price_class, Commitment commitment);

/// Throws Error (usage) with the classes that have that kind of pricing, if this one has not.
void require_class_sells(const PriceBook& book, PriceClass price_class, Commitment commitment);

/// The default class of an answer: specialists, and for blocks hyperscalers, their only sellers.
PriceClass usual_price_class(Commitment commitment);

}  // namespace trcost::prices
