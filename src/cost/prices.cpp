// SPDX-License-Identifier: Apache-2.0
#include "trcost/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "trcost/error.h"
#include "trcost/numbers.h"
#include "trcost/suggest.h"

namespace trcost {
namespace {

constexpr double kListSigma = 0.10;   // one provider's list price (model.md 10: contract)
constexpr double kQuoteSigma = 0.25;  // a single quote of a market (model.md 10)
constexpr double kWidestSigma = 0.6;
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

std::vector<Step> steps(Commitment commitment) {
  constexpr std::array<bool, 5> kSpecialist = {true, false, false, false, false};
  constexpr std::array<bool, 5> kClouds = {true, true, false, false, false};
  constexpr std::array<bool, 5> kSurveys = {false, false, true, true, false};
  constexpr std::array<bool, 5> kHyperscalers = {false, false, false, false, true};
  constexpr std::array<bool, 5> kAll = {true, true, true, true, true};
  std::vector<Step> order = {
      {kSpecialist, true, 2, commitment, "specialist providers, last 12 months"},
      {kClouds, true, 1, commitment, "specialists and marketplaces, last 12 months"},
      {kClouds, false, 1, commitment, "older prices of specialists and marketplaces"},
      {kSurveys, true, 1, commitment, "market surveys and indices, last 12 months"},
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

// To a millionth of a dollar, so that a mean of two prices has no digits of binary rounding.
double median_of(std::vector<double> sorted) {
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  return std::round(median * 1e6) / 1e6;
}

// Sample standard deviation of ln(price), widened by the ranges that the rows themselves state.
double spread_of(const Rows& rows) {
  double own = 0;
  for (const PriceRow* row : rows) {
    if (row->low > 0) own = std::max(own, std::log(row->high / row->low) / (2 * kP90));
  }
  if (rows.size() < 2) return std::clamp(std::max(own, kQuoteSigma), kListSigma, kWidestSigma);
  double mean = 0;
  for (const PriceRow* row : rows) mean += std::log(row->median);
  mean /= static_cast<double>(rows.size());
  double squares = 0;
  for (const PriceRow* row : rows) squares += std::pow(std::log(row->median) - mean, 2);
  const double among = std::sqrt(squares / static_cast<double>(rows.size() - 1));
  return std::clamp(among, kListSigma, kWidestSigma);
}

std::string describe(const PriceRow& row) {
  return fmt::format("{}{}{} {} ({})", row.provider, row.product.empty() ? "" : " ", row.product,
                     format_number(row.median, NumberKind::money),
                     row.date.text.empty() ? "undated" : row.date.text);
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
    list += (list.empty() ? "" : ", ") + describe(*row);
  }
  quote.usd = median_of(medians);
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

PriceQuote select_price(const PriceBook& book, std::string_view accelerator, Commitment commitment,
                        std::string_view provider, std::string_view region) {
  if (!provider.empty()) return provider_price(book, accelerator, commitment, provider, region);
  for (const Step& step : steps(commitment)) {
    Rows rows = collect(book, accelerator, step, region);
    if (rows.size() >= step.at_least) {
      return quote_of(std::move(rows),
                      fmt::format("{} prices ({})", commitment_name(step.commitment), step.name));
    }
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

namespace {

PriceQuote byte_price(const std::vector<BytePrice>& rows, bool object_storage,
                      std::string_view what) {
  PriceQuote quote;
  std::vector<double> medians;
  std::string list;
  const BytePrice* newest = nullptr;
  for (const BytePrice& row : rows) {
    if (!row.verified || row.object_storage != object_storage) continue;
    medians.push_back(row.median);
    list += fmt::format("{}{} {} ${}", list.empty() ? "" : ", ", row.provider, row.item,
                        format_exact(row.median));
    if (newest == nullptr || row.date.last > newest->date.last) newest = &row;
  }
  if (medians.empty()) {
    quote.source = quote.rule = fmt::format("the price book has no price of {}", what);
    return quote;
  }
  quote.usd = median_of(medians);
  quote.date = newest->date.text;
  quote.rule = fmt::format("median of {}", what);
  quote.source = fmt::format("median of {} prices of {}: {}", medians.size(), what, list);
  return quote;
}

}  // namespace

PriceQuote select_storage_price(const PriceBook& book) {
  return byte_price(book.storage, true, "object storage");
}

PriceQuote select_egress_price(const PriceBook& book) {
  return byte_price(book.egress, false, "egress, first tiers");
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
  step.formula = quote.given ? "given" : "median of the selected rows, one per provider";
  for (const PriceRow* row : quote.rows) {
    step.numbers += (step.numbers.empty() ? "" : ", ") + describe(*row);
    const std::string origin = fmt::format("{} ({})", row->source, row->file);
    if (step.source.find(origin) == std::string::npos) {
      step.source += (step.source.empty() ? "" : "; ") + origin;
    }
  }
  if (step.numbers.empty()) step.numbers = quote.rule;
  if (step.source.empty()) step.source = quote.source;
  step.result = quote.usd
                    ? fmt::format("{} per GPU-hour", format_number(*quote.usd, NumberKind::money))
                    : "n/a";
  return step;
}

}  // namespace trcost
