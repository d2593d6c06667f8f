// SPDX-License-Identifier: Apache-2.0
#include "prices/market/price_quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "quantity/currency.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/statistics.h"
#include "quantity/suggest.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

PriceQuote quote_bytes(const std::vector<BytePrice>& rows, bool object_storage,
                       std::string_view what) {
  PriceQuote quote;
  std::string list;
  const BytePrice* newest = nullptr;
  for (const BytePrice& row : rows) {
    if (!row.verified || row.object_storage != object_storage) continue;
    quote.prices.push_back(row.median);
    append_item(list, fmt::format("{} {} ${}", row.provider, row.item, format_exact(row.median)));
    if (newest == nullptr || row.date.last > newest->date.last) newest = &row;
  }
  if (newest == nullptr)
    return missing_price(fmt::format("the price book has no price of {}", what));
  quote.usd = median_price(quote.prices);
  quote.date = newest->date.text;
  quote.rule = fmt::format("median of {}", what);
  quote.source = fmt::format("median of {} prices of {}: {}", quote.prices.size(), what, list);
  return quote;
}

}  // namespace

PriceQuote quote_rows(PriceRows rows, std::string_view rule) {
  std::ranges::sort(rows, {}, [](const PriceRow* row) {
    return std::pair(row->median, std::string_view(row->provider));
  });
  PriceQuote quote;
  std::string list;
  for (const PriceRow* row : rows) {
    quote.prices.push_back(row->median);
    append_item(quote.provider, row->provider);
    append_item(list, describe_row(*row));
  }
  quote.usd = median_price(quote.prices);
  if (rows.size() > 1) {
    quote.sigma = std::clamp(log_deviation(quote.prices), kListSigma, kWidestSigma);
  } else {
    const double own = portable_log(rows.front()->high / rows.front()->low) / (2 * kNormalP90);
    quote.sigma = std::clamp(own, kQuoteSigma, kWidestSigma);
  }
  quote.date = date_range(rows);
  quote.rule = rule;
  quote.price_class = price_class_of(rows.front()->provider_class);
  quote.source = fmt::format("{}{}: {}", rows.size() == 1 ? "" : "median of ", rule, list);
  quote.rows = std::move(rows);
  return quote;
}

PriceQuote given_price(double usd_per_gpu_hour, std::string_view flag) {
  PriceQuote quote;
  quote.usd = usd_per_gpu_hour;
  quote.prices = {usd_per_gpu_hour};
  quote.sigma = 0;
  quote.source = fmt::format("given by the user ({})", flag);
  quote.rule = "given";
  quote.given = true;
  return quote;
}

PriceQuote missing_price(std::string reason) {
  PriceQuote quote;
  quote.source = reason;
  quote.rule = std::move(reason);
  return quote;
}

double rounded_price(double usd) {
  return std::round(usd * 1e6) / 1e6;
}

double median_price(std::vector<double> prices) {
  return rounded_price(median(std::move(prices)));
}

std::string format_price(double usd) {
  const Currency& currency = shown_currency();
  const std::string& sign = currency.sign;
  std::string text = format_exact(rounded_price(usd * currency.per_usd));
  if (text.find('e') != std::string::npos) return sign + text;
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return sign + text + ".00";
  return sign + text + (text.size() - point == 2 ? "0" : "");
}

std::string describe_row(const PriceRow& row) {
  return fmt::format("{}{}{} {} ({})", row.provider, row.product.empty() ? "" : " ", row.product,
                     format_price(row.median), row.date.text.empty() ? "undated" : row.date.text);
}

std::string date_range(const PriceRows& rows) {
  const auto [oldest, newest] = std::ranges::minmax_element(
      rows, {}, [](const PriceRow* row) { return std::string_view(row->date.first); });
  const std::string& from = (*oldest)->date.text;
  const std::string& to = (*newest)->date.text;
  return from.empty() || from == to ? to : fmt::format("{} to {}", from, to);
}

Derivation derive_price(const PriceQuote& quote, std::string_view accelerator) {
  Derivation step;
  step.name = fmt::format("price of one {} hour", accelerator);
  step.formula = quote.given     ? "given"
                 : quote.imputed ? "price of others x the ratio that sellers ask: see the rule"
                                 : "median of the selected rows, one per provider";
  // `median(3.9, 3.99, 4.5) x 0.65`
  for (const double usd : quote.prices) {
    append_item(step.numbers, format_exact(rounded_price(usd)));
  }
  if (quote.prices.size() > 1) step.numbers = fmt::format("median({})", step.numbers);
  if (quote.factor) step.numbers += " x " + format_exact(*quote.factor);
  std::string rows;
  for (const PriceRow* row : quote.rows) {
    append_item(rows, describe_row(*row));
    const std::string origin = fmt::format("{} ({})", row->source, row->file);
    if (step.source.find(origin) == std::string::npos) append_item(step.source, origin, "; ");
  }
  if (!rows.empty()) step.numbers += "; " + rows;
  if (rows.empty() || quote.imputed) append_item(step.numbers, quote.rule, "; ");
  if (step.source.empty()) step.source = quote.source;
  step.result = quote.usd ? fmt::format("{} per GPU-hour", format_price(*quote.usd)) : "n/a";
  return step;
}

PriceQuote select_storage_price(const PriceBook& book) {
  return quote_bytes(book.storage, true, "object storage");
}

PriceQuote select_egress_price(const PriceBook& book) {
  return quote_bytes(book.egress, false, "egress, first tiers");
}

const PueRow* select_pue(const PriceBook& book, std::string_view provider) {
  const std::string wanted = provider_name(book, provider);
  const auto own = std::ranges::find_if(
      book.pue, [&](const PueRow& row) { return same_folded(row.name, wanted); });
  if (own != book.pue.end()) return &*own;
  const auto usual = std::ranges::find(book.pue, true, &PueRow::of_others);
  return usual == book.pue.end() ? nullptr : &*usual;
}

}  // namespace trcost::prices
