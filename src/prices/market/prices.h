// SPDX-License-Identifier: Apache-2.0
// Which price of the book an estimate uses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "trcost/derivation.h"

namespace trcost::prices {

struct Regions;

/// A price and where it comes from. `usd` is empty when the book has none.
struct PriceQuote {
  std::optional<double> usd;  ///< per accelerator and hour
  double sigma = 0.25;        ///< spread of ln(price) among quotes
  std::string source;         ///< which rows it is the median of
  std::string date;  ///< of the rows: `2026`, or from the oldest to the newest, `2025-11 to 2026`
  std::string provider;  ///< whose rows, comma-separated; empty where given or imputed
  std::optional<PriceClass> price_class;  ///< of the sellers; empty where given
  bool imputed = false;      ///< nobody of the class asks it: made from prices of others
  bool other_class = false;  ///< its maker's own price, where no class asked for sells the chip
  bool stale = false;        ///< a row is older than a year, or of a guessed date
  std::string rule;          ///< the step of the selection that answered, or why none did
  std::vector<const PriceRow*> rows;  ///< into the book
  bool given = false;                 ///< by the user
  std::vector<double> middle_of;      ///< USD whose median it is, before the factor
  std::optional<double> factor;       ///< that another price was multiplied with, where one was
  std::string warning;  ///< what the user should know before relying on it; mostly empty
};

/// Which price is asked for.
struct PriceQuery {
  std::string_view accelerator;
  Commitment commitment = Commitment::on_demand;
  std::string_view provider = {};    ///< empty: the class
  std::string_view region = {};      ///< empty: any
  const Regions* regions = nullptr;  ///< what lies in what; without it names are compared as text
  PriceClass price_class = PriceClass::specialist;
  std::string_view as_of = {};  ///< YYYY-MM-DD; empty: the book's date
  bool sold_by_maker = false;   ///< Accelerator::sold_by_maker
};

/// The price of an accelerator-hour.
///
/// Without `provider`: the median over the sellers of the class, each counted once, however it is
/// spelled, with its newest row, of those its cheapest. The three months before the chip's newest
/// offer decide where four sellers have a price in them; else six, nine, twelve months, in which
/// older rows fill in. Rows that are secondary join only where the others are too few, and only
/// where they are in line with them. Rows later than `as_of` are left out; a row without a date
/// cannot be told from those where `as_of` is before the book's. Which rows decide follows from the
/// rows alone: time that brings no new row moves no price, it only makes it old.
///
/// What sellers of the class ask comes before what would follow from others. One or two of them
/// make a price too: as it is, with a wider range, or at the level of the class where they are
/// known to ask a fifth more or less than it for other chips, and then `imputed`. Offers older than
/// a year or of a guessed date stand where there are no newer ones, for two years, as `stale`.
///
/// Where the class has no offer, the price is `imputed`: the class's price of the chip that most
/// sellers price beside it, times the median over sellers of any class of their own ratio of the
/// two; else another class's price times the measured ratio of the classes. Only a sibling with
/// prices of the last year is one. A chip that only its maker's cloud rents has no such class: that
/// cloud's own price is used, as it is, or none.
///
/// Indices are of one publisher, the one that prices most chips so, where it has the chip.
///
/// A term (reserved) is what sellers of the class ask for it. Where nobody does, or for more than
/// its on-demand price, it is imputed: that price times the share that its sellers ask, each for
/// its own chips; of a chip that the class does not sell, its sibling's. Index rows are used as
/// they are. Three years never cost more than one, nor one more than none. Spot prices and blocks
/// are those of the newest rows, from one seller on.
///
/// With `provider` (however it is spelled): that provider's newest row. `region` keeps the rows of
/// that region, of what lies around it or in it, and those valid everywhere, as `regions` knows it;
/// a provider's row for just that region comes before its others. Without one the price is of any
/// region, which `rule` says. A provider that the book does not have is an Error (usage) with the
/// nearest name.
PriceQuote select_price(const PriceBook& book, const PriceQuery& query);

/// Whether the book has that kind of pricing of anybody of the class.
bool class_sells(const PriceBook& book, PriceClass price_class, Commitment commitment);

/// Throws Error (usage), naming who sells it, where nobody of the class has that kind of pricing.
void require_class_sells(const PriceBook& book, PriceClass price_class, Commitment commitment);

/// The class of an answer where none is asked for: specialists; for blocks hyperscalers, who alone
/// sell them.
PriceClass usual_price_class(Commitment commitment);

/// A unit price in full: `$2.00`, `$5.245`; at most a millionth of a dollar.
std::string format_price(double usd);

/// The user's own price; `sigma` 0 unless it is a range.
PriceQuote given_price(double usd_per_gpu_hour, std::string_view flag = "--price");

/// Price of object storage (USD/GB-month) and of bytes that leave (USD/GB): the median over
/// providers' verified rows.
PriceQuote select_storage_price(const PriceBook& book);
PriceQuote select_egress_price(const PriceBook& book);

/// PUE of a provider that publishes one, else the book's row of all others; null where it has none.
const PueRow* select_pue(const PriceBook& book, std::string_view provider);

/// Providers of the book, sorted.
std::vector<std::string> price_providers(const PriceBook& book);

/// Whether a row of the book is for the region of that name.
bool is_price_region(const PriceBook& book, std::string_view name);

/// The book's name of a provider, however it is spelled (`lambdalabs`, `LAMBDA`); throws Error
/// (usage) with the nearest name.
std::string find_provider(const PriceBook& book, std::string_view provider);

/// `unit price = median(...)` with the rows put in.
Derivation derive_price(const PriceQuote& quote, std::string_view accelerator);

}  // namespace trcost::prices
