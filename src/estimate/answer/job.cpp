// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/job.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "cost/energy.h"
#include "cost/make_bill.h"
#include "estimate/answer/work_totals.h"
#include "quantity/quantity.h"
#include "trcost/bill.h"

namespace trcost::estimation {
namespace {

using Parts = std::vector<RoundAnswer>;
using Maybe = std::optional<double>;

// Does not compile when a member is added to one of these structs: give the member its rule below,
// or where amounts are added.
[[maybe_unused]] void every_member_has_a_rule(const Estimate& e) {
  [[maybe_unused]] const auto& [step_account, accelerator, title, system, book, gpus, precision,
                                one_precision, complete, model, one_model, tokens, medium, flops,
                                layout, one_layout, memory, work, performance, waterfall, steps,
                                seq_length, gpu_hours, wall_clock, energy, cost, range, pipeline,
                                stages, phases, rollout, assumptions, derivations, warnings,
                                runner_up, beyond_stack] = e;
  [[maybe_unused]] const auto& [step, rate, tflops, mfu, hfu, mfu_bf16, interconnect, goodput,
                                overhead, batch_cost, method, quality] = performance;
  [[maybe_unused]] const auto& [kwh, co2, per_mwh, per_megawatt, megawatts] = energy;
  [[maybe_unused]] const auto& [own, machines, price, price_class, doubts, obligation, purchase,
                                date, provider, total, per_million, items, break_even, rent,
                                rent_source] = cost;
  [[maybe_unused]] const auto& [price_imputed, other_class, other_region, stale] = doubts;
}

// Sum over the rounds, unknown if a round's value is.
template <class Get>
Maybe known_sum(const Parts& parts, const Get& get) {
  double out = 0;
  for (const RoundAnswer& part : parts) {
    const Maybe value = get(part.estimate);
    if (!value) return std::nullopt;
    out += *value;
  }
  return out;
}

template <class Get>
Maybe known_most(const Parts& parts, const Get& get) {
  Maybe out;
  for (const RoundAnswer& part : parts) {
    const Maybe value = get(part.estimate);
    if (!value) return std::nullopt;
    out = std::max(out.value_or(*value), *value);
  }
  return out;
}

template <class Get>
bool all_same(const Parts& parts, const Get& get) {
  const auto first = get(parts.front().estimate);
  return std::ranges::all_of(parts, [&](const RoundAnswer& r) { return get(r.estimate) == first; });
}

template <class Get>
const Estimate& round_with_most(const Parts& parts, const Get& get) {
  return std::ranges::max_element(parts, {}, [&](const RoundAnswer& r) { return get(r.estimate); })
      ->estimate;
}

// Distinct texts of all rounds.
template <class Get>
std::string joined(const Parts& parts, const Get& get) {
  std::unordered_set<std::string_view> seen;
  std::string out;
  for (const RoundAnswer& part : parts) {
    const std::string& text = get(part.estimate);
    if (text.empty() || !seen.insert(text).second) continue;
    out += (out.empty() ? "" : "; ") + text;
  }
  return out;
}

void add_amounts(const Parts& parts, Estimate& out) {
  out.complete = true;
  out.tokens.compute_optimal = true;
  out.tokens.published = true;
  for (const auto& [name, part] : parts) {
    out.gpus = std::max(out.gpus, part.gpus);
    out.complete = out.complete && part.complete;
    add(out.tokens, part.tokens);
    add(out.flops, part.flops);
    add(out.work, part.work);
    out.steps += part.steps;
    out.gpu_hours += part.gpu_hours;
    out.wall_clock_seconds += part.wall_clock_seconds;
  }
  if (out.tokens.total > 0) out.flops.per_token = out.flops.model / out.tokens.total;
}

// The model without its trainable parameters, which may differ between stages.
ModelSummary frozen(const Estimate& e) {
  ModelSummary out = e.model;
  out.params_trainable.reset();
  return out;
}

// Stages that train one model may train different parameters. Of several models only the names are
// kept.
void add_model(const Parts& parts, Estimate& out) {
  out.one_model = all_same(parts, frozen);
  if (!out.one_model) {
    out.model.name =
        joined(parts, [](const Estimate& e) -> const std::string& { return e.model.name; });
    return;
  }
  out.model = frozen(parts.front().estimate);
  const auto trainable = [](const Estimate& e) { return e.model.params_trainable; };
  if (all_same(parts, trainable)) out.model.params_trainable = trainable(parts.front().estimate);
}

void add_plan(const Parts& parts, Estimate& out) {
  const Estimate& first = parts.front().estimate;
  out.accelerator = first.accelerator;
  out.accelerator_title = first.accelerator_title;
  out.price_data_date = first.price_data_date;
  if (all_same(parts, [](const Estimate& e) { return e.system; })) out.system = first.system;
  out.precision = first.precision;
  out.one_precision = all_same(parts, [](const Estimate& e) { return e.precision; });
  out.one_layout = out.one_model && all_same(parts, [](const Estimate& e) { return e.layout; });
  if (out.one_layout) out.layout = first.layout;
  if (all_same(parts, [](const Estimate& e) { return e.seq_length; })) {
    out.seq_length = first.seq_length;
  }
  const auto filled = [](const Estimate& e) {
    return e.memory.capacity > 0 ? e.memory.total / e.memory.capacity : 0.0;
  };
  out.memory = round_with_most(parts, filled).memory;
  out.memory.fits =
      std::ranges::all_of(parts, [](const RoundAnswer& r) { return r.estimate.memory.fits; });
}

void add_performance(const Parts& parts, Estimate& out) {
  PerformanceSummary& p = out.performance;
  set_ratios(out.work, p);
  p.method =
      joined(parts, [](const Estimate& e) -> const std::string& { return e.performance.method; });
  const auto quality = [](const Estimate& e) { return e.performance.quality; };
  if (all_same(parts, quality)) p.quality = quality(parts.front().estimate);
}

void add_energy(const Parts& parts, Estimate& out) {
  EnergyResult& energy = out.energy;
  energy.kwh = known_sum(parts, [](const Estimate& e) { return e.energy.kwh; });
  energy.co2_kg = known_sum(parts, [](const Estimate& e) { return e.energy.co2_kg; });
  energy.site_megawatts =
      known_most(parts, [](const Estimate& e) { return e.energy.site_megawatts; });
  energy.tokens_per_mwh = tokens_per_mwh(out.tokens.total, energy.kwh);
  const Maybe megawatt_seconds = known_sum(parts, [](const Estimate& e) -> Maybe {
    if (!e.energy.site_megawatts || e.gpus <= 0) return std::nullopt;
    return *e.energy.site_megawatts / e.gpus * e.work.busy_seconds;
  });
  energy.tokens_per_second_per_megawatt =
      tokens_per_megawatt_second(out.work.tokens, megawatt_seconds);
}

// Price of a GPU-hour: that of all rounds, else the mean over their hours.
void add_price(const Parts& parts, Estimate& out) {
  CostResult& cost = out.cost;
  const CostResult& first = parts.front().estimate.cost;
  const Maybe hours_usd = known_sum(parts, [](const Estimate& e) -> Maybe {
    if (!e.cost.price_per_gpu_hour) return std::nullopt;
    return *e.cost.price_per_gpu_hour * e.gpu_hours;
  });
  const bool one_price =
      all_same(parts, [](const Estimate& e) { return e.cost.price_per_gpu_hour; });
  if (one_price) cost.price_per_gpu_hour = first.price_per_gpu_hour;
  if (!one_price && hours_usd) cost.price_per_gpu_hour = *hours_usd / out.gpu_hours;
  if (all_same(parts, [](const Estimate& e) { return e.cost.price_class; })) {
    cost.price_class = first.price_class;
  }
  const auto rent_of = [](const Estimate& e) { return e.cost.rent_per_gpu_hour; };
  if (one_price && all_same(parts, rent_of)) {
    cost.rent_per_gpu_hour = first.rent_per_gpu_hour;
    cost.rent_source = first.rent_source;
    cost.break_even_utilization = first.break_even_utilization;
  }
}

// The commitment of the largest cluster covers all rounds, since they run one after another. Empty
// if terms or prices differ.
std::optional<Obligation> joint_obligation(const Parts& parts) {
  std::optional<Obligation> out;
  Maybe price;
  for (const RoundAnswer& part : parts) {
    const CostResult& each = part.estimate.cost;
    if (!each.obligation) continue;
    if (out && (each.obligation->hours != out->hours || each.price_per_gpu_hour != price)) {
      return std::nullopt;
    }
    if (!out || each.obligation->gpus > out->gpus) out = each.obligation;
    price = each.price_per_gpu_hour;
  }
  return out;
}

// Doubts, dates and sellers of the prices.
void add_price_provenance(const Parts& parts, CostResult& cost) {
  for (const RoundAnswer& part : parts) {
    const CostResult& each = part.estimate.cost;
    cost.doubts.imputed |= each.doubts.imputed;
    cost.doubts.other_class |= each.doubts.other_class;
    cost.doubts.other_region |= each.doubts.other_region;
    cost.doubts.stale |= each.doubts.stale;
    cost.purchase = std::max(cost.purchase, each.purchase);
  }
  cost.obligation = joint_obligation(parts);
  cost.price_date =
      joined(parts, [](const Estimate& e) -> const std::string& { return e.cost.price_date; });
  cost.provider =
      joined(parts, [](const Estimate& e) -> const std::string& { return e.cost.provider; });
}

void add_cost(const Parts& parts, Estimate& out) {
  CostResult& cost = out.cost;
  cost.own = std::ranges::all_of(parts, [](const RoundAnswer& r) { return r.estimate.cost.own; });
  const auto machines_usd = [](const RoundAnswer& part) {
    const std::optional<OwnedMachines>& machines = part.estimate.cost.machines;
    return machines ? std::optional<double>(machines->usd) : std::nullopt;
  };
  cost.machines = std::ranges::max_element(parts, {}, machines_usd)->estimate.cost.machines;
  add_price(parts, out);
  add_price_provenance(parts, cost);
  for (const auto& [name, part] : parts) {
    for (const LineItem& item : part.cost.items) {
      cost.items.push_back(item);
      cost.items.back().round = name;
    }
  }
  sum_bill(cost, out.tokens.total);
}

// The data pipeline of the most demanding round, with the bytes of all rounds.
void add_data_pipeline(const Parts& parts, Estimate& out) {
  const auto asks = [](const PipelineResult& p) {
    return std::tuple(!p.gpu_bound, p.bytes_per_second, p.images_per_second);
  };
  double bytes = 0;
  for (const auto& [name, part] : parts) {
    if (!part.pipeline) continue;
    bytes += part.pipeline->dataset_bytes;
    if (out.pipeline && asks(*part.pipeline) <= asks(*out.pipeline)) continue;
    out.pipeline = part.pipeline;
    out.medium = part.medium;
  }
  if (out.pipeline) out.pipeline->dataset_bytes = bytes;
}

// Paths and values of assumptions.
using KnownNotes = std::set<std::pair<std::string, std::string>>;

void add_notes(Estimate& out, const Estimate& part, const std::string& stage, KnownNotes& known) {
  for (const Assumption& note : part.assumptions) {
    if (!known.emplace(note.path, note.value).second) continue;
    out.assumptions.push_back(note);
    out.assumptions.back().why = stage + ": " + note.why;
  }
  if (out.beyond_stack.empty()) out.beyond_stack = part.beyond_stack;
  for (const std::string& text : part.warnings) out.warnings.push_back(stage + ": " + text);
  for (Derivation step : part.derivations) {
    step.name = stage + ": " + step.name;
    out.derivations.push_back(std::move(step));
  }
}

StageResult stage_result(const Estimate& part, const std::string& name) {
  StageResult out;
  out.name = name;
  out.gpus = part.gpus;
  out.tokens = part.tokens.total;
  out.flops = part.flops.model;
  out.gpu_hours = part.gpu_hours;
  out.wall_clock_seconds = part.wall_clock_seconds;
  out.step_seconds = part.performance.step_seconds;
  out.mfu = part.performance.mfu;
  out.model = part.model;
  out.method = part.performance.method;
  out.obligation = part.cost.obligation;
  out.layout = part.layout;
  out.memory = part.memory;
  return out;
}

}  // namespace

Estimate combine_rounds(std::vector<RoundAnswer> rounds) {
  Estimate out;
  add_amounts(rounds, out);
  add_model(rounds, out);
  add_plan(rounds, out);
  add_performance(rounds, out);
  add_energy(rounds, out);
  add_cost(rounds, out);
  add_data_pipeline(rounds, out);
  // Several rounds have no common waterfall and runner-up.
  if (rounds.size() == 1) {
    out.waterfall = rounds.front().estimate.waterfall;
    out.runner_up = rounds.front().estimate.runner_up;
  }
  KnownNotes known;
  for (const auto& [name, part] : rounds) {
    add_notes(out, part, name, known);
    for (PhaseResult phase : part.phases) {
      phase.stage = name;
      out.phases.push_back(std::move(phase));
    }
    out.stages.push_back(stage_result(part, name));
  }
  return out;
}

}  // namespace trcost::estimation
