// SPDX-License-Identifier: Apache-2.0
#include "prices/market/term_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "prices/market/imputed_price.h"
#include "quantity/portable_math.h"
#include "quantity/statistics.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

bool of_class(const Market& market, const PriceRow& row) {
  return price_class_of(row.provider_class) == market.price_class && row.verified && !row.guessed &&
         row.date.first <= market.as_of;
}

// The seller's on-demand price of the same chip and day; of several products the nearest in price.
const PriceRow* own_on_demand(const PriceBook& book, const PriceRow& term) {
  const PriceRow* best = nullptr;
  for (const PriceRow& row : book.rows) {
    if (row.commitment != Commitment::on_demand || row.accelerator != term.accelerator ||
        row.date.text != term.date.text || row.provider != term.provider || !row.verified) {
      continue;
    }
    if (row.median < term.median) continue;  // another product: a term takes off
    if (best == nullptr || row.median < best->median) best = &row;
  }
  return best;
}

}  // namespace

std::optional<TermShare> term_share(const Market& market) {
  std::map<std::string_view, std::vector<double>> sellers;
  for (const PriceRow& row : market.book.rows) {
    if (row.commitment != market.commitment || !of_class(market, row)) continue;
    if (const PriceRow* own = own_on_demand(market.book, row)) {
      sellers[row.provider].push_back(row.median / own->median);
    }
  }
  for (const DiscountRow& row : market.book.discounts) {
    if (row.commitment != market.commitment || row.date.first > market.as_of ||
        price_class_of(row.provider_class) != market.price_class) {
      continue;
    }
    if (!sellers.contains(row.provider)) sellers[row.provider] = {row.share};
  }
  if (sellers.empty()) return std::nullopt;
  TermShare out;
  for (const auto& [name, shares] : sellers) {
    out.of_sellers.push_back(median(shares));
    out.list += fmt::format("{}{} {:.3g} %", out.list.empty() ? "" : ", ", name,
                            100 * out.of_sellers.back());
  }
  constexpr double kDigits = 1000;
  out.share = std::min(1.0, std::round(median(out.of_sellers) * kDigits) / kDigits);
  return out;
}

PriceQuote discounted(const PriceQuote& on_demand, const TermShare& share,
                      std::string_view accelerator, const Market& market) {
  PriceQuote out = on_demand;
  out.imputed = true;
  out.middle_of = {*on_demand.usd};
  out.factor = share.share;
  out.usd = rounded_price(*on_demand.usd * share.share);
  out.sigma = std::clamp(
      in_quadrature(on_demand.sigma, std::max(kListSigma, log_deviation(share.of_sellers))),
      kImputedSigma, kWidestSigma);
  const std::string_view kind = commitment_name(market.commitment);
  out.rule = fmt::format("imputed: {} at {:.3g} % of on-demand, what the class takes off ({}); {}",
                         kind, 100 * share.share, share.list, on_demand.rule);
  out.source = fmt::format("{} x {}: {} as a share of on-demand: {}; on-demand: {}",
                           format_exact(share.share), format_price(*on_demand.usd), kind,
                           share.list, on_demand.source);
  out.warning = fmt::format(
      "{}: no {} price of class {}; ~{} is {:.3g} % of on-demand, what sellers of the class ask "
      "for "
      "the term ({}): --price gives another",
      accelerator, kind, price_class_name(market.price_class), format_price(*out.usd),
      100 * share.share, share.list);
  if (!on_demand.warning.empty()) out.warning += "; " + on_demand.warning;
  return out;
}

}  // namespace trcost::prices
