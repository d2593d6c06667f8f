// SPDX-License-Identifier: Apache-2.0
// Which price of the book an estimate uses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/derivation.h"
#include "trcost/price_book.h"

namespace trcost {

struct Regions;

/// A price and where it comes from. `usd` is empty when the book has none.
struct PriceQuote {
  std::optional<double> usd;   ///< per accelerator and hour
  double sigma = 0.25;         ///< spread of ln(price) among quotes
  std::string source;          ///< which rows it is the median of
  std::string date;            ///< of the rows: `2026`, or from the oldest to the newest, `2025-11 to 2026`
  std::string provider;        ///< whose rows, comma-separated; empty where given or imputed
  std::optional<PriceClass> price_class;  ///< of the sellers; empty where given
  bool imputed = false;        ///< nobody of the class asks it: made from prices of others
  std::string rule;            ///< the step of the selection that answered, or why none did
  std::vector<const PriceRow*> rows;  ///< into the book
  bool given = false;          ///< by the user
  std::optional<double> factor;  ///< share of the on-demand median, where a commitment is derived
  std::string warning;         ///< what the user should know before relying on it; mostly empty
};

/// The price of an accelerator-hour.
///
/// Without `provider`: the median over specialist providers of the last 12 months before the book's
/// date; a provider counts once, however it is spelled, with its newest row, of those its cheapest.
/// With fewer than two specialists marketplaces join. When that leaves nothing: older rows of both,
/// then surveys and indices, then hyperscalers (newest first within 12 months, then older), then
/// prepaid blocks for on-demand. Every step says so in `rule`; nothing is carried over from another
/// chip. `warning` says where only hyperscalers' list prices or prepaid blocks are left.
///
/// Hyperscalers ask several times the market's price, so a commitment (reserved, spot) that only they
/// sell is the market's on-demand price times their own discount: the median over providers of
/// price under the commitment / on-demand price, with `factor` and both rows in `rule` and `source`.
/// Spot prices are taken for a market from two providers on; of a single one the dearer of its price
/// and that of the discounts. Where no provider publishes both prices: a hyperscaler's price if it is
/// below on-demand, else on-demand times the median discount on other accelerators, else, for a
/// reserved term, the on-demand price. `warning` says that, and where a commitment of the market is
/// dearer than on-demand.
/// With `provider` (however it is spelled): that provider's newest row. `region` keeps the rows of
/// that region, of what lies around it or in it, and those valid everywhere, as `regions` knows it;
/// a provider's row for just that region comes before its others. Without one the price is of any
/// region, which `rule` says. A provider that the book does not have is an Error (usage) with the
/// nearest name.
PriceQuote select_price(const PriceBook& book, std::string_view accelerator, Commitment commitment,
                        std::string_view provider = {}, std::string_view region = {},
                        const Regions* regions = nullptr);

/// A unit price in full: `$2.00`, `$5.245`; at most a millionth of a dollar.
std::string format_price(double usd);

/// The user's own price; `sigma` 0 unless it is a range.
PriceQuote given_price(double usd_per_gpu_hour, std::string_view flag = "--price");

/// Price of object storage (USD/GB-month) and of bytes that leave (USD/GB): the median over
/// providers' verified rows.
PriceQuote select_storage_price(const PriceBook& book);
PriceQuote select_egress_price(const PriceBook& book);

/// PUE of a provider that publishes one, else Epoch AI's convention of 1.25.
const PueRow& select_pue(const PriceBook& book, std::string_view provider);

/// Rows of an accelerator, of one commitment if given, cheapest first.
std::vector<const PriceRow*> price_rows(const PriceBook& book, std::string_view accelerator,
                                        std::optional<Commitment> commitment = {});

/// Providers of the book, sorted.
std::vector<std::string> price_providers(const PriceBook& book);

/// Whether a row of the book is for the region of that name.
bool is_price_region(const PriceBook& book, std::string_view name);

/// The book's name of a provider, however it is spelled (`lambdalabs`, `LAMBDA`); throws Error
/// (usage) with the nearest name.
std::string find_provider(const PriceBook& book, std::string_view provider);

/// `unit price = median(...)` with the rows put in.
Derivation derive_price(const PriceQuote& quote, std::string_view accelerator);

}  // namespace trcost
