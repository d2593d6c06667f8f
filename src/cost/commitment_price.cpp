// SPDX-License-Identifier: Apache-2.0
#include "cost/commitment_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "cost/price_rows.h"
#include "quantity/portable_math.h"
#include "trcost/numbers.h"

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
std::vector<const PriceRow*> newest_rows(const PriceBook& book, std::string_view accelerator,
                                         Commitment commitment) {
  std::vector<const PriceRow*> out;
  for (const PriceRow& row : book.rows) {
    if (!usable(row, accelerator, commitment)) continue;
    const auto same = std::find_if(out.begin(), out.end(), [&](const PriceRow* other) {
      return other->provider == row.provider;
    });
    if (same == out.end()) {
      out.push_back(&row);
    } else if (row.date.last > (*same)->date.last ||
               (row.date.last == (*same)->date.last && row.median < (*same)->median)) {
      *same = &row;
    }
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
    if (row.provider != committed.provider ||
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

// Standard deviation of ln(ratio) among providers, at least that of a list price.
double spread_of(const std::vector<Pair>& found) {
  double mean = 0, squares = 0;
  for (const Pair& pair : found) mean += portable_log(pair.ratio());
  mean /= static_cast<double>(found.size());
  for (const Pair& pair : found) squares += square(portable_log(pair.ratio()) - mean);
  const double among =
      found.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(found.size() - 1));
  return std::max(kListSigma, among);
}

}  // namespace

std::optional<PriceQuote> discounted_price(const PriceBook& book, std::string_view accelerator,
                                           Commitment commitment, const PriceQuote& on_demand) {
  if (!on_demand.usd) return std::nullopt;
  const std::vector<Pair> found = pairs(book, accelerator, commitment);
  if (found.empty()) return std::nullopt;
  std::vector<double> ratios;
  std::string list, providers;
  PriceQuote out;
  out.date = on_demand.date;
  out.rows = on_demand.rows;
  for (const Pair& pair : found) {
    ratios.push_back(pair.ratio());
    list += fmt::format("{}{} / on-demand {}", list.empty() ? "" : ", ",
                        describe_row(*pair.committed), describe_row(*pair.on_demand));
    providers += (providers.empty() ? "" : ", ") + pair.committed->provider;
    out.rows.insert(out.rows.end(), {pair.committed, pair.on_demand});
  }
  // A commitment that is dearer than none is not made.
  const double ratio = std::min(1.0, median_price(ratios));
  out.factor = ratio;
  out.usd = std::round(*on_demand.usd * ratio * 1e6) / 1e6;
  out.sigma = std::min(kWidestSigma, in_quadrature(on_demand.sigma, spread_of(found)));
  out.rule = fmt::format("{} at {:.0f} % of on-demand, as {} {} it; {}", commitment_name(commitment),
                         100 * ratio, providers, found.size() == 1 ? "sells" : "sell",
                         on_demand.rule);
  out.source = fmt::format("{} x {}: {} {}; on-demand: {}", format_exact(std::round(ratio * 1e4) / 1e4),
                           format_number(*on_demand.usd, NumberKind::money),
                           commitment_name(commitment), list, on_demand.source);
  return out;
}

}  // namespace trcost
