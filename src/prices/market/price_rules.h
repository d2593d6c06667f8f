// SPDX-License-Identifier: Apache-2.0
// The rules that make a price of rows, one function each. PriceTable applies them in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prices/market/price_quote.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// `specialists`, `indices`
std::string plural_class_name(PriceClass price_class);

struct Regions;

/// Region of a price query. An empty name means anywhere.
struct PriceRegion {
  std::string_view name = {};
  const Regions* regions = nullptr;  ///< containment of regions. Null: names are compared as text
};

/// A class of sellers at one commitment, seen from one region and day.
struct Market {
  PriceClass price_class = PriceClass::specialist;
  Commitment commitment = Commitment::on_demand;
  PriceRegion region = {};
  std::string_view as_of = {};   ///< YYYY-MM-DD
  std::string_view newest = {};  ///< day of the book's newest row not after `as_of`. Rules count
                                 ///< ages from it, so that only a new row moves a price

  /// Spot prices and blocks follow idle capacity, so that their newest rows are the market.
  [[nodiscard]] bool newest_row_decides() const {
    return commitment == Commitment::spot || commitment == Commitment::block;
  }
};

/// Whether the row is known on that day. An undated row counts as of the book's date.
bool is_known_by(const PriceRow& row, std::string_view as_of, const PriceBook& book);

/// Whether `a` stands for its provider rather than `b`: the row for the region itself before one
/// around it, a known date before a guessed one unless the guess is later, an address before
/// secondary if both are of one year, then the later first day, then the lower price.
bool is_preferred(const PriceRow& a, const PriceRow& b, const PriceRegion& region);

/// Adds the row, unless a row of its provider is preferred. Providers are compared folded.
void keep_preferred(PriceRows& rows, const PriceRow& row, const PriceRegion& region);

/// Age of the offers that decide, counted from the book's newest row.
enum class Recency : std::uint8_t {
  none,    ///< there is no offer
  recent,  ///< the newest one has a known date in the last year
  old,     ///< of the last two years, or of a guessed date in them
  past,    ///< older, or undated
};

/// The rows that decide the price of a chip, one per seller.
struct Offers {
  PriceRows rows;
  Recency recency = Recency::none;
  int months = 0;                ///< for recent ones: width of the window before the newest
  std::string_view newest = {};  ///< first day of the newest row. Empty: unknown
  [[nodiscard]] bool recent() const { return recency == Recency::recent; }
};

/// Newest-quarter rule. The three months before the chip's newest row decide if four sellers have a
/// row in them, else six, nine or twelve months, then with secondary rows that are not outliers.
/// Without a row of the last year, the last two years decide, else all rows. `rows` are of one chip
/// and `market`.
Offers select_offers(const PriceRows& rows, const Market& market);

/// Whether the offers are a market price: recent ones of three sellers, or of two that agree. One
/// row is enough of an index, of spot prices and of blocks.
bool is_market_price(const Offers& offers, const Market& market);

/// Median of the offers, which must not be empty.
PriceQuote quote_offers(Offers offers, const Market& market, std::string_view chip);

/// The market price of a chip.
struct ChipLevel {
  std::string_view chip;
  Offers offers;
  [[nodiscard]] double usd() const;
};
/// All market prices of one market, by chip name.
using ClassLevels = std::vector<ChipLevel>;

/// Seller-level rule. One or two recent sellers count at the level of their class: a seller that
/// asks a fifth more or less than the class for at least two other chips is divided by the median
/// of these ratios. The price is then imputed. `quote` is of the chip's own offers.
PriceQuote adjust_to_class_level(PriceQuote quote, const ClassLevels& levels,
                                 std::string_view chip);

/// One seller's rows of two chips.
struct PricePair {
  const PriceRow* chip = nullptr;
  const PriceRow* sibling = nullptr;
  [[nodiscard]] double ratio() const { return chip->median / sibling->median; }
};

/// The chip whose price says most about another's.
struct Sibling {
  const ChipLevel* level = nullptr;
  std::vector<PricePair> pairs;  ///< one per seller
  std::vector<double> ratios;    ///< of the pairs
  double factor = 1;             ///< their median
};

/// Sibling rule. Returns the chip with a market price that most sellers of any class price together
/// with this one, on demand or for a term, both rows within half a year. Ties go to the nearer
/// price. For spot prices and blocks the newest market price goes first. `rows` is the whole book.
std::optional<Sibling> find_sibling(const PriceRows& rows, const ClassLevels& levels,
                                    const Market& market, std::string_view chip);

/// The sibling's price in `market` times the factor. `hint` says how to get another price.
PriceQuote scale_by_sibling(const PriceQuote& theirs, const Sibling& sibling, const Market& market,
                            std::string_view chip, std::string_view hint);

/// Ratios of the prices of two classes over the chips that both price.
std::vector<double> class_ratios(const ClassLevels& here, const ClassLevels& there);

/// Class-ratio rule: another class's price times the median of `ratios`, which must not be empty.
PriceQuote scale_by_class(const PriceQuote& theirs, const std::vector<double>& ratios,
                          const Market& market, std::string_view chip, std::string_view hint);

/// Share of the on-demand price that a class asks for a term.
struct TermShare {
  double share = 1;
  std::vector<double> seller_shares;
  std::string list;  ///< `Hyperstack 78 %, Nebius 65 %`
};
/// Term rule: the median over sellers of the class, each by the median over chips of its own prices
/// of one day, else by the discount that it publishes. `rows` is the whole book.
std::optional<TermShare> term_share(const PriceRows& rows,
                                    const std::vector<DiscountRow>& discounts,
                                    const Market& market);

/// The class's on-demand price times the share.
PriceQuote discount_price(const PriceQuote& on_demand, const TermShare& share, const Market& market,
                          std::string_view chip);

/// Lowers the quote to `limit`, whose name is `name`.
void cap_price(PriceQuote& quote, const PriceQuote& limit, std::string_view name);

/// Term-order rule: three years cost no more than one. A quoted price moves an imputed one.
void order_terms(std::optional<PriceQuote>& one_year, std::optional<PriceQuote>& three_years);

/// Spot rule: spot costs no more than on-demand.
void cap_spot(PriceQuote& spot, const PriceQuote& on_demand, std::string_view chip);

/// Old-offer rule: an own price of the last two years stands unless it is farther from the
/// sibling's price than the widest range. Older ones yield to the sibling.
PriceQuote choose_old_or_sibling(PriceQuote own, Recency recency, PriceQuote by_sibling);

/// Publisher rule: the publisher whose indices price most chips in the last year, of several the
/// one with the newest row. Empty if there is none. `rows` is the whole book.
std::string_view main_publisher(const PriceRows& rows, const Market& market);

/// Provider rule: that provider's preferred row, verified or not.
PriceQuote quote_provider(const PriceRows& rows, const Market& market, std::string_view chip,
                          std::string_view provider);

/// Standard deviation of ln(price / imputed price), from leaving out chips whose market price is
/// known (tests/prices checks it).
inline constexpr double kImputedSigma = 0.25;

}  // namespace trcost::prices
