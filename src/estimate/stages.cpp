// SPDX-License-Identifier: Apache-2.0
#include "estimate/stages.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cost/make_bill.h"
#include "quantity/quantity.h"
#include "trcost/bill.h"

namespace trcost {
namespace {

using Parts = std::vector<Estimate>;
using Maybe = std::optional<double>;

// A member that is added to one of these does not compile here: give it its rule below.
[[maybe_unused]] void every_member_has_a_rule(const Estimate& e) {
  [[maybe_unused]] const auto& [step_account, accelerator, title, system, book, gpus, precision,
                                one_precision, complete, model, tokens, medium, flops, layout,
                                one_layout, memory, work, performance, waterfall, steps, seq_length,
                                gpu_hours, wall_clock, energy, cost, range, pipeline, stages,
                                phases, rollout, assumptions, derivations, warnings, runner_up] = e;
  [[maybe_unused]] const auto& [tokens_total, text, vision, encoder, compute_optimal] = tokens;
  [[maybe_unused]] const auto& [model_flops, hardware, per_token, language, tower, projector,
                                rule_6nd] = flops;
  [[maybe_unused]] const auto& [step, rate, tflops, mfu, hfu, mfu_bf16, interconnect, goodput,
                                overhead, batch_cost, method, quality] = performance;
  [[maybe_unused]] const auto& [kwh, co2, per_mwh, per_megawatt, megawatts] = energy;
  [[maybe_unused]] const auto& [own, capital, price, price_class, doubts, obligation, purchase,
                                date, provider, total, per_million, items, break_even, rent,
                                rent_source] = cost;
  [[maybe_unused]] const auto& [price_imputed, other_class, stale] = doubts;
}

// Of what may be unknown: unknown where a stage's is.
template <class Get>
Maybe known_sum(const Parts& parts, const Get& get) {
  double out = 0;
  for (const Estimate& part : parts) {
    const Maybe value = get(part);
    if (!value) return std::nullopt;
    out += *value;
  }
  return out;
}

template <class Get>
Maybe known_most(const Parts& parts, const Get& get) {
  Maybe out;
  for (const Estimate& part : parts) {
    const Maybe value = get(part);
    if (!value) return std::nullopt;
    out = std::max(out.value_or(*value), *value);
  }
  return out;
}

template <class Get>
bool all_same(const Parts& parts, const Get& get) {
  return std::ranges::all_of(parts,
                             [&](const Estimate& part) { return get(part) == get(parts.front()); });
}

// The words of all stages, each once.
template <class Get>
std::string joined(const Parts& parts, const Get& get) {
  std::vector<std::string> seen;
  std::string out;
  for (const Estimate& part : parts) {
    const std::string& text = get(part);
    if (text.empty() || std::ranges::find(seen, text) != seen.end()) continue;
    seen.push_back(text);
    out += (out.empty() ? "" : "; ") + text;
  }
  return out;
}

void add_amounts(const Parts& parts, Estimate& out) {
  out.gpus = std::ranges::max(parts, {}, &Estimate::gpus).gpus;
  out.complete = std::ranges::all_of(parts, &Estimate::complete);
  for (const Estimate& part : parts) {
    out.tokens.total += part.tokens.total;
    out.tokens.text += part.tokens.text;
    out.tokens.vision += part.tokens.vision;
    out.tokens.vision_encoder += part.tokens.vision_encoder;
    out.flops.model += part.flops.model;
    out.flops.hardware += part.flops.hardware;
    out.flops.language += part.flops.language;
    out.flops.vision += part.flops.vision;
    out.flops.projector += part.flops.projector;
    out.flops.rule_6nd += part.flops.rule_6nd;
    out.steps += part.steps;
    out.gpu_hours += part.gpu_hours;
    out.wall_clock_seconds += part.wall_clock_seconds;
  }
  out.tokens.compute_optimal =
      std::ranges::all_of(parts, [](const Estimate& e) { return e.tokens.compute_optimal; });
  if (out.tokens.total > 0) out.flops.per_token = out.flops.model / out.tokens.total;
}

// The model is one; what of it learns may differ.
void add_model(const Parts& parts, Estimate& out) {
  const auto largest =
      std::ranges::max_element(parts, {}, [](const Estimate& e) { return e.model.params_total; });
  out.model = largest->model;
  out.model.params_trainable = std::ranges::max(parts, {}, [](const Estimate& e) {
                                 return e.model.params_trainable;
                               }).model.params_trainable;
}

void add_plan(const Parts& parts, Estimate& out) {
  const Estimate& first = parts.front();
  out.accelerator = first.accelerator;
  out.accelerator_title = first.accelerator_title;
  out.price_data_date = first.price_data_date;
  if (all_same(parts, [](const Estimate& e) { return e.system; })) out.system = first.system;
  out.precision = first.precision;
  out.one_precision = all_same(parts, [](const Estimate& e) { return e.precision; });
  out.one_layout = all_same(parts, [](const Estimate& e) { return e.layout; });
  if (out.one_layout) out.layout = first.layout;
  if (all_same(parts, [](const Estimate& e) { return e.seq_length; })) {
    out.seq_length = first.seq_length;
  }
  const auto fullest = std::ranges::max_element(parts, {}, [](const Estimate& e) {
    return e.memory.capacity > 0 ? e.memory.total / e.memory.capacity : 0.0;
  });
  out.memory = fullest->memory;
  out.memory.fits = std::ranges::all_of(parts, [](const Estimate& e) { return e.memory.fits; });
}

void add_performance(const Parts& parts, Estimate& out) {
  for (const Estimate& part : parts) add(out.work, part.work);
  PerformanceSummary& p = out.performance;
  ratios_of(out.work, p);
  p.method =
      joined(parts, [](const Estimate& e) -> const std::string& { return e.performance.method; });
  p.quality = std::ranges::max(parts, {}, [](const Estimate& e) {
                return e.performance.quality.sigma;
              }).performance.quality;
}

void add_energy(const Parts& parts, Estimate& out) {
  EnergyResult& energy = out.energy;
  energy.kwh = known_sum(parts, [](const Estimate& e) { return e.energy.kwh; });
  energy.co2_kg = known_sum(parts, [](const Estimate& e) { return e.energy.co2_kg; });
  energy.site_megawatts =
      known_most(parts, [](const Estimate& e) { return e.energy.site_megawatts; });
  if (energy.kwh && *energy.kwh > 0) {
    energy.tokens_per_mwh = out.tokens.total / (*energy.kwh / 1000);
  }
  // Tokens of steps over megawatt-seconds of steps.
  const Maybe megawatt_seconds = known_sum(parts, [](const Estimate& e) -> Maybe {
    if (!e.energy.site_megawatts || e.gpus <= 0) return std::nullopt;
    return *e.energy.site_megawatts / e.gpus * e.work.busy_seconds;
  });
  if (megawatt_seconds && *megawatt_seconds > 0) {
    energy.tokens_per_second_per_megawatt = out.work.tokens / *megawatt_seconds;
  }
}

void add_cost(const Scenario& scenario, const Parts& parts, Estimate& out) {
  CostResult& cost = out.cost;
  const CostResult& first = parts.front().cost;
  cost.own = std::ranges::all_of(parts, [](const Estimate& e) { return e.cost.own; });
  cost.capital_usd = known_most(parts, [](const Estimate& e) { return e.cost.capital_usd; });
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
  for (const Estimate& e : parts) {
    cost.doubts.imputed |= e.cost.doubts.imputed;
    cost.doubts.other_class |= e.cost.doubts.other_class;
    cost.doubts.stale |= e.cost.doubts.stale;
    // One commitment holds all stages, whose accelerators work one after another.
    if (e.cost.obligation && (!cost.obligation || e.cost.obligation->usd > cost.obligation->usd))
      cost.obligation = e.cost.obligation;
    cost.purchase = std::max(cost.purchase, e.cost.purchase);
  }
  cost.price_date =
      joined(parts, [](const Estimate& e) -> const std::string& { return e.cost.price_date; });
  cost.provider =
      joined(parts, [](const Estimate& e) -> const std::string& { return e.cost.provider; });
  cost.total = known_sum(parts, [](const Estimate& e) { return e.cost.total; });
  if (cost.total && out.tokens.total > 0) {
    cost.per_million_tokens = *cost.total / out.tokens.total * 1e6;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (LineItem item : parts[i].cost.items) {
      item.round = scenario.stages[i].name;
      cost.items.push_back(std::move(item));
    }
  }
  const auto rent_of = [](const Estimate& e) { return e.cost.rent_per_gpu_hour; };
  if (one_price && all_same(parts, rent_of)) {
    cost.rent_per_gpu_hour = first.rent_per_gpu_hour;
    cost.rent_source = first.rent_source;
    cost.break_even_utilization = first.break_even_utilization;
  }
  check_bill(cost);
}

// One draw of what is uncertain for all stages: quantiles do not add.
void add_range(const Scenario& scenario, const Parts& parts, Estimate& out) {
  if (parts.front().range.method.empty()) return;
  if (parts.size() == 1) {
    out.range = parts.front().range;
    return;
  }
  std::vector<RangeInputs> rounds;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Estimate& part = parts[i];
    RangeInputs& in = rounds.emplace_back();
    in.gpu_hours = part.gpu_hours;
    in.wall_clock_seconds = part.wall_clock_seconds;
    if (part.cost.total) in.usd = dollars_of(part.cost);
    in.inputs = part.range.inputs;
    in.draws = scenario.number(Field::range_draws);
    in.seed = scenario.number_or_default(Field::range_seed);
  }
  out.range = compute_range(rounds);
}

// What the data has to keep up with is the stage that asks the most of it, and its figures go
// together; the bytes of all add.
void add_pipeline(const Parts& parts, Estimate& out) {
  const auto asks = [](const PipelineResult& p) {
    return std::tuple(!p.gpu_bound, p.bytes_per_second, p.images_per_second);
  };
  double bytes = 0;
  for (const Estimate& part : parts) {
    if (!part.pipeline) continue;
    bytes += part.pipeline->dataset_bytes;
    if (out.pipeline && asks(*part.pipeline) <= asks(*out.pipeline)) continue;
    out.pipeline = part.pipeline;
    out.medium = part.medium;
  }
  if (out.pipeline) out.pipeline->dataset_bytes = bytes;
}

void add_notes(Estimate& out, const Estimate& part, const std::string& stage) {
  for (const Assumption& note : part.assumptions) {
    const bool known = std::ranges::any_of(out.assumptions, [&](const Assumption& each) {
      return each.path == note.path && each.value == note.value;
    });
    if (known) continue;
    out.assumptions.push_back(note);
    out.assumptions.back().why = stage + ": " + note.why;
  }
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
  out.layout = part.layout;
  out.memory = part.memory;
  return out;
}

}  // namespace

Estimate sum_of_stages(const Scenario& scenario, std::vector<Estimate> parts) {
  Estimate out;
  add_amounts(parts, out);
  add_model(parts, out);
  add_plan(parts, out);
  add_performance(parts, out);
  add_energy(parts, out);
  add_cost(scenario, parts, out);
  add_range(scenario, parts, out);
  add_pipeline(parts, out);
  // Of one stage these are its own; of several they are nobody's.
  if (parts.size() == 1) {
    out.waterfall = parts.front().waterfall;
    out.runner_up = parts.front().runner_up;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    add_notes(out, parts[i], scenario.stages[i].name);
    for (PhaseResult phase : parts[i].phases) {
      phase.stage = scenario.stages[i].name;
      out.phases.push_back(std::move(phase));
    }
    out.stages.push_back(stage_result(parts[i], scenario.stages[i].name));
  }
  return out;
}

}  // namespace trcost
