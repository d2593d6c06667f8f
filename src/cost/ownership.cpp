// SPDX-License-Identifier: Apache-2.0
#include "cost/ownership.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/energy.h"
#include "quantity/currency.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/suggest.h"
#include "trcost/layout.h"
#include "trcost/numbers.h"

namespace trcost::cost {

namespace {

// Whole dollars with thousands separators, for people.
std::string usd(double value) {
  const Currency& currency = shown_currency();
  const double amount = value * currency.per_usd;
  return currency.sign + grouped(amount, amount < 1000 && amount != std::floor(amount) ? 2 : 0);
}

// Whether a quote is known on that day. An undated one is, and all are without a day.
bool is_quoted_by(const PriceDate& date, std::string_view as_of) {
  return as_of.empty() || date.first <= as_of;
}

// The newest price by that day of a chip, or of a whole machine without its network, as a buyer
// without a hyperscaler's discount pays it.
const HardwarePrice* newest_price(const PriceBook& book, std::string_view accelerator, bool machine,
                                  std::string_view as_of) {
  const HardwarePrice* newest = nullptr;
  for (const HardwarePrice& row : book.hardware) {
    if (row.accelerator != accelerator || (row.gpus >= 2) != machine) continue;
    if ((machine && (row.all_in || row.hyperscaler)) || !is_quoted_by(row.date, as_of)) continue;
    if (newest == nullptr || row.date.last > newest->date.last) newest = &row;
  }
  return newest;
}

PurchasePrice machine_purchase(std::string_view item, double usd_of_all, double gpus,
                               std::string_view source, PriceDate date) {
  return {usd_of_all / gpus, true,
          fmt::format("{}: {} / {} = {} per accelerator; {}", item, usd(usd_of_all), digits(gpus),
                      usd(usd_of_all / gpus), source),
          std::move(date), gpus};
}

PurchasePrice chip_purchase(const Accelerator& accelerator, double chip, std::string_view origin,
                            PriceDate date) {
  const double multiplier = accelerator.server_price_multiple;
  return {chip * multiplier, true,
          fmt::format("chip {} x {} for the server (Epoch AI) = {}; {}", usd(chip), multiplier,
                      usd(chip * multiplier), origin),
          std::move(date)};
}

// The source of a price in a file, else the file.
std::string_view price_source(const std::string& source, const std::string& file) {
  return source.empty() ? std::string_view(file) : std::string_view(source);
}

}  // namespace

double accelerators_of_quote(const System& system) {
  if (system.price_gpus) return *system.price_gpus;
  const bool rack = system.gpus_per_domain < kMostGpus;
  return rack ? std::max(system.gpus_per_node, system.gpus_per_domain) : system.gpus_per_node;
}

PurchasePrice server_price(const Accelerator& accelerator, const System& system,
                           const PriceBook& book, const GivenPurchase& given,
                           std::string_view as_of) {
  if (given.node_usd) {
    return machine_purchase(system.title, *given.node_usd, accelerators_of_quote(system),
                            "given by the user (--node-price)", {});
  }
  if (given.chip_usd) {
    return chip_purchase(accelerator, *given.chip_usd, "chip's price given by the user", {});
  }
  const auto by_then = [&](const std::string& date, const std::string& file) {
    return is_quoted_by(parse_price_date(date, file), as_of);
  };
  const HardwarePrice* row = newest_price(book, accelerator.name, true, as_of);
  const bool of_system =
      system.price_usd && system.price_gpus && by_then(system.price_date, system.file);
  if (row != nullptr && (!of_system || row->date.last >= system.price_date)) {
    return machine_purchase(row->item, row->median, row->gpus, row->source, row->date);
  }
  if (of_system) {
    return machine_purchase(system.title, *system.price_usd, *system.price_gpus,
                            price_source(system.price_source, system.file),
                            parse_price_date(system.price_date, system.file));
  }
  const HardwarePrice* chip = newest_price(book, accelerator.name, false, as_of);
  const bool chip_is_newer = chip != nullptr && chip->date.last > accelerator.price_date;
  if (accelerator.price_usd && !chip_is_newer &&
      by_then(accelerator.price_date, accelerator.file)) {
    return chip_purchase(accelerator, *accelerator.price_usd,
                         price_source(accelerator.price_source, accelerator.file),
                         parse_price_date(accelerator.price_date, accelerator.file));
  }
  if (chip != nullptr) {
    return chip_purchase(accelerator, chip->median, chip->source, chip->date);
  }
  const bool for_sale = !accelerator.sold_by_maker;
  return {std::nullopt,
          for_sale,
          for_sale
              ? fmt::format("no purchase price of {} is known{}: set --purchase-price",
                            accelerator.name, as_of.empty() ? "" : fmt::format(" on {}", as_of))
              : fmt::format("{} is not for sale: its maker's cloud rents it", accelerator.name),
          {}};
}

double gpus_in_whole_machines(const PurchasePrice& price, double gpus) {
  return std::ceil(gpus / price.machine_gpus) * price.machine_gpus;
}

double depreciation_per_hour(double usd, double fall_per_year) {
  return usd * fall_per_year / kHoursPerYear;
}

double depreciated_price(double usd, double years, double fall_per_year) {
  return usd * portable_exp(-fall_per_year * years);
}

double fall_of_share(double share_per_year) {
  return share_per_year > 0 ? -portable_log(1 - share_per_year) : 0;
}

double purchase_sigma(const PriceAge& age, bool price_given) {
  const double used = kFallSigmaPerYear * age.since_purchase;
  if (price_given) return used;
  return in_quadrature(in_quadrature(kPurchaseSigma, kQuoteAgeSigma * age.before_purchase), used);
}

double network_cost(double server_cost, double network_share) {
  return server_cost * network_share / (1 - network_share);
}

double capital_per_hour(double book_value, double rate) {
  return book_value * rate / kHoursPerYear;
}

PriceAge price_age(const PriceDate& quote, std::string_view as_of, double years_since_purchase) {
  PriceAge out;
  out.since_purchase = years_since_purchase;
  if (quote.first.empty() || as_of.empty()) return out;
  constexpr double kDaysPerYear = 365.25;
  const double since_quote =
      (days_between(quote.first, as_of) + days_between(quote.last, as_of)) / 2.0 / kDaysPerYear;
  out.before_purchase = std::max(0.0, since_quote - years_since_purchase);
  return out;
}

namespace {

// Value of a server on the answer's day.
double book_value(const OwnershipInputs& inputs) {
  return depreciated_price(*inputs.server_usd_per_gpu, inputs.age.since_purchase,
                           inputs.past_fall_per_year);
}

static_assert(kNetworkShare == 0.19);  // words in the row of the network
constexpr StandingCost kStandingCosts[] = {
    {Part::servers, "server", Driver::capital, ""},
    {Part::network, "network", Driver::capital, "19% of the cluster's cost (Epoch AI)"},
    {Part::capital, "capital", Driver::capital,
     "yearly rate on the book value of servers and network (Jorgenson 1963)"},
    {Part::colocation, "colocation", Driver::colocation, "USD per kW-month (assumption)"},
    {Part::support, "support", Driver::capital, "yearly share of the price paid (--support-rate)"},
};

// `(server + network)` of the parts that cost something, each as `words` has it.
std::string standing_sum(const OwnershipCost& cost, const auto& words) {
  std::string text;
  for (const StandingCost& each : kStandingCosts) {
    if (cost.of(each.part) != 0.0) append_item(text, words(each), " + ");
  }
  return "(" + text + ")";
}

// The numbers of standing_names().
std::string standing_numbers(const OwnershipCost& cost) {
  return standing_sum(cost, [&](const StandingCost& each) {
    return fmt::format("{:.4f}", cost.of(each.part).value_or(0));
  });
}

}  // namespace
std::span<const StandingCost> standing_costs() {
  return kStandingCosts;
}

std::optional<double> OwnershipCost::standing() const {
  double sum = 0;
  for (const StandingCost& each : kStandingCosts) {
    if (!of(each.part)) return std::nullopt;
    sum += *of(each.part);
  }
  return sum;
}

double idle_cost(double standing, double utilization) {
  return standing * (1 / utilization - 1);
}

double implied_utilization(double standing, double idle) {
  return standing / (standing + idle);
}

OwnershipCost compute_ownership(const OwnershipInputs& inputs) {
  OwnershipCost out;
  const auto set = [&](Part part, double usd_per_hour) {
    out.standing_parts[static_cast<std::size_t>(part)] = usd_per_hour;
  };
  if (inputs.server_usd_per_gpu) {
    const double value = book_value(inputs);
    const double server = depreciation_per_hour(value, inputs.fall_per_year);
    set(Part::servers, server);
    set(Part::network, network_cost(server));
    set(Part::capital, capital_per_hour(value + network_cost(value), inputs.capital_rate));
    set(Part::support, capital_per_hour(*inputs.server_usd_per_gpu, inputs.support_rate));
  }
  if (inputs.system_watts_per_gpu) {
    set(Part::colocation,
        *inputs.system_watts_per_gpu / 1000 * inputs.colocation_usd_per_kw_month / kHoursPerMonth);
  }
  if (inputs.system_watts_per_gpu && inputs.usd_per_kwh) {
    out.energy = kwh_per_gpu_hour(*inputs.system_watts_per_gpu, inputs.mean_draw, inputs.pue) *
                 *inputs.usd_per_kwh;
  }
  if (const auto standing = out.standing()) {
    out.idle = idle_cost(*standing, inputs.utilization);
    if (out.energy) out.total = *standing + *out.idle + *out.energy;
  }
  return out;
}

std::optional<double> cash_per_gpu(const OwnershipInputs& inputs) {
  if (!inputs.server_usd_per_gpu) return std::nullopt;
  return *inputs.server_usd_per_gpu + network_cost(*inputs.server_usd_per_gpu);
}

std::optional<double> break_even_utilization(const OwnershipCost& cost,
                                             double rent_usd_per_gpu_hour) {
  const std::optional<double> standing = cost.standing();
  if (!standing || !cost.energy) return std::nullopt;
  const double margin = rent_usd_per_gpu_hour - *cost.energy;
  if (margin <= 0) return std::nullopt;
  return *standing / margin;
}

std::string standing_names(const OwnershipCost& cost) {
  return standing_sum(cost, [](const StandingCost& each) { return each.name; });
}

std::vector<Derivation> derive_ownership(const OwnershipInputs& inputs, const OwnershipCost& cost,
                                         const PurchasePrice& price) {
  constexpr const char* kQuotes =
      "quotes of 17 chips of several ages (Epoch AI, Hardware prices.csv; data/model.md 7)";
  constexpr const char* kGiven = "--depreciation";
  constexpr const char* kEpoch = "Epoch AI, training-cost-trends, cost_analysis_standalone.py";
  const auto hourly = [](const std::optional<double>& value) {
    return value ? fmt::format("${:.4f} per GPU-hour", *value) : std::string("n/a");
  };
  std::vector<Derivation> steps;
  if (inputs.server_usd_per_gpu) {
    const double value = book_value(inputs);
    steps.push_back(
        {"book value", "price x exp(-fall x years since the purchase)",
         fmt::format("{} x exp(-{:.6g} x {:.3g})", usd(*inputs.server_usd_per_gpu),
                     inputs.past_fall_per_year, inputs.age.since_purchase),
         usd(value),
         fmt::format("{} ({}); {}", price.source, price.date.text,
                     inputs.past_fall_per_year == kPastFallPerYear ? kQuotes : kGiven)});
    steps.push_back(
        {"server per hour", "book value x fall / hours of a year",
         fmt::format("{} x {:.6g} / {}", usd(value), inputs.fall_per_year, kHoursPerYear),
         hourly(cost.of(Part::servers)),
         fmt::format("{}; {}", price.source,
                     inputs.fall_per_year == kDepreciationPerYear ? kEpoch : kGiven)});
    steps.push_back({"network per hour", "server x network's share / (1 - network's share)",
                     fmt::format("{:.4f} x {} / (1 - {})", cost.of(Part::servers).value_or(0),
                                 kNetworkShare, kNetworkShare),
                     hourly(cost.of(Part::network)), kEpoch});
    if (cost.of(Part::support).value_or(0) > 0) {
      steps.push_back({"support per hour", "price paid x rate / hours of a year",
                       fmt::format("{} x {:.3g} / {}", usd(*inputs.server_usd_per_gpu),
                                   inputs.support_rate, kHoursPerYear),
                       hourly(cost.of(Part::support)), "--support-rate"});
    }
    steps.push_back({"capital per hour",
                     "book value of server and network x rate / hours of a year",
                     fmt::format("{} / (1 - {}) x {:.3g} / {}", usd(value), kNetworkShare,
                                 inputs.capital_rate, kHoursPerYear),
                     hourly(cost.of(Part::capital)),
                     "Jorgenson, Capital Theory and Investment Behavior (1963)"});
  } else {
    steps.push_back(
        {"server per hour", "book value x fall / hours of a year", price.source, "n/a", kEpoch});
  }
  if (inputs.system_watts_per_gpu) {
    const double kw = *inputs.system_watts_per_gpu / 1000;
    steps.push_back({"energy per hour", "kW x mean draw x PUE x USD/kWh",
                     fmt::format("{:.4g} x {:.2f} x {:.3g} x {:.4g}", kw, inputs.mean_draw,
                                 inputs.pue, inputs.usd_per_kwh.value_or(0)),
                     hourly(cost.energy), kEpoch});
    steps.push_back({"colocation per hour", "kW x USD per kW-month / hours of a month",
                     fmt::format("{:.4g} x {:.4g} / {}", kw, inputs.colocation_usd_per_kw_month,
                                 kHoursPerMonth),
                     hourly(cost.of(Part::colocation)), "model.md 9.2 (assumption)"});
  }
  steps.push_back({"idle hours", standing_names(cost) + " x (1 / utilization - 1)",
                   fmt::format("{} x (1 / {:.3g} - 1)", standing_numbers(cost), inputs.utilization),
                   hourly(cost.idle), "assumption"});
  return steps;
}

std::optional<Derivation> derive_break_even(const OwnershipCost& cost, double rent_usd_per_gpu_hour,
                                            std::string_view rent_source) {
  if (!cost.standing() || !cost.energy) return std::nullopt;
  const auto even = break_even_utilization(cost, rent_usd_per_gpu_hour);
  return Derivation{
      "break-even utilisation", standing_names(cost) + " / (rent - energy)",
      fmt::format("{} / ({} - {:.4f})", standing_numbers(cost), format_exact(rent_usd_per_gpu_hour),
                  *cost.energy),
      even ? fmt::format("{:.4f}{}", *even, *even > 1 ? ": renting is cheaper at any load" : "")
           : std::string("none: the energy alone costs more than the rent"),
      fmt::format("rent: {}", rent_source)};
}

}  // namespace trcost::cost
