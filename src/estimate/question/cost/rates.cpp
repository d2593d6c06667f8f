// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/cost/rates.h"

#include <fmt/format.h>

#include <utility>

#include "cost/energy.h"
#include "cost/uncertain_inputs.h"
#include "estimate/question/cost/pricing.h"
#include "prices/market/price_table.h"
#include "prices/rows/price_book.h"
#include "prices/rows/regions.h"
#include "quantity/quantity.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

// With both numbers given, a region that only price lists know is accepted.
const Region& electricity_region(const Scenario& scenario, const Catalog& catalog,
                                 std::string_view name) {
  static const Region elsewhere;
  const bool given =
      scenario.has(Field::cost_electricity_price) && scenario.has(Field::cost_grid_intensity);
  if (given && known_region(known_regions(catalog), name) == nullptr &&
      is_price_region(price_book(catalog), name)) {
    return elsewhere;
  }
  return find_region(known_regions(catalog), name);
}

void resolve_electricity(const Scenario& scenario, const Catalog& catalog, Rates& out,
                         Notes& notes) {
  const bool named = scenario.has(Field::cost_region);
  const Regions& regions = known_regions(catalog);
  const std::string_view name = named ? scenario.text(Field::cost_region) : kDefaultRegion;
  const Region& region = electricity_region(scenario, catalog, name);
  if (!named) {
    // No field of its own: `cost.region` would choose the rent as well.
    notes.add({"electricity.region", std::string(name), "",
               "electricity and grid of the United States. The rent is of any region",
               "trcost default"});
  }
  if (const auto given = scenario.number(Field::cost_electricity_price)) {
    out.usd_per_kwh = *given;
    out.electricity_source = "given by the user";
  } else if (const SourcedValue* value = electricity_price(regions, region)) {
    out.usd_per_kwh = value->value;
    out.electricity_source = value->source;
    out.electricity_date = value->date;
    notes.add(Field::cost_electricity_price, value->value,
              fmt::format("industrial price in {}", region.title), value->source);
  } else if (out.own) {
    require_electricity_price(regions, region);
  }
  if (const auto given = scenario.number(Field::cost_grid_intensity)) {
    out.kg_co2_per_kwh = *given;
  } else if (const SourcedValue* value = grid_intensity(regions, region)) {
    out.kg_co2_per_kwh = value->value;
    notes.add(Field::cost_grid_intensity, value->value, fmt::format("grid of {}", region.title),
              value->source);
  }
}

double resolve_pue(const Scenario& scenario, const Catalog& catalog, Notes& notes) {
  if (const auto given = scenario.number(Field::cost_pue)) return *given;
  const PueRow* row = select_pue(price_book(catalog), scenario.text(Field::cost_provider));
  if (row == nullptr) {
    notes.fallback(Field::cost_pue, default_number(Field::cost_pue));
    return default_number(Field::cost_pue);
  }
  notes.add(Field::cost_pue, row->value, row->name, row->source);
  return row->value;
}

void resolve_power(const Scenario& scenario, const Platform& platform, Rates& out, Notes& notes) {
  if (const auto given = scenario.number(Field::cost_watts_per_gpu)) {
    out.power = {*given, false, "given by the user", {}};
    return;
  }
  out.power = system_power(*platform.accelerator, *platform.system);
  if (out.power.assumed) {
    notes.add(Field::cost_watts_per_gpu, *out.power.watts, out.power.why, out.power.source);
  }
}

// An ignored input without a warning would mislead.
void warn_about_unused_rates(const Scenario& scenario, const Platform& platform, Notes& notes) {
  const auto unused = [&](Field field, std::string_view why) {
    if (scenario.has(field)) notes.warn(fmt::format("{} {}", field_info(field).flag, why));
  };
  for (std::string& text : unused_fields(scenario)) notes.warn(std::move(text));
  if (owns(scenario)) {
    unused(Field::cost_provider, "chooses the rent that owning is compared with, and no more");
  }
  if (scenario.has(Field::cost_provider)) {
    unused(Field::cost_price_class, "does not choose the price per GPU-hour: --provider does");
  }
  if (price_set(scenario, *platform.accelerator)) {
    unused(Field::cost_provider, "does not choose the price per GPU-hour: --price gives it");
    if (!scenario.has(Field::cost_provider)) {
      unused(Field::cost_price_class, "does not choose the price per GPU-hour: --price gives it");
    }
  }
}

// The price that the scenario asks for, with --pricing own the rent to compare with.
PriceQuery price_query(const Scenario& scenario, const Catalog& catalog,
                       const Accelerator& accelerator) {
  PriceQuery query{accelerator.name};
  query.commitment = commitment_of(scenario).value_or(Commitment::on_demand);
  query.provider = scenario.text(Field::cost_provider);
  query.region = scenario.text(Field::cost_region);
  query.regions = &known_regions(catalog);
  query.price_class = find_value(kPriceClasses, scenario.text(Field::cost_price_class))
                          .value_or(usual_price_class(query.commitment));
  query.as_of = scenario.text(Field::cost_as_of);
  query.sold_by_maker = accelerator.sold_by_maker;
  if (!query.as_of.empty() && !is_day(query.as_of)) {
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a day", query.as_of.substr(0, 40)),
                "write YYYY-MM-DD", "--as-of");
  }
  const std::string& newest = price_book(catalog).date;
  if (query.as_of > newest) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is after the newest price, which is of {}", query.as_of, newest),
                "leave --as-of out, or import newer prices (trcost prices import)", "--as-of");
  }
  return query;
}

void resolve_price(const Scenario& scenario, const Catalog& catalog, const Platform& platform,
                   Rates& out, Notes& notes) {
  PriceQuery query = price_query(scenario, catalog, *platform.accelerator);
  if (query.commitment == Commitment::spot) {
    PriceQuery steady = query;
    steady.commitment = Commitment::on_demand;
    out.on_demand = select_price(price_book(catalog), steady);
  }
  if (price_set(scenario, *platform.accelerator)) return;
  if (query.provider.empty()) {
    require_class_sells(price_book(catalog), query.price_class, query.commitment);
  }
  const PriceQuote& price = out.listed.emplace(select_price(price_book(catalog), query));
  if (!out.own && !price.warning.empty()) notes.warn(price.warning);
  if (!out.own && price.usd) {
    notes.add(Field::cost_price_per_gpu_hour, *price.usd, price.rule, price.source);
  }
}

// Notes what a machine in use is worth, and warns of a quote that is older than a year.
void note_purchase(PurchasePrice& price, const OwnershipInputs& inputs, Notes& notes) {
  if (!price.usd_per_gpu) return;
  const PriceAge& age = inputs.age;
  std::string worth;
  if (age.since_purchase > 0) {
    const double value =
        depreciated_price(*price.usd_per_gpu, age.since_purchase, inputs.past_fall_per_year);
    worth = fmt::format(", worth {} after {:.1f} years in use",
                        format_number(value, NumberKind::money), age.since_purchase);
  }
  if (notes.wanted()) {
    notes.add(Field::cost_purchase_price, *price.usd_per_gpu, "server per accelerator" + worth,
              price.source);
    if (inputs.fall_per_year == kDepreciationPerYear) {
      notes.add(Field::cost_depreciation, 1 - depreciated_price(1, 1),
                age.since_purchase > 0
                    ? "of the years ahead, and 11% a year since the purchase, as "
                      "quotes of 17 chips fell (data/model.md 7)"
                    : "of the years ahead",
                "Epoch AI, training-cost-trends, cost_analysis_standalone.py");
    }
  }
  price.source += worth;
  warn_about_old_quote("", price, age, notes);
}

void resolve_ownership(const Scenario& scenario, const Catalog& catalog, Rates& out, Notes& notes) {
  OwnershipInputs& inputs = out.ownership_inputs;
  inputs.server_usd_per_gpu = out.purchase.usd_per_gpu;
  const std::string_view as_of = scenario.has(Field::cost_as_of)
                                     ? scenario.text(Field::cost_as_of)
                                     : std::string_view(price_book(catalog).date);
  inputs.age = price_age(
      out.purchase.date, as_of,
      scenario.number_or_default(Field::cost_hardware_age) / (kHoursPerYear * kSecondsPerHour));
  inputs.capital_rate = scenario.number_or_default(Field::cost_capital_rate);
  inputs.support_rate = scenario.number_or_default(Field::cost_support_rate);
  if (const auto share = scenario.number(Field::cost_depreciation)) {
    inputs.fall_per_year = inputs.past_fall_per_year = fall_of_share(*share);
  }
  note_purchase(out.purchase, inputs, notes);
  inputs.system_watts_per_gpu = out.power.watts;
  inputs.mean_draw = out.draw;
  inputs.pue = out.pue;
  inputs.usd_per_kwh = out.usd_per_kwh;
  inputs.colocation_usd_per_kw_month = scenario.number_or_default(Field::cost_colocation);
  inputs.utilization = scenario.number_or_default(Field::cost_utilization);
  inputs.purchase_given =
      scenario.has(Field::cost_purchase_price) || scenario.has(Field::cost_node_price);
  inputs.energy_sigma =
      energy_sigma(scenario.has(Field::cost_electricity_price), scenario.has(Field::cost_pue));
  out.ownership = compute_ownership(inputs);
  if (!scenario.has(Field::cost_utilization)) {
    notes.fallback(Field::cost_utilization, inputs.utilization);
  }
  if (!scenario.has(Field::cost_colocation)) {
    notes.fallback(Field::cost_colocation, inputs.colocation_usd_per_kw_month);
  }
  if (!scenario.has(Field::cost_capital_rate)) {
    notes.fallback(Field::cost_capital_rate, inputs.capital_rate);
  }
}

}  // namespace

void warn_about_old_quote(std::string_view whose, const PurchasePrice& price, const PriceAge& age,
                          Notes& notes) {
  if (!price.usd_per_gpu || age.before_purchase <= 1) return;
  notes.warn(fmt::format(
      "the purchase price{} is a quote of {}, {:.1f} years old, which widens the range. "
      "Set --node-price or --purchase-price to a newer quote",
      whose, price.date.text, age.before_purchase));
}

void warn_about_node_price(const Scenario& scenario, const Catalog& catalog,
                           const Platform& platform, const PurchasePrice& price, Notes& notes) {
  constexpr double kImplausible = 3;
  if (!scenario.has(Field::cost_node_price) || !price.usd_per_gpu) return;
  const auto usual = server_price(*platform.accelerator, *platform.system, price_book(catalog), {},
                                  scenario.text(Field::cost_as_of));
  if (!usual.usd_per_gpu) return;
  const double ratio = *price.usd_per_gpu / *usual.usd_per_gpu;
  if (ratio < kImplausible && ratio * kImplausible > 1) return;
  notes.warn(fmt::format(
      "--node-price is {} per GPU of {}, and the newest quote is {}. It is the price of a machine "
      "of {:g}",
      format_number(*price.usd_per_gpu, NumberKind::money), platform.accelerator->name,
      format_number(*usual.usd_per_gpu, NumberKind::money), price.machine_gpus));
}

std::shared_ptr<const Rates> resolve_rates(const Scenario& scenario, const Catalog& catalog,
                                           const Platform& platform, Notes& notes) {
  const auto made = std::make_shared<Rates>();
  Rates& out = *made;
  out.own = owns(scenario);
  resolve_electricity(scenario, catalog, out, notes);
  out.pue = resolve_pue(scenario, catalog, notes);
  out.draw = platform.accelerator->mean_draw;
  resolve_power(scenario, platform, out, notes);
  resolve_price(scenario, catalog, platform, out, notes);
  if (scenario.has(Field::cost_node_price) &&
      scenario.names(Field::hardware_accelerator).size() != 1) {
    throw Error(ErrorKind::usage, "--node-price is the price of one kind of machine",
                "name one --accelerator, and ask for the others one at a time", "--node-price");
  }
  out.purchase = server_price(
      *platform.accelerator, *platform.system, price_book(catalog),
      {scenario.number(Field::cost_purchase_price), scenario.number(Field::cost_node_price)},
      scenario.text(Field::cost_as_of));
  if (out.own) {
    resolve_ownership(scenario, catalog, out, notes);
    warn_about_node_price(scenario, catalog, platform, out.purchase, notes);
  }
  out.egress_price = select_egress_price(price_book(catalog));
  if (const auto given = scenario.number(Field::cost_storage_price)) {
    out.storage_price = given_price(*given, "--storage-price");
  } else {
    out.storage_price = select_storage_price(price_book(catalog));
  }
  warn_about_unused_rates(scenario, platform, notes);
  return made;
}

std::shared_ptr<const PriceQuote> price_of(const Scenario& scenario, const Accelerator& accelerator,
                                           const std::shared_ptr<const Rates>& rates) {
  const auto given = price_set(scenario, accelerator);
  if (given) return std::make_shared<const PriceQuote>(given_price(*given));
  return {rates, &*rates->listed};
}

}  // namespace trcost::estimation
