// SPDX-License-Identifier: Apache-2.0
#include "estimate/stages.h"

#include <algorithm>
#include <cmath>

#include "trcost/bill.h"

namespace trcost {
namespace {

void add_optional(std::optional<double>& sum, const std::optional<double>& part) {
  if (!sum || !part) {
    sum.reset();
  } else {
    *sum += *part;
  }
}

void add_quantiles(Quantiles& sum, const Quantiles& part) {
  sum.p10 += part.p10;
  sum.p50 += part.p50;
  sum.p90 += part.p90;
}

void add_totals(Estimate& out, const Estimate& part) {
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
  add_optional(out.energy.kwh, part.energy.kwh);
  add_optional(out.energy.co2_kg, part.energy.co2_kg);
  out.complete = out.complete && part.complete;
}

// The stages share their uncertain inputs (price, stack), so their quantiles add.
void add_ranges(RangeResult& out, const RangeResult& part) {
  add_quantiles(out.gpu_hours, part.gpu_hours);
  add_quantiles(out.wall_clock_seconds, part.wall_clock_seconds);
  if (out.total_usd && part.total_usd) {
    add_quantiles(*out.total_usd, *part.total_usd);
  } else {
    out.total_usd.reset();
  }
}

void add_items(CostResult& cost, const CostResult& part, const std::string& stage) {
  for (LineItem item : part.items) {
    item.item = stage + ": " + item.item;
    cost.items.push_back(std::move(item));
  }
  add_optional(cost.total, part.total);
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

}  // namespace

Estimate sum_of_stages(const Scenario& scenario, std::vector<Estimate> parts) {
  const auto largest = std::ranges::max_element(parts, {}, &Estimate::gpu_hours);
  Estimate out = *largest;
  out.tokens = {};
  out.flops = {};
  out.steps = out.gpu_hours = out.wall_clock_seconds = 0;
  out.energy.kwh = out.energy.co2_kg = 0;
  out.cost.items.clear();
  out.cost.total = 0;
  const RangeResult shown = out.range;
  out.range = {};
  out.range.total_usd = Quantiles{};
  out.range.contributions = shown.contributions;
  out.range.method = shown.method;
  out.assumptions.clear();
  out.warnings.clear();
  out.derivations.clear();
  out.stages.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Estimate& part = parts[i];
    const std::string& name = scenario.stages[i].name;
    add_totals(out, part);
    add_ranges(out.range, part.range);
    add_items(out.cost, part.cost, name);
    add_notes(out, part, name);
    out.stages.push_back({name, part.tokens.total, part.flops.model, part.gpu_hours,
                          part.wall_clock_seconds, part.performance.mfu});
    out.model.params_trainable = std::max(out.model.params_trainable, part.model.params_trainable);
    if (out.pipeline && part.pipeline) {
      out.pipeline->dataset_bytes =
          i == 0 ? part.pipeline->dataset_bytes
                 : out.pipeline->dataset_bytes + part.pipeline->dataset_bytes;
    }
  }
  out.flops.per_token = out.flops.model / out.tokens.total;
  if (out.cost.total && out.tokens.total > 0) {
    out.cost.per_million_tokens = *out.cost.total / out.tokens.total * 1e6;
  }
  out.energy.tokens_per_mwh.reset();
  if (out.energy.kwh && *out.energy.kwh > 0) {
    out.energy.tokens_per_mwh = out.tokens.total / (*out.energy.kwh / 1000);
  }
  check_bill(out.cost);
  return out;
}

}  // namespace trcost
