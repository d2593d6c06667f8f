// SPDX-License-Identifier: Apache-2.0
#include "cost/commitment_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#include "cost/price_rows.h"
#include "quantity/portable_math.h"
#include "quantity/statistics.h"
#include "trcost/numbers.h"
#include "trcost/suggest.h"

namespace trcost {
namespace {

struct Pair {
  const PriceRow* committed;
  const PriceRow* on_demand;
  [[nodiscard]] double ratio() const { return committed->median / on_demand->median; }
  [[nodiscard]] bool same_date() const { return committed->date.text == on_demand->date.text; }
};

int months(const PriceDate& date) {
  return std::stoi(date.first.substr(0, 4)) * 12 + std::stoi(date.first.substr(5, 2));
}

bool usable(const PriceRow& row, std::string_view accelerator, Commitment commitment) {
  return row.accelerator == accelerator && row.commitment == commitment && row.verified &&
         !row.date.first.empty();
}

// Of every provider the newest row of the commitment, of those the cheapest.
PriceRows newest_rows(const PriceBook& book, std::string_view accelerator, Commitment commitment) {
  PriceRows out;
  for (const PriceRow& row : book.rows) {
    if (usable(row, accelerator, commitment)) keep_best(out, row, {});
  }
  return out;
}

// The provider's own on-demand row that compares best: nearest in date, then of the same product.
const PriceRow* own_on_demand(const PriceBook& book, const PriceRow& committed) {
  const PriceRow* best = nullptr;
  const auto distance = [&](const PriceRow& row) {
    return std::tuple(row.date.text != committed.date.text,
                      std::abs(months(row.date) - months(committed.date)),
                      row.product != committed.product, row.median);
  };
  for (const PriceRow& row : book.rows) {
    if (!same_folded(row.provider, committed.provider) ||
        !usable(row, committed.accelerator, Commitment::on_demand)) {
      continue;
    }
    if (best == nullptr || distance(row) < distance(*best)) best = &row;
  }
  return best;
}

std::vector<Pair> pairs(const PriceBook& book, std::string_view accelerator,
                        Commitment commitment) {
  std::vector<Pair> out;
  for (const PriceRow* row : newest_rows(book, accelerator, commitment)) {
    if (const PriceRow* own = own_on_demand(book, *row)) out.push_back({row, own});
  }
  if (std::any_of(out.begin(), out.end(), [](const Pair& p) { return p.same_date(); })) {
    std::erase_if(out, [](const Pair& p) { return !p.same_date(); });
  }
  std::sort(out.begin(), out.end(), [](const Pair& a, const Pair& b) {
    return a.committed->provider < b.committed->provider;
  });
  return out;
}

std::vector<double> ratios_of(const std::vector<Pair>& found) {
  std::vector<double> ratios;
  for (const Pair& pair : found) ratios.push_back(pair.ratio());
  return ratios;
}

// A commitment that is dearer than none is not made. To a millionth, so that what is shown multiplies.
double share_of(const std::vector<double>& ratios) { return std::min(1.0, median_price(ratios)); }

// The on-demand price times a share of it, of which `ratios` give the spread.
PriceQuote priced_at(double share, const std::vector<double>& ratios, const PriceQuote& on_demand) {
  PriceQuote out;
  out.factor = share;
  out.usd = rounded_price(*on_demand.usd * share);
  out.sigma = std::min(
      kWidestSigma,
      in_quadrature(on_demand.sigma, std::max(kListSigma, log_deviation(ratios))));
  out.date = on_demand.date;
  out.rows = on_demand.rows;
  out.warning = on_demand.warning;
  return out;
}

}  // namespace

std::optional<PriceQuote> discounted_price(const PriceBook& book, std::string_view accelerator,
                                           Commitment commitment, const PriceQuote& on_demand) {
  if (!on_demand.usd) return std::nullopt;
  const std::vector<Pair> found = pairs(book, accelerator, commitment);
  if (found.empty()) return std::nullopt;
  const std::vector<double> ratios = ratios_of(found);
  PriceQuote out = priced_at(share_of(ratios), ratios, on_demand);
  std::string list, providers;
  for (const Pair& pair : found) {
    list += fmt::format("{}{} / on-demand {}", list.empty() ? "" : ", ",
                        describe_row(*pair.committed), describe_row(*pair.on_demand));
    providers += (providers.empty() ? "" : ", ") + pair.committed->provider;
    out.rows.insert(out.rows.end(), {pair.committed, pair.on_demand});
  }
  out.rule = fmt::format("{} at {:.0f} % of on-demand, as {} {} it; {}", commitment_name(commitment),
                         100 * *out.factor, providers, found.size() == 1 ? "sells" : "sell",
                         on_demand.rule);
  out.source = fmt::format("{} x {}: {} {}; on-demand: {}", format_exact(*out.factor),
                           format_price(*on_demand.usd), commitment_name(commitment), list,
                           on_demand.source);
  return out;
}

std::optional<PriceQuote> usual_discount_price(const PriceBook& book, std::string_view accelerator,
                                               Commitment commitment, const PriceQuote& on_demand) {
  if (!on_demand.usd) return std::nullopt;
  std::map<std::string_view, double> shares;  // of other accelerators, by name
  for (const PriceRow& row : book.rows) {
    if (row.commitment != commitment || row.accelerator == accelerator) continue;
    if (shares.contains(row.accelerator)) continue;
    const std::vector<Pair> found = pairs(book, row.accelerator, commitment);
    if (!found.empty()) shares[row.accelerator] = share_of(ratios_of(found));
  }
  if (shares.empty()) return std::nullopt;
  std::vector<double> ratios;
  std::string list;
  for (const auto& [name, share] : shares) {
    ratios.push_back(share);
    list += fmt::format("{}{} {:.0f} %", list.empty() ? "" : ", ", name, 100 * share);
  }
  PriceQuote out = priced_at(share_of(ratios), ratios, on_demand);
  out.rule = fmt::format("{} at {:.0f} % of on-demand, the median of {} other accelerators; {}",
                         commitment_name(commitment), 100 * *out.factor, ratios.size(),
                         on_demand.rule);
  out.source = fmt::format("{} x {}: {} as a share of on-demand of {}; on-demand: {}",
                           format_exact(*out.factor), format_price(*on_demand.usd),
                           commitment_name(commitment), list, on_demand.source);
  out.warning = fmt::format(
      "{} of {}: no provider of the book sells it; {:.0f} % of the on-demand price is assumed, as on "
      "{} other accelerators; {}",
      commitment_name(commitment), accelerator, 100 * *out.factor, ratios.size(),
      out.warning.empty() ? "give --price if you know better" : out.warning);
  return out;
}

}  // namespace trcost
