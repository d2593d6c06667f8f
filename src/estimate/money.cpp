// SPDX-License-Identifier: Apache-2.0
#include "estimate/money.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "catalog/efficiency.h"
#include "cost/make_bill.h"
#include "estimate/data_scale.h"
#include "quantity/quantity.h"
#include "trcost/bill.h"
#include "trcost/energy.h"
#include "trcost/error.h"
#include "trcost/uncertainty.h"

namespace trcost {
namespace {

bool spot(const Scenario& scenario) {
  return scenario.text(Field::cost_pricing) == "spot";
}

// Where both numbers are given, a region that only price lists know will do.
const Region& region_of(const Scenario& scenario, const Catalog& catalog, std::string_view name) {
  static const Region elsewhere;
  const bool given =
      scenario.has(Field::cost_electricity_price) && scenario.has(Field::cost_grid_intensity);
  if (given && known_region(catalog.regions(), name) == nullptr &&
      is_price_region(catalog.prices(), name)) {
    return elsewhere;
  }
  return find_region(catalog.regions(), name);
}

void resolve_electricity(const Scenario& scenario, const Catalog& catalog, Rates& out,
                         Notes& notes) {
  const bool named = scenario.has(Field::cost_region);
  const Regions& regions = catalog.regions();
  const std::string_view name = named ? scenario.text(Field::cost_region) : kDefaultRegion;
  const Region& region = region_of(scenario, catalog, name);
  if (!named) {
    // No field of its own: `cost.region` would choose the rent as well.
    notes.add({"electricity.region", std::string(name), "",
               "electricity and grid of the United States; the rent is of any region",
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
  const PueRow& row = select_pue(catalog.prices(), scenario.text(Field::cost_provider));
  notes.add(Field::cost_pue, row.value, row.name, row.source);
  return row.value;
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

// An input that is not used without a word misleads.
void warn_about_unused(const Scenario& scenario, Notes& notes) {
  const auto unused = [&](Field field, std::string_view why) {
    if (scenario.has(field)) notes.warn(fmt::format("{} {}", field_info(field).flag, why));
  };
  for (std::string& text : unused_fields(scenario)) notes.warn(std::move(text));
  if (scenario.has(Field::cost_provider)) {
    unused(Field::cost_price_class, "does not choose the price per GPU-hour: --provider does");
  }
  if (scenario.has(Field::cost_price_per_gpu_hour)) {
    unused(Field::cost_provider, "does not choose the price per GPU-hour: --price gives it");
    if (!scenario.has(Field::cost_provider)) {
      unused(Field::cost_price_class, "does not choose the price per GPU-hour: --price gives it");
    }
  }
}

// Whose price of what kind the scenario asks for; with own the rent to compare with.
PriceQuery price_query(const Scenario& scenario, const Catalog& catalog,
                       const Accelerator& accelerator) {
  PriceQuery query{accelerator.name};
  query.commitment =
      parse_commitment(scenario.text(Field::cost_pricing)).value_or(Commitment::on_demand);
  query.provider = scenario.text(Field::cost_provider);
  query.region = scenario.text(Field::cost_region);
  query.regions = &catalog.regions();
  query.price_class = parse_price_class(scenario.text(Field::cost_price_class))
                          .value_or(usual_price_class(query.commitment));
  query.as_of = scenario.text(Field::cost_as_of);
  query.sold_by_maker = accelerator.sold_by_maker;
  if (!query.as_of.empty() && !is_day(query.as_of)) {
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a day", query.as_of.substr(0, 40)),
                "write YYYY-MM-DD", "--as-of");
  }
  return query;
}

void resolve_price(const Scenario& scenario, const Catalog& catalog, const Platform& platform,
                   Rates& out, Notes& notes) {
  PriceQuery query = price_query(scenario, catalog, *platform.accelerator);
  if (spot(scenario)) {
    PriceQuery steady = query;
    steady.commitment = Commitment::on_demand;
    out.on_demand = select_price(catalog.prices(), steady);
  }
  if (const auto given = scenario.number(Field::cost_price_per_gpu_hour)) {
    out.price = given_price(*given);
    return;
  }
  if (query.provider.empty()) {
    require_class_sells(catalog.prices(), query.price_class, query.commitment);
  }
  out.price = select_price(catalog.prices(), query);
  if (!out.own && !out.price.warning.empty()) notes.warn(out.price.warning);
  if (!out.own && out.price.usd) {
    notes.add(Field::cost_price_per_gpu_hour, *out.price.usd, out.price.rule, out.price.source);
  }
}

// How old the price of the machine is, and what it has fallen to; said with the price itself.
void note_purchase(PurchasePrice& price, const PriceAge& age, std::string_view as_of,
                   Notes& notes) {
  if (!price.usd_per_gpu || age.years() <= 0) return;
  const double value = depreciated_price(*price.usd_per_gpu, age.years());
  const auto years = [](double time, std::string_view what) {
    return time > 0.05 ? fmt::format("{:.1f} years {}", time, what) : std::string();
  };
  const std::string before = years(age.before_purchase, "from the quote to the purchase");
  const std::string since = years(age.since_purchase, "in use");
  const std::string fall = fmt::format(
      "worth {} on {}: prices of machines fall by 28 % a year, bought or not (data/model.md 7); "
      "{}{}{}",
      format_number(value, NumberKind::money), as_of, before,
      before.empty() || since.empty() ? "" : " and ", since);
  if (notes.wanted()) {
    notes.add({"cost.purchase_price", format_exact(*price.usd_per_gpu), "USD",
               "server per accelerator; " + fall, price.source});
  }
  price.source += "; " + fall;
}

void resolve_ownership(const Scenario& scenario, const Catalog& catalog, Rates& out, Notes& notes) {
  OwnershipInputs& inputs = out.ownership_inputs;
  inputs.server_usd_per_gpu = out.purchase.usd_per_gpu;
  const std::string_view as_of = scenario.has(Field::cost_as_of)
                                     ? scenario.text(Field::cost_as_of)
                                     : std::string_view(catalog.prices().date);
  inputs.age = price_age(
      out.purchase.date, as_of,
      scenario.number_or_default(Field::cost_hardware_age) / (kHoursPerYear * kSecondsPerHour));
  inputs.capital_rate = scenario.number_or_default(Field::cost_capital_rate);
  inputs.support_rate = scenario.number_or_default(Field::cost_support_rate);
  note_purchase(out.purchase, inputs.age, as_of, notes);
  inputs.system_watts_per_gpu = out.power.watts;
  inputs.mean_draw = out.draw;
  inputs.pue = out.pue;
  inputs.usd_per_kwh = out.usd_per_kwh;
  inputs.colocation_usd_per_kw_month = scenario.number_or_default(Field::cost_colocation);
  inputs.utilization = scenario.number_or_default(Field::cost_utilization);
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

double dataset_bytes_of(const Scenario& scenario, const Estimate& out) {
  if (out.pipeline) return out.pipeline->dataset_bytes;
  return out.tokens.text / scenario.number_or_default(Field::data_epochs) *
         scenario.number_or_default(Field::data_text_bytes_per_token);
}

double term_hours(const Scenario& scenario) {
  const std::string_view pricing = scenario.text(Field::cost_pricing);
  return pricing == "reserved-1y"   ? kHoursPerYear
         : pricing == "reserved-3y" ? 3 * kHoursPerYear
                                    : 0;
}

Purchase purchase_of(const PurchasePrice& price) {
  if (price.usd_per_gpu) return Purchase::priced;
  return price.for_sale ? Purchase::unpriced : Purchase::not_for_sale;
}

// Part of the total when the user speaks of it.
bool storage_included(const Scenario& scenario) {
  if (scenario.has(Field::cost_storage)) return scenario.flag(Field::cost_storage);
  return scenario.has(Field::cost_storage_price) || scenario.has(Field::cost_checkpoints_kept) ||
         scenario.has(Field::cost_weights_kept);
}

}  // namespace

namespace {

// Share of the time that steps are what runs, of an adaptation: model.md 5.6.
constexpr double kOverhead = 0.9;
// Of a run from scratch: published steady rate times published hours against the tokens. BLOOM 0.66
// (bigscience chronicles, 150 TFLOP/s), GPT-NeoX 0.67 (117), OPT 0.74 (147), Olmo 3 32B 0.77 (1,900
// tokens/s), Llama 3.1 405B 0.87 (MFU of 40 %), Olmo 3 7B 0.91 (7,700 tokens/s). With their middle
// the hours of published runs lie around their estimates: trcost validate --runs. The first three
// were their teams' first of the kind, the last three those of teams that tune: geometric means. A
// slope in the model's size or the run's FLOPs takes the factor of families left out from 1.151 to
// 1.143 and 1.206.
double whole_run_overhead(const Scenario& scenario) {
  if (scenario.has(Field::efficiency_tuning)) {
    const std::optional<Tuning> tuning = parse_tuning(scenario.text(Field::efficiency_tuning));
    if (tuning == Tuning::showcase) return 0.85;
    if (tuning == Tuning::first_run) return 0.69;
  }
  return 0.75;
}

double usual_overhead(const Scenario& scenario, const ResolvedWork& work) {
  const bool method = scenario.has(Field::train_method) &&
                      scenario.text(Field::train_method) != "pretrain";
  const bool from_scratch = !method && !scenario.has(Field::data_samples) &&
                            work.workload.language_training == Training::full &&
                            work.workload.contrastive_batch == 0 &&
                            !(work.workload.vision() && is_adaptation(work));
  return from_scratch ? whole_run_overhead(scenario) : kOverhead;
}

}  // namespace

UsefulTime resolve_useful_time(const Scenario& scenario, const ResolvedWork& work,
                               const System& system, double gpus, double busy_seconds) {
  UsefulTime out;
  out.production_overhead =
      scenario.number_or(Field::efficiency_production_overhead, usual_overhead(scenario, work));
  FailureInputs& in = out.failures;
  in.gpus = gpus;
  in.gpus_per_node = system.gpus_per_node;
  in.gpu_hours_per_failure = scenario.number_or_default(Field::efficiency_failure_gpu_hours);
  in.checkpoint_bytes = checkpoint_bytes(work.params.total, work.trainable.total);
  in.stall_seconds = scenario.number(Field::efficiency_checkpoint_stall);
  in.restart_seconds = scenario.number(Field::efficiency_restart);
  in.interval_seconds = scenario.number(Field::cost_checkpoint_interval);
  in.spare_share = scenario.number(Field::cost_spares);
  in.spot = spot(scenario);
  in.preemption_hours = scenario.number_or_default(Field::efficiency_preemption_hours);
  in.busy_seconds = busy_seconds;
  if (const auto given = scenario.number(Field::efficiency_goodput)) {
    out.goodput_given = true;
    out.goodput_share = *given;
    return out;
  }
  out.goodput = plan_goodput(in);
  out.goodput_share = out.goodput.goodput;
  return out;
}

void note_useful_time(const Scenario& scenario, const UsefulTime& useful, Notes& notes) {
  if (!notes.wanted()) return;
  if (!scenario.has(Field::efficiency_production_overhead)) {
    if (useful.production_overhead != kOverhead && scenario.has(Field::efficiency_tuning)) {
      notes.add(Field::efficiency_production_overhead, useful.production_overhead,
                "a run from scratch: 0.85 of a team that tunes, 0.75 of most, 0.69 of a first one",
                "published steady rates against published hours: BLOOM, GPT-NeoX, OPT, Olmo 3, "
                "Llama 3.1 405B");
    } else {
      notes.fallback(Field::efficiency_production_overhead, useful.production_overhead);
    }
  }
  if (useful.goodput_given) return;
  for (GoodputNote& note : goodput_notes(useful.failures, useful.goodput)) {
    const FieldInfo* info = find_field(note.path);
    if (info != nullptr && scenario.has(info->field)) continue;
    notes.add({std::move(note.path), format_number(note.value, NumberKind::number, 4),
               std::move(note.unit), std::move(note.why), std::move(note.source)});
  }
}

Rates resolve_rates(const Scenario& scenario, const Catalog& catalog, const Platform& platform,
                    Notes& notes) {
  Rates out;
  out.own = scenario.text(Field::cost_pricing) == "own";
  resolve_electricity(scenario, catalog, out, notes);
  out.pue = resolve_pue(scenario, catalog, notes);
  out.draw = platform.accelerator->mean_draw;
  resolve_power(scenario, platform, out, notes);
  resolve_price(scenario, catalog, platform, out, notes);
  out.purchase = server_price(*platform.accelerator, *platform.system, catalog.prices(),
                              scenario.number(Field::cost_purchase_price));
  if (out.own) resolve_ownership(scenario, catalog, out, notes);
  out.egress_price = select_egress_price(catalog.prices());
  if (const auto given = scenario.number(Field::cost_storage_price)) {
    out.storage_price = given_price(*given, "--storage-price");
  } else {
    out.storage_price = select_storage_price(catalog.prices());
  }
  warn_about_unused(scenario, notes);
  return out;
}

namespace {

// Compute beside the final run, as a multiple of it.
double beyond(const Scenario& scenario) {
  return scenario.number_or_default(Field::cost_experiments) +
         scenario.number_or(Field::cost_evaluation, 0);
}

// Nothing of what an estimate says in numbers is n/a.
bool complete(const Estimate& out) {
  return out.cost.total && out.energy.kwh && out.energy.co2_kg &&
         std::ranges::all_of(out.cost.items,
                             [](const LineItem& item) { return item.amount.has_value(); });
}

}  // namespace

EnergyInputs energy_inputs(const Scenario& scenario, const Rates& rates, const Estimate& estimate) {
  EnergyInputs out;
  out.gpus = estimate.gpus;
  out.gpu_hours = estimate.gpu_hours;
  out.beyond = beyond(scenario);
  out.tokens = estimate.tokens.total;
  out.tokens_per_second_per_gpu = estimate.performance.tokens_per_second_per_gpu;
  out.system_watts_per_gpu = rates.power.watts;
  out.mean_draw = rates.draw;
  out.pue = rates.pue;
  out.kg_co2_per_kwh = rates.kg_co2_per_kwh;
  return out;
}

StorageInputs storage_inputs(const Scenario& scenario, const ResolvedWork& work,
                             const Estimate& estimate) {
  StorageInputs inputs;
  inputs.dataset_bytes = dataset_bytes_of(scenario, estimate);
  inputs.full_checkpoint_bytes = checkpoint_bytes(work.params.total, work.trainable.total);
  inputs.weights_checkpoint_bytes = weights_bytes(work.params.total);
  inputs.full_kept = scenario.number_or_default(Field::cost_checkpoints_kept);
  inputs.weights_kept = scenario.number_or_default(Field::cost_weights_kept);
  inputs.wall_seconds = estimate.wall_clock_seconds;
  inputs.egress_bytes = scenario.number_or_default(Field::cost_egress);
  return inputs;
}

void add_money(const Scenario& scenario, const ResolvedWork& work, const Rates& rates,
               Estimate& out) {
  out.energy = compute_energy(energy_inputs(scenario, rates, out));
  const StorageUse storage = compute_storage(storage_inputs(scenario, work, out));
  BillInputs bill;
  bill.gpu_hours = out.gpu_hours;
  bill.tokens = out.tokens.total;
  bill.own = rates.own;
  bill.price = &rates.price;
  bill.ownership = rates.own ? &rates.ownership : nullptr;
  bill.ownership_source = rates.purchase.source;
  bill.ownership_date = rates.purchase.date.text;
  if (rates.own) {
    if (const auto cash = cash_per_gpu(rates.ownership_inputs)) bill.capital_usd = out.gpus * *cash;
  }
  bill.gpus = out.gpus;
  bill.term_hours = term_hours(scenario);
  bill.purchase = purchase_of(rates.purchase);
  bill.kwh = out.energy.kwh;
  if (rates.own && bill.kwh) *bill.kwh /= 1 + beyond(scenario);
  bill.usd_per_kwh = rates.usd_per_kwh;
  bill.electricity_source = rates.electricity_source;
  bill.electricity_date = rates.electricity_date;
  bill.storage = &storage;
  bill.storage_included = storage_included(scenario);
  bill.storage_price = &rates.storage_price;
  bill.egress_price = &rates.egress_price;
  bill.experiments = scenario.number_or_default(Field::cost_experiments);
  bill.evaluation = scenario.number_or(Field::cost_evaluation, 0);
  make_bill(bill, out.cost);
  out.complete = complete(out);
}

void warn_about_spot(const UsefulTime& useful, const Rates& rates, const Estimate& out,
                     Notes& notes) {
  if (!useful.failures.spot || useful.goodput_given || !rates.on_demand.usd || !rates.price.usd) {
    return;
  }
  FailureInputs steady = useful.failures;
  steady.spot = false;
  double share = 0;
  try {
    share = plan_goodput(steady).goodput;
  } catch (const Error&) {
    return;  // on-demand does not get on either
  }
  const double ratio = useful.goodput_share / share;  // of the GPU-hours
  const double spot_usd = out.gpu_hours * *rates.price.usd;
  const double steady_usd = out.gpu_hours * ratio * *rates.on_demand.usd;
  if (spot_usd <= steady_usd) return;
  const auto money = [](double usd) { return format_number(usd, NumberKind::money); };
  const auto time = [](double seconds) { return format_number(seconds, NumberKind::duration); };
  notes.warn(
      fmt::format("spot costs more than on-demand: {} in {} against {} in {} on {} {}, since "
                  "preemptions leave a "
                  "goodput of {}; take fewer accelerators, or --pricing on-demand",
                  money(spot_usd), time(out.wall_clock_seconds), money(steady_usd),
                  time(out.wall_clock_seconds * ratio), format_exact(out.gpus), out.accelerator,
                  format_number(useful.goodput_share, NumberKind::fraction)));
}

}  // namespace trcost
