// SPDX-License-Identifier: Apache-2.0
// Which rows of the book an estimate's price is the median of.
#include "trcost/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cost/commitment_price.h"
#include "cost/price_rows.h"
#include "trcost/error.h"

namespace trcost {
namespace {

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

// The market itself, in the order of how well a source stands for it. Spot prices of a single
// provider are no market: they move with what it has idle.
std::vector<Step> market_steps(Commitment commitment) {
  const std::size_t few = commitment == Commitment::spot ? 2 : 1;
  constexpr std::array<bool, 5> kSpecialist = {true, false, false, false, false};
  constexpr std::array<bool, 5> kClouds = {true, true, false, false, false};
  constexpr std::array<bool, 5> kSurveys = {false, false, true, true, false};
  return {
      {kSpecialist, true, 2, commitment, "specialist providers, last 12 months"},
      {kClouds, true, few, commitment, "specialists and marketplaces, last 12 months"},
      {kClouds, false, few, commitment, "older prices of specialists and marketplaces"},
      {kSurveys, true, few, commitment, "market surveys and indices, last 12 months"},
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

// What a single provider of the market asks.
std::vector<Step> lone_steps(Commitment commitment) {
  std::vector<Step> order = market_steps(commitment);
  std::erase_if(order, [](const Step& step) { return step.classes[2]; });
  for (Step& step : order) step.at_least = 1;
  return order;
}

// Rows of a step; every provider once.
PriceRows collect(const PriceBook& book, std::string_view accelerator, const Step& step,
                  const PriceRegion& region) {
  const std::string since = step.recent ? year_before(book.date) : std::string();
  PriceRows rows;
  for (const PriceRow& row : book.rows) {
    if (row.accelerator != accelerator || row.commitment != step.commitment || !row.verified) {
      continue;
    }
    if (!step.classes[static_cast<std::size_t>(row.provider_class)]) continue;
    if (step.recent && row.date.last < since) continue;
    keep_best(rows, row, region);
  }
  return rows;
}

std::optional<PriceQuote> first_of(const std::vector<Step>& order, const PriceBook& book,
                                   std::string_view accelerator, const PriceRegion& region) {
  for (const Step& step : order) {
    PriceRows rows = collect(book, accelerator, step, region);
    if (rows.size() < step.at_least) continue;
    return quote_of(std::move(rows),
                    fmt::format("{} prices ({})", commitment_name(step.commitment), step.name));
  }
  return std::nullopt;
}

// Chips that only the cloud that makes them rents out: its list price is the market's.
bool sold_by_its_maker(std::string_view accelerator) {
  return accelerator.starts_with("tpu") || accelerator.starts_with("trainium");
}

// How many times the market's price hyperscalers ask: the median over accelerators that both sell.
std::optional<double> hyperscalers_multiple(const PriceBook& book) {
  std::vector<std::string_view> names;
  for (const PriceRow& row : book.rows) names.push_back(row.accelerator);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<double> multiples;
  for (const std::string_view name : names) {
    const auto market = first_of(market_steps(Commitment::on_demand), book, name, {});
    const auto list = first_of({last_steps(Commitment::on_demand).front()}, book, name, {});
    if (market && list) multiples.push_back(*list->usd / *market->usd);
  }
  if (multiples.empty()) return std::nullopt;
  return median_price(multiples);
}

// An on-demand price that is not the market's, and what that means.
PriceQuote with_caution(PriceQuote quote, const PriceBook& book, std::string_view accelerator) {
  const auto all = [&](auto is) { return std::all_of(quote.rows.begin(), quote.rows.end(), is); };
  if (all([](const PriceRow* row) { return row->commitment == Commitment::block; })) {
    quote.warning = fmt::format(
        "on-demand price of {}: the book has prepaid blocks only ({}), which are paid for in days "
        "whether used or not; give --price if you know better",
        accelerator, format_price(*quote.usd));
    return quote;
  }
  if (sold_by_its_maker(accelerator) || !all([](const PriceRow* row) {
        return row->provider_class == ProviderClass::hyperscaler;
      })) {
    return quote;
  }
  if (const std::optional<double> multiple = hyperscalers_multiple(book)) {
    quote.rule += fmt::format(
        "; nobody else's are in the book, and of other accelerators hyperscalers ask {:.1f} times "
        "the market's price",
        *multiple);
  }
  return quote;
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

// A commitment that no rows of the market have: a provider's own discount on the market's price; of
// spot capacity that one provider of the market sells, no less than it asks. Else what hyperscalers
// ask where that is less than on-demand, else the usual discount, else on-demand.
PriceQuote commitment_price(const PriceBook& book, std::string_view accelerator,
                            Commitment commitment, const PriceRegion& region,
                            const PriceQuote& on_demand) {
  const auto lone = first_of(lone_steps(commitment), book, accelerator, region);
  const auto discounted = discounted_price(book, accelerator, commitment, on_demand);
  if (discounted && (!lone || *discounted->usd > *lone->usd)) return *discounted;
  if (lone) return *lone;
  const auto quote = first_of(last_steps(commitment), book, accelerator, region);
  if (quote && (!on_demand.usd || *quote->usd <= *on_demand.usd)) return *quote;
  if (auto usual = usual_discount_price(book, accelerator, commitment, on_demand)) return *usual;
  if (quote) {
    return on_demand_instead(on_demand, accelerator, commitment,
                             fmt::format("only {} have it, and dearer than on-demand elsewhere",
                                         quote->rows.front()->provider));
  }
  if (on_demand.usd && commitment != Commitment::spot) {
    return on_demand_instead(on_demand, accelerator, commitment, "no provider of the book has it");
  }
  return {};
}

// The market's price of a commitment; a warning where it is above that of none.
PriceQuote checked(PriceQuote quote, std::string_view accelerator, Commitment commitment,
                   const PriceQuote& on_demand) {
  if (!on_demand.usd || *quote.usd <= *on_demand.usd) return quote;
  quote.warning = fmt::format("{} of {}, {}, is dearer than on-demand, {} ({})",
                              commitment_name(commitment), accelerator, format_price(*quote.usd),
                              format_price(*on_demand.usd), on_demand.rule);
  quote.rule += fmt::format(", dearer than on-demand at {}", format_price(*on_demand.usd));
  return quote;
}

// On-demand prices and blocks: the market's, else what is left.
PriceQuote plain_price(const PriceBook& book, std::string_view accelerator, Commitment commitment,
                       const PriceRegion& region) {
  if (auto quote = first_of(market_steps(commitment), book, accelerator, region)) return *quote;
  auto quote = first_of(last_steps(commitment), book, accelerator, region);
  if (!quote) return {};
  return commitment == Commitment::on_demand ? with_caution(*std::move(quote), book, accelerator)
                                             : *std::move(quote);
}

PriceQuote committed_price(const PriceBook& book, std::string_view accelerator,
                           Commitment commitment, const PriceRegion& region) {
  const PriceQuote on_demand = select_price(book, accelerator, Commitment::on_demand, {}, region.name,
                                            region.regions);
  if (auto quote = first_of(market_steps(commitment), book, accelerator, region)) {
    return checked(*std::move(quote), accelerator, commitment, on_demand);
  }
  return commitment_price(book, accelerator, commitment, region, on_demand);
}

}  // namespace

PriceQuote select_price(const PriceBook& book, std::string_view accelerator, Commitment commitment,
                        std::string_view provider, std::string_view region,
                        const Regions* regions) {
  const PriceRegion where{region, regions};
  if (!provider.empty()) return provider_price(book, accelerator, commitment, provider, where);
  const bool committed = commitment == Commitment::reserved_1y ||
                         commitment == Commitment::reserved_3y || commitment == Commitment::spot;
  PriceQuote quote = committed ? committed_price(book, accelerator, commitment, where)
                               : plain_price(book, accelerator, commitment, where);
  if (quote.usd) return quote;
  if (!region.empty()) {
    PriceQuote anywhere = select_price(book, accelerator, commitment);
    if (anywhere.usd) {
      anywhere.rule = fmt::format("no price in {}; of any region: {}", region, anywhere.rule);
      return anywhere;
    }
  }
  quote.rule = fmt::format("the price book has no {} price of {}: give --price",
                           commitment_name(commitment), accelerator);
  quote.source = quote.rule;
  return quote;
}

}  // namespace trcost
