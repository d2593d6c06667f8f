// SPDX-License-Identifier: Apache-2.0
#include "report/page/money_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "quantity/currency.h"
#include "quantity/quantity.h"
#include "quantity/suggest.h"
#include "report/page/wording.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

// Returns the cost of an hour of an owned accelerator, part by part.
std::string owned_hour_words(const Estimate& e) {
  std::string text;
  for (std::size_t i = 0; i < kPartWords.size(); ++i) {
    const auto part = static_cast<Part>(i);
    const std::string_view name = kPartWords[i].of_hour;
    if (name.empty()) continue;
    double usd = 0;
    for (const LineItem& item : e.cost.items) {
      if (item.part == part && item.included) usd += item.amount.value_or(0);
    }
    if (usd <= 0 || e.gpu_hours <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, unit_money(usd / e.gpu_hours));
  }
  return text;
}

// Returns the cash and the power that owning takes.
std::string site_words(const Estimate& e) {
  std::string text;
  if (e.cost.machines) {
    text += fmt::format(". Machines and network cost {} to buy", short_money(e.cost.machines->usd));
  }
  if (e.energy.site_megawatts) {
    text += fmt::format(". The site takes {} MW",
                        format_number(*e.energy.site_megawatts, NumberKind::number));
  }
  return text;
}

// Describes the commitment of a reserved price: the whole term is paid, used or not.
std::string obligation_words(const Estimate& e) {
  const Obligation& bound = *e.cost.obligation;
  const double years = bound.hours / kHoursPerYear;
  return fmt::format(
      "The contract runs for {} year{} and costs {} for {} accelerators. The run uses {} of it, "
      "and the rest is paid too",
      format_exact(years), years == 1 ? "" : "s", short_money(bound.usd), grouped(bound.gpus, 0),
      format_number(e.wall_clock_seconds, NumberKind::duration));
}

// Returns the price of an accelerator-hour, its parts if owned, and its source.
std::string price_words(const Estimate& e) {
  const auto& price = e.cost.price_per_gpu_hour;
  std::string text =
      price ? fmt::format("{} per GPU-hour", unit_money(*price)) : std::string("no price known");
  if (price) text = mark_imputed(std::move(text), e.cost);
  if (e.cost.own && price) text += fmt::format(" in use, owned: {}", owned_hour_words(e));
  if (const LineItem* item = compute_item(e)) {
    text += (e.cost.own ? ". Servers: " : ": ") + source_words(*item);
  }
  if (e.cost.own) text += site_words(e);
  if (e.cost.obligation) text += ". " + obligation_words(e);
  return text;
}

}  // namespace

std::string missing_price_words(const Report& report, const Estimate& e) {
  const Scenario* scenario = report.scenario;
  if (!e.cost.own) {
    std::string kind;
    if (scenario != nullptr) kind = std::string(scenario->text(Field::cost_pricing)) + " ";
    std::string seller, region;
    if (scenario != nullptr && scenario->has(Field::cost_provider)) {
      seller = fmt::format(" of {}", scenario->text(Field::cost_provider));
    }
    if (scenario != nullptr && scenario->has(Field::cost_region)) {
      region = fmt::format(" in {}", scenario->text(Field::cost_region));
    }
    std::string also = seller.empty() ? "" : ", another --provider or --pricing";
    std::string why;
    switch (e.cost.purchase) {
      case Purchase::priced:
        also += ", or --pricing own";
        break;
      case Purchase::unpriced:
        also += ", or --pricing own with --purchase-price";
        break;
      case Purchase::not_for_sale:
        why = "its maker's cloud alone rents it, and ";
        break;
    }
    if (!region.empty()) also.insert(0, ", another --region");
    return fmt::format("{}no {}price{}{} is known: set --price{}", why, kind, seller, region, also);
  }
  const auto unknown = [&](Part part) {
    return std::ranges::any_of(e.cost.items, [&](const LineItem& row) {
      return row.included && !row.amount && row.part == part;
    });
  };
  std::string missing;
  const auto add = [&](std::string_view what) {
    missing += fmt::format("{}{}", missing.empty() ? "" : ", and ", what);
  };
  if (unknown(Part::servers)) {
    add(e.cost.purchase == Purchase::not_for_sale
            ? "it is not for sale: leave --pricing own out"
            : "its purchase price is not known: set --purchase-price");
  }
  if (unknown(Part::colocation)) add("its power is not known: set --watts-per-gpu");
  if (missing.empty()) add("a price of the bill is not known");
  return missing;
}

std::vector<Fact> price_facts(std::span<const Estimate> estimates,
                              std::string_view price_data_date) {
  std::vector<Fact> facts;
  for (const Estimate& e : estimates) facts.push_back({e.accelerator, price_words(e)});
  if (!price_data_date.empty()) facts.push_back({"Newest price", std::string(price_data_date)});
  return facts;
}

std::string quote_dates_words(std::span<const Estimate> estimates) {
  constexpr std::string_view kTo = " to ";
  std::string_view first, last;
  for (const Estimate& e : estimates) {
    const std::string_view dates = e.cost.price_date;
    if (e.cost.own || dates.empty()) continue;
    const std::size_t to = dates.find(kTo);
    const std::string_view until = to == dates.npos ? dates : dates.substr(to + kTo.size());
    if (first.empty() || dates.substr(0, to) < first) first = dates.substr(0, to);
    last = std::max(last, until);
  }
  if (first.empty()) return {};
  return fmt::format("Quotes of {}. ", first == last
                                           ? std::string(first)
                                           : months_words(fmt::format("{}{}{}", first, kTo, last)));
}

std::string price_legend(std::span<const Estimate> estimates, std::string_view price_data_date,
                         std::string_view as_of) {
  const bool imputed = std::ranges::any_of(
      estimates, [](const Estimate& e) { return e.cost.doubts.imputed && !e.cost.own; });
  std::string text = imputed ? "~ Estimated price. " : "";
  text += price_data_words(price_data_date, as_of) + quote_dates_words(estimates);
  if (estimates.empty()) return text;
  if (estimates.front().cost.own) return text;
  return text + fmt::format("Sellers: trcost list prices {}.",
                            estimates.size() > 1 ? "CHIP" : estimates.front().accelerator);
}

std::string term_sentence(double hours, double usd, std::string_view whose) {
  const double years = hours / kHoursPerYear;
  return fmt::format("The contract runs for {} year{} and costs {} {}, used or not.",
                     format_exact(years), years == 1 ? "" : "s", brief_money(usd), whose);
}

std::string obligation_sentence(const Estimate& e) {
  return term_sentence(e.cost.obligation->hours, e.cost.obligation->usd, "in all");
}

std::string commitment_sentence(const Estimate& e) {
  if (e.cost.obligation) return " This is the run's share of a contract. " + obligation_sentence(e);
  if (!e.cost.own || !e.cost.machines) return {};
  const OwnedMachines& machines = *e.cost.machines;
  std::string text = fmt::format(" This is the run's share of machines that cost {} to buy",
                                 brief_money(machines.usd));
  if (machines.gpus > e.gpus) {
    text += fmt::format(": they have {} GPUs, and others use the rest", grouped(machines.gpus, 0));
  }
  return text + ".";
}

std::string break_even_words(const CostResult& cost) {
  if (!cost.rent_per_gpu_hour || !cost.price_per_gpu_hour) return {};
  const std::string rent =
      fmt::format("renting at {} per GPU-hour", unit_money(*cost.rent_per_gpu_hour));
  const std::string share = cost.break_even_utilization
                                ? format_number(*cost.break_even_utilization, NumberKind::fraction)
                                : std::string();
  std::string text;
  if (share.empty()) {
    text = fmt::format("{} is cheaper than the energy of an owned cluster alone", rent);
  } else if (*cost.break_even_utilization > 1) {
    text = fmt::format(
        "{} is cheaper however busy an owned cluster is: owning would break even at {} of the "
        "hours",
        rent, share);
  } else {
    text = fmt::format(
        "At its value now, an owned cluster costs less than {} if it is in use more than {} of the "
        "time",
        rent, share);
  }
  text[0] = quantity::upper_case(text[0]);
  return fmt::format("{} (rent: {}).", text, cost.rent_source);
}

std::string bill_subtitle(const Estimate& e) {
  std::string missing;
  const auto add = [&](std::string_view what) {
    missing += fmt::format("{}{}", missing.empty() ? "" : " and ", what);
  };
  for (const LineItem& item : e.cost.items) {
    if (!item.amount) add(item_name(item));
  }
  if (!e.energy.kwh) add("kWh and CO2");
  if (e.energy.kwh && !e.energy.co2_kg) add("CO2");
  const Currency& currency = shown_currency();
  const std::string unit = currency.is_dollar() ? "US dollars" : currency.code;
  return missing.empty() ? unit : unit + ". Not known: " + missing;
}

}  // namespace trcost::report
