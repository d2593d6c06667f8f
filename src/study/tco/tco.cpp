// SPDX-License-Identifier: Apache-2.0
#include "study/tco/tco.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cost/energy.h"
#include "estimate/question/cost/pricing.h"
#include "estimate/question/cost/rates.h"
#include "estimate/question/platform/resolve_platform.h"
#include "estimate/question/work/notes.h"
#include "prices/rows/price_book.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "scenario/choices.h"
#include "trcost/error.h"
#include "trcost/serving.h"

namespace trcost::study {
namespace {

using cost::LifetimePart;
using cost::YearsOfUse;

constexpr double kDefaultGpus = 8;

// A platform with what all its rows share.
struct TcoPlatform {
  const TcoRequest& request;
  const Catalog& catalog;
  Platform platform;
  YearsOfUse use;
  double gpus = 0;

  // A price that the user sets is the price on demand.
  [[nodiscard]] Scenario scenario_for(std::string_view pricing) const {
    Scenario out = request.scenario;
    out.set_text(Field::cost_pricing, pricing);
    if (pricing != "on-demand") {
      out.clear(Field::cost_price_per_gpu_hour);
      out.clear(Field::cost_prices);
    }
    return out;
  }
};

Quantiles lognormal_range(double middle, double sigma) {
  const double wide = portable_exp(kNormalP90 * sigma);
  return {middle / wide, middle, middle * wide};
}

void fill_rent(const TcoPlatform& all, const PriceQuote& price, TcoRow& row, Notes& notes) {
  row.source = price.source;
  row.date = price.date;
  row.provider = price.provider;
  row.doubts = {price.imputed, price.other_class, price.other_region, price.stale};
  if (!price.warning.empty()) notes.warn(price.warning);
  row.price_per_gpu_hour = price.usd;
  if (!price.usd) {
    row.problem = price.rule.empty() ? price.source : price.rule;
    return;
  }
  const double term = term_years(row.pricing);
  const double rent = *price.usd * cost::paid_hours(all.use, term) *
                      cost::mean_price_factor(all.use, term, all.request.price_growth);
  row.items = {{"rent", rent * all.gpus}};
  row.total = rent * all.gpus;
  row.range = lognormal_range(*row.total, cost::rent_sigma(price.sigma, all.use, term));
  const double share = term > 0 ? 1 : all.use.utilization;
  row.cash = *price.usd * kHoursPerMonth * share * all.gpus;
}

void fill_ownership(const TcoPlatform& all, const Rates& rates, TcoRow& row) {
  row.source = rates.purchase.source;
  row.date = rates.purchase.date.text;
  const auto owned = cost::own_for_years(rates.ownership_inputs, all.use);
  if (!owned) {
    row.problem = rates.purchase.usd_per_gpu
                      ? "the power of the system or the price of electricity is unknown: set "
                        "--watts-per-gpu and --electricity-price"
                      : rates.purchase.source;
    return;
  }
  // Accelerators beyond those asked for stand idle.
  const double bought = cost::gpus_in_whole_machines(rates.purchase, all.gpus);
  const double in_machine = rates.purchase.machine_gpus;
  row.doubts.stale = rates.ownership_inputs.age.before_purchase > 1;
  row.purchase =
      TcoPurchase{bought / in_machine, in_machine, *rates.purchase.usd_per_gpu * in_machine,
                  all.request.scenario.has(Field::cost_node_price), rates.ownership_inputs};
  const auto usd_of = [&](std::string_view part) {
    return owned->usd(part) * (part == "energy" ? all.gpus : bought);
  };
  row.total = 0;
  for (const LifetimePart& part : owned->parts) {
    row.items.push_back({part.name, usd_of(part.name)});
    *row.total += row.items.back().usd;
  }
  row.range = lognormal_range(*row.total, owned->sigma);
  row.resale = -usd_of("resale");
  const double monthly = usd_of("space") + usd_of("energy") + usd_of("support");
  row.cash = usd_of("servers") + usd_of("network") + monthly * kHoursPerMonth / all.use.hours();
}

// Figures that follow from the total, the power and the memory.
void fill_quotients(const TcoPlatform& all, const Rates& rates, TcoRow& row) {
  const double used_hours = all.use.used_hours() * all.gpus;
  if (rates.power.watts) {
    row.energy_kwh = kwh_per_gpu_hour(*rates.power.watts, rates.draw, rates.pue) * used_hours;
    row.megawatts = site_megawatts(all.gpus, *rates.power.watts, rates.pue);
  }
  if (!row.total) return;
  row.per_gpu_hour = *row.total / used_hours;
  constexpr double kGigabyte = 1e9;
  row.dollars_per_gb = *row.total / (all.gpus * all.platform.accelerator->memory_bytes / kGigabyte);
}

void warn_about_purchase(const TcoPlatform& all, const Rates& own, Notes& notes) {
  const PurchasePrice& price = own.purchase;
  const std::string& name = all.platform.accelerator->name;
  warn_about_old_quote(" of " + name, price, own.ownership_inputs.age, notes);
  warn_about_node_price(all.request.scenario, all.catalog, all.platform, price, notes);
  const double bought = cost::gpus_in_whole_machines(price, all.gpus);
  if (!price.usd_per_gpu || bought <= all.gpus) return;
  notes.warn(fmt::format(
      "{} is sold in machines of {:g} GPUs: for the {:g} in use, {:g} machine{} bought, "
      "and {:g} GPUs stay idle",
      name, price.machine_gpus, all.gpus, bought / price.machine_gpus,
      bought > price.machine_gpus ? "s are" : " is", bought - all.gpus));
}

TcoRow make_row(const TcoPlatform& all, std::string_view pricing, Notes& notes) {
  TcoRow row;
  row.accelerator = all.platform.accelerator->name;
  row.title = all.platform.accelerator->title;
  row.pricing = pricing;
  row.gpus = all.gpus;
  row.years = all.use.years;
  try {
    // Warnings of a run about flags that this pricing does not use are not of this answer.
    Notes of_rates(notes.wanted() && pricing == "own");
    const Scenario scenario = all.scenario_for(pricing);
    const auto rates = resolve_rates(scenario, all.catalog, all.platform, of_rates);
    notes.assumptions = std::move(of_rates.assumptions);
    if (pricing == "own") {
      fill_ownership(all, *rates, row);
      warn_about_purchase(all, *rates, notes);
    } else {
      fill_rent(all, *price_of(scenario, *all.platform.accelerator, rates), row, notes);
    }
    fill_quotients(all, *rates, row);
  } catch (const Error& error) {
    row.problem = error.message;
  }
  row.warnings = notes.warnings;
  return row;
}

// Energy of the used hours, where the row pays for it beside the rest.
double energy_of(const TcoRow& row) {
  const auto energy = std::ranges::find(row.items, "energy", &LifetimePart::name);
  return energy == row.items.end() ? 0 : energy->usd;
}

// Each row against the rent on demand, at the same prices over the same years.
void add_break_even(std::vector<TcoRow>& rows, const YearsOfUse& use) {
  const auto on_demand = std::ranges::find(rows, "on-demand", &TcoRow::pricing);
  if (on_demand == rows.end() || !on_demand->total) return;
  const double rent = *on_demand->total / use.utilization;
  for (TcoRow& row : rows) {
    if (!row.total || row.pricing == "on-demand") continue;
    const double used_energy = energy_of(row);
    row.break_even_utilization =
        cost::break_even_use(*row.total - used_energy, used_energy / use.utilization, rent);
  }
}

// Tokens from which fixed costs and energy are below what the API asks.
void add_api_comparison(const TcoPlatform& all, TcoRow& row) {
  if (!all.request.api_usd_per_million || !row.per_million_tokens) return;
  if (row.pricing == "on-demand") {
    if (*row.per_million_tokens < *all.request.api_usd_per_million) {
      row.break_even_tokens_per_day = 0;
    }
    return;
  }
  const double used_energy = energy_of(row);
  const double tokens = *row.tokens_per_second * all.gpus * all.use.used_hours() * kSecondsPerHour;
  const double saved_per_token = *all.request.api_usd_per_million / 1e6 - used_energy / tokens;
  if (saved_per_token <= 0) return;
  const double days = all.use.hours() / 24;
  const double volume = (*row.total - used_energy) / saved_per_token / days;
  const double most = *row.tokens_per_second * all.gpus * 24 * kSecondsPerHour;
  if (volume <= most) row.break_even_tokens_per_day = volume;
}

void add_serving(const TcoPlatform& all, std::vector<TcoRow>& rows, Notes& notes) {
  ServingQuestion question;
  question.scenario = all.scenario_for("on-demand");
  question.scenario.clear(Field::hardware_gpus);
  question.scenario.set_text(Field::hardware_accelerator, all.platform.accelerator->name);
  question.scenario.set_text(Field::model_name, all.request.serve);
  question.load.input_tokens = 1024;
  question.load.output_tokens = 1024;
  question.curve = false;
  const ServingReport report = serving_report(question, all.catalog);
  const ServingRow& served = report.rows.front();
  if (served.layout.gpus > all.gpus) {
    notes.warn(fmt::format("{}: one copy of {} needs {} GPUs, more than --gpus {:g}",
                           all.platform.accelerator->name, report.model, served.layout.gpus,
                           all.gpus));
    return;
  }
  const double rate = served.point.total_per_gpu;
  for (TcoRow& row : rows) {
    row.tokens_per_second = rate;
    row.per_million_tokens = dollars_per_million(row.per_gpu_hour, rate, 1);
    if (row.energy_kwh) {
      row.energy_per_million_tokens =
          *row.energy_kwh / (rate * all.gpus * all.use.used_hours() * kSecondsPerHour) * 1e6;
    }
    add_api_comparison(all, row);
  }
}

std::vector<TcoRow> compute_rows(const TcoPlatform& all, Notes& notes) {
  std::vector<TcoRow> rows;
  for (const std::string_view pricing : kTcoPricings) {
    Notes of_row(notes.wanted());
    rows.push_back(make_row(all, pricing, of_row));
    notes.append(std::move(of_row));
  }
  add_break_even(rows, all.use);
  if (!all.request.serve.empty()) add_serving(all, rows, notes);
  return rows;
}

}  // namespace

std::vector<std::string> tco_strict_reasons(const TcoReport& report) {
  std::vector<std::string> out;
  for (const TcoRow& row : report.rows) {
    const auto add = [&](std::string_view why, std::string_view way_out) {
      out.push_back(
          fmt::format("--strict: {} {} {}: {}", row.accelerator, row.pricing, why, way_out));
    };
    if (!row.total) add("has no total", row.problem);
    if (row.doubts.imputed) add("has an imputed price", "--price USD or --provider NAME avoids it");
    if (row.doubts.other_class) {
      add("has its maker's price beside those of another class",
          "--price-class hyperscaler compares all in one");
    }
    if (row.doubts.other_region) add("has no price in the region", "another --region has one");
    if (row.doubts.stale) {
      add("has an old price",
          row.owned() ? "--node-price or --purchase-price of a newer quote avoids it"
                      : "--price USD avoids it, or `trcost prices import` of a newer list");
    }
  }
  return out;
}

TcoReport compute_tco(const TcoRequest& request, const Catalog& catalog) {
  TcoReport report;
  report.request = request;
  Scenario& scenario = report.request.scenario;
  if (!scenario.has(Field::hardware_gpus)) scenario.set_number(Field::hardware_gpus, kDefaultGpus);
  report.gpus = *scenario.number(Field::hardware_gpus);
  report.utilization = scenario.number_or_default(Field::cost_utilization);
  report.scenario = scenario_to_json(scenario);
  report.price_data_date = price_date(catalog);
  Notes notes(true);
  for (const std::string& name : platforms_of(scenario, catalog)) {
    try {
      Notes quiet(false);
      const TcoPlatform all{report.request,
                            catalog,
                            resolve_platform(scenario, catalog, name, quiet),
                            {request.years, report.utilization},
                            report.gpus};
      Notes of_platform(true);
      const bool first = report.rows.empty();
      for (TcoRow& row : compute_rows(all, of_platform)) report.rows.push_back(std::move(row));
      if (!first) of_platform.assumptions.clear();  // the same for all
      notes.append(std::move(of_platform));
    } catch (const Error& error) {
      report.failures.push_back({name, error.message, error.hint});
    }
  }
  if (std::ranges::none_of(report.rows, [](const TcoRow& row) { return row.total.has_value(); })) {
    const bool failed = !report.failures.empty();
    throw Error(ErrorKind::no_answer,
                failed ? report.failures.front().message : report.rows.front().problem,
                failed ? report.failures.front().hint : "set --price or --node-price");
  }
  report.assumptions = std::move(notes.assumptions);
  report.warnings = std::move(notes.warnings);
  return report;
}

}  // namespace trcost::study
