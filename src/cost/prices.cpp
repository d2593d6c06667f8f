// SPDX-License-Identifier: Apache-2.0
#include "trcost/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "cost/commitment_price.h"
#include "cost/price_rows.h"
#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "trcost/numbers.h"
#include "trcost/suggest.h"

namespace trcost {
namespace {

constexpr double kQuoteSigma = 0.25;  // a single quote of a market (model.md 10)
constexpr double kP90 = 1.2815515655446004;  // standard normal quantile of 0.9

using Rows = std::vector<const PriceRow*>;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// Whether a row of `here` (`us/eu`, `us-east-1`, `all`) is valid in `wanted` (`us`, `us-east-1`).
bool region_matches(std::string_view here, std::string_view wanted) {
  if (wanted.empty()) return true;
  while (!here.empty()) {
    const std::size_t cut = std::min(here.find_first_of("/, "), here.size());
    const std::string_view word = here.substr(0, cut);
    here.remove_prefix(std::min(cut + 1, here.size()));
    if (word == "all" || word == "world" || same_word(word, wanted)) return true;
    const std::size_t n = std::min(word.size(), wanted.size());
    const std::string_view longer = word.size() > wanted.size() ? word : wanted;
    if (n > 0 && longer.size() > n && longer[n] == '-' &&
        same_word(word.substr(0, n), wanted.substr(0, n))) {
      return true;
    }
  }
  return false;
}

// The same day a year earlier; the 29th of February becomes a day that does not exist, which
// compares well enough.
std::string year_before(std::string_view date) {
  const int year = std::stoi(std::string(date.substr(0, 4)));
  return fmt::format("{:04}{}", year - 1, date.substr(4));
}

struct Step {
  std::array<bool, 5> classes{};  // by ProviderClass
  bool recent = false;            // within 12 months of the book's date
  std::size_t at_least = 1;       // providers
  Commitment commitment = Commitment::on_demand;
  std::string_view name;
};

// The market itself, in the order of how well a source stands for it.
std::vector<Step> market_steps(Commitment commitment) {
  constexpr std::array<bool, 5> kSpecialist = {true, false, false, false, false};
  constexpr std::array<bool, 5> kClouds = {true, true, false, false, false};
  constexpr std::array<bool, 5> kSurveys = {false, false, true, true, false};
  return {
      {kSpecialist, true, 2, commitment, "specialist providers, last 12 months"},
      {kClouds, true, 1, commitment, "specialists and marketplaces, last 12 months"},
      {kClouds, false, 1, commitment, "older prices of specialists and marketplaces"},
      {kSurveys, true, 1, commitment, "market surveys and indices, last 12 months"},
  };
}

// What is left where the market says nothing.
std::vector<Step> last_steps(Commitment commitment) {
  constexpr std::array<bool, 5> kSurveys = {false, false, true, true, false};
  constexpr std::array<bool, 5> kHyperscalers = {false, false, false, false, true};
  constexpr std::array<bool, 5> kAll = {true, true, true, true, true};
  std::vector<Step> order = {
      {kHyperscalers, true, 1, commitment, "hyperscalers, last 12 months"},
      {kSurveys, false, 1, commitment, "older market surveys and indices"},
      {kHyperscalers, false, 1, commitment, "older prices of hyperscalers"},
  };
  if (commitment == Commitment::on_demand) {
    order.push_back({kAll, false, 1, Commitment::block, "prepaid blocks"});
  }
  return order;
}

// Rows of a step; every provider once: its newest date, of that the cheapest.
Rows collect(const PriceBook& book, std::string_view accelerator, const Step& step,
             std::string_view region) {
  const std::string since = step.recent ? year_before(book.date) : std::string();
  Rows rows;
  for (const PriceRow& row : book.rows) {
    if (row.accelerator != accelerator || row.commitment != step.commitment || !row.verified)
      continue;
    if (!step.classes[static_cast<std::size_t>(row.provider_class)]) continue;
    if (step.recent && row.date.last < since) continue;
    if (!region_matches(row.region, region)) continue;
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const PriceRow* other) {
      return other->provider == row.provider;
    });
    if (same == rows.end()) {
      rows.push_back(&row);
    } else if (row.date.last > (*same)->date.last ||
               (row.date.last == (*same)->date.last && row.median < (*same)->median)) {
      *same = &row;
    }
  }
  std::sort(rows.begin(), rows.end(), [](const PriceRow* a, const PriceRow* b) {
    return a->median != b->median ? a->median < b->median : a->provider < b->provider;
  });
  return rows;
}

// Sample standard deviation of ln(price), widened by the ranges that the rows themselves state.
double spread_of(const Rows& rows) {
  double own = 0;
  for (const PriceRow* row : rows) {
    if (row->low > 0) own = std::max(own, portable_log(row->high / row->low) / (2 * kP90));
  }
  if (rows.size() < 2) return std::clamp(std::max(own, kQuoteSigma), kListSigma, kWidestSigma);
  double mean = 0;
  for (const PriceRow* row : rows) mean += portable_log(row->median);
  mean /= static_cast<double>(rows.size());
  double squares = 0;
  for (const PriceRow* row : rows) squares += square(portable_log(row->median) - mean);
  const double among = std::sqrt(squares / static_cast<double>(rows.size() - 1));
  return std::clamp(among, kListSigma, kWidestSigma);
}

std::string newest_date(const Rows& rows) {
  const PriceRow* newest =
      *std::max_element(rows.begin(), rows.end(),
                        [](const auto* a, const auto* b) { return a->date.last < b->date.last; });
  return newest->date.text;
}

PriceQuote quote_of(Rows rows, std::string_view rule) {
  PriceQuote quote;
  std::vector<double> medians;
  std::string list;
  for (const PriceRow* row : rows) {
    medians.push_back(row->median);
    list += (list.empty() ? "" : ", ") + describe_row(*row);
  }
  quote.usd = median_price(medians);
  quote.sigma = spread_of(rows);
  quote.date = newest_date(rows);
  quote.rule = rule;
  quote.source = rows.size() == 1 ? fmt::format("{}: {}", rule, list)
                                  : fmt::format("median of {} {}: {}", rows.size(), rule, list);
  quote.rows = std::move(rows);
  return quote;
}

void require_provider(const PriceBook& book, std::string_view provider) {
  const std::vector<std::string> known = price_providers(book);
  const bool found = std::any_of(known.begin(), known.end(),
                                 [&](const auto& name) { return same_word(name, provider); });
  if (found) return;
  const std::string guess = did_you_mean(provider, known);
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  throw Error(ErrorKind::usage,
              fmt::format("the price book has no provider \"{}\"", provider.substr(0, 60)),
              fmt::format("{}{}known: {}", guess, guess.empty() ? "" : " ", all), "--provider");
}

PriceQuote provider_price(const PriceBook& book, std::string_view accelerator,
                          Commitment commitment, std::string_view provider,
                          std::string_view region) {
  require_provider(book, provider);
  Rows rows;
  for (const PriceRow& row : book.rows) {
    if (same_word(row.provider, provider) && row.accelerator == accelerator &&
        row.commitment == commitment && region_matches(row.region, region)) {
      rows.push_back(&row);
    }
  }
  if (rows.empty()) {
    PriceQuote quote;
    quote.rule =
        fmt::format("the price book has no {} price of {} from {}{}{}", commitment_name(commitment),
                    accelerator, provider, region.empty() ? "" : " in ", region);
    quote.source = quote.rule;
    return quote;
  }
  std::sort(rows.begin(), rows.end(), [](const PriceRow* a, const PriceRow* b) {
    return a->date.last != b->date.last ? a->date.last > b->date.last : a->median < b->median;
  });
  rows = {rows.front()};
  PriceQuote quote =
      quote_of(rows, fmt::format("{} price of the provider", commitment_name(commitment)));
  quote.sigma = kListSigma;
  return quote;
}

}  // namespace

double median_price(std::vector<double> prices) {
  std::sort(prices.begin(), prices.end());
  const std::size_t n = prices.size();
  const double median = n % 2 == 1 ? prices[n / 2] : (prices[n / 2 - 1] + prices[n / 2]) / 2;
  return std::round(median * 1e6) / 1e6;
}

std::string describe_row(const PriceRow& row) {
  return fmt::format("{}{}{} {} ({})", row.provider, row.product.empty() ? "" : " ", row.product,
                     format_number(row.median, NumberKind::money),
                     row.date.text.empty() ? "undated" : row.date.text);
}

std::vector<std::string> price_providers(const PriceBook& book) {
  std::set<std::string> names;
  for (const PriceRow& row : book.rows) names.insert(row.provider);
  return {names.begin(), names.end()};
}

std::vector<const PriceRow*> price_rows(const PriceBook& book, std::string_view accelerator,
                                        std::optional<Commitment> commitment) {
  Rows rows;
  for (const PriceRow& row : book.rows) {
    if (row.accelerator == accelerator && (!commitment || row.commitment == *commitment)) {
      rows.push_back(&row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PriceRow* a, const PriceRow* b) {
    return a->commitment != b->commitment ? a->commitment < b->commitment : a->median < b->median;
  });
  return rows;
}

namespace {

std::optional<PriceQuote> first_of(const std::vector<Step>& order, const PriceBook& book,
                                   std::string_view accelerator, std::string_view region) {
  for (const Step& step : order) {
    Rows rows = collect(book, accelerator, step, region);
    if (rows.size() < step.at_least) continue;
    return quote_of(std::move(rows),
                    fmt::format("{} prices ({})", commitment_name(step.commitment), step.name));
  }
  return std::nullopt;
}

// The on-demand price in place of one that the book lacks, or has only dearer.
PriceQuote on_demand_instead(PriceQuote on_demand, std::string_view accelerator,
                             Commitment commitment, std::string_view reason) {
  on_demand.warning =
      fmt::format("{} of {}: {}; the on-demand price stands in for it, give --price if you know better",
                  commitment_name(commitment), accelerator, reason);
  on_demand.rule = fmt::format("{} in place of {} ({})", on_demand.rule,
                               commitment_name(commitment), reason);
  return on_demand;
}

// A commitment that no rows of the market have: a provider's own discount on the market's price, else
// what hyperscalers ask where that is less than on-demand, else on-demand. Spot capacity that nobody
// sells has no price.
PriceQuote commitment_price(const PriceBook& book, std::string_view accelerator,
                            Commitment commitment, std::string_view region) {
  PriceQuote on_demand = select_price(book, accelerator, Commitment::on_demand, {}, region);
  if (auto quote = discounted_price(book, accelerator, commitment, on_demand)) return *quote;
  const auto quote = first_of(last_steps(commitment), book, accelerator, region);
  if (quote && (!on_demand.usd || *quote->usd <= *on_demand.usd)) return *quote;
  if (quote) {
    return on_demand_instead(std::move(on_demand), accelerator, commitment,
                             fmt::format("only {} have it, and dearer than on-demand elsewhere",
                                         quote->rows.front()->provider));
  }
  if (on_demand.usd && commitment != Commitment::spot) {
    return on_demand_instead(std::move(on_demand), accelerator, commitment,
                             "no provider of the book has it");
  }
  return {};
}

// The market's price of a commitment; a warning where it is above that of none.
PriceQuote checked(PriceQuote quote, const PriceBook& book, std::string_view accelerator,
                   Commitment commitment, std::string_view region) {
  const PriceQuote on_demand = select_price(book, accelerator, Commitment::on_demand, {}, region);
  if (!on_demand.usd || *quote.usd <= *on_demand.usd) return quote;
  quote.warning = fmt::format("{} of {}, {}, is dearer than on-demand, {} ({})",
                              commitment_name(commitment), accelerator,
                              format_number(*quote.usd, NumberKind::money),
                              format_number(*on_demand.usd, NumberKind::money), on_demand.rule);
  quote.rule += fmt::format(", dearer than on-demand at {}",
                            format_number(*on_demand.usd, NumberKind::money));
  return quote;
}

}  // namespace

PriceQuote select_price(const PriceBook& book, std::string_view accelerator, Commitment commitment,
                        std::string_view provider, std::string_view region) {
  if (!provider.empty()) return provider_price(book, accelerator, commitment, provider, region);
  const bool committed = commitment == Commitment::reserved_1y ||
                         commitment == Commitment::reserved_3y || commitment == Commitment::spot;
  if (auto quote = first_of(market_steps(commitment), book, accelerator, region)) {
    return committed ? checked(std::move(*quote), book, accelerator, commitment, region) : *quote;
  }
  if (committed) {
    PriceQuote quote = commitment_price(book, accelerator, commitment, region);
    if (quote.usd) return quote;
  } else if (auto quote = first_of(last_steps(commitment), book, accelerator, region)) {
    return *quote;
  }
  if (!region.empty()) {
    PriceQuote anywhere = select_price(book, accelerator, commitment);
    if (anywhere.usd) {
      anywhere.rule = fmt::format("no price in {}; of any region: {}", region, anywhere.rule);
      return anywhere;
    }
  }
  PriceQuote quote;
  quote.rule = fmt::format("the price book has no {} price of {}: give --price",
                           commitment_name(commitment), accelerator);
  quote.source = quote.rule;
  return quote;
}

PriceQuote given_price(double usd_per_gpu_hour, std::string_view flag) {
  PriceQuote quote;
  quote.usd = usd_per_gpu_hour;
  quote.sigma = 0;
  quote.source = fmt::format("given by the user ({})", flag);
  quote.rule = "given";
  quote.given = true;
  return quote;
}

const PueRow& select_pue(const PriceBook& book, std::string_view provider) {
  static const PueRow convention = {"convention", 1.25, {}, "Epoch AI's convention"};
  const PueRow* fallback = &convention;
  for (const PueRow& row : book.pue) {
    if (same_word(row.name, provider)) return row;
    if (row.name == "convention") fallback = &row;
  }
  return *fallback;
}

Derivation derive_price(const PriceQuote& quote, std::string_view accelerator) {
  Derivation step;
  step.name = fmt::format("price of one {} hour", accelerator);
  step.formula = quote.given ? "given"
                 : quote.factor
                     ? "on-demand median x median of a provider's own price under commitment over on-demand"
                     : "median of the selected rows, one per provider";
  for (const PriceRow* row : quote.rows) {
    step.numbers += (step.numbers.empty() ? "" : ", ") + describe_row(*row);
    const std::string origin = fmt::format("{} ({})", row->source, row->file);
    if (step.source.find(origin) == std::string::npos) {
      step.source += (step.source.empty() ? "" : "; ") + origin;
    }
  }
  if (quote.factor) step.numbers += fmt::format("; factor {:.4g}", *quote.factor);
  if (step.numbers.empty()) step.numbers = quote.rule;
  if (step.source.empty()) step.source = quote.source;
  step.result = quote.usd
                    ? fmt::format("{} per GPU-hour", format_number(*quote.usd, NumberKind::money))
                    : "n/a";
  return step;
}

}  // namespace trcost
