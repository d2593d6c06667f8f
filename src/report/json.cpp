// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "report/document_head.h"
#include "report/failures.h"
#include "text/json_writer.h"
#include "report/layout_json.h"
#include "trcost/columns.h"
#include "trcost/report.h"

namespace trcost {
namespace {

void write_column(JsonWriter& writer, std::string_view key, const EstimateColumn& column,
                  const Estimate& estimate) {
  if (column.kind == ColumnKind::text) {
    writer.text_or_null(key, column.text(estimate));
    return;
  }
  const std::optional<double> value = column.number(estimate);
  if (column.kind == ColumnKind::boolean && value) {
    writer.boolean(key, *value != 0);
  } else {
    writer.member(key, value);
  }
}

// The columns under `prefix` (`flops.`) as members, deeper ones as nested objects. Columns of one
// object stand together in the table.
void write_members(JsonWriter& writer, std::string_view prefix, const Estimate& estimate) {
  std::string_view open;
  for (const EstimateColumn& column : columns()) {
    if (!column.path.starts_with(prefix)) continue;
    const std::string_view rest = column.path.substr(prefix.size());
    const std::size_t dot = rest.find('.');
    const std::string_view nested =
        dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
    if (nested != open) {
      if (!open.empty()) writer.end_object();
      if (!nested.empty()) writer.begin_object(nested);
      open = nested;
    }
    write_column(writer, nested.empty() ? rest : rest.substr(dot + 1), column, estimate);
  }
  if (!open.empty()) writer.end_object();
}

void write_group(JsonWriter& writer, std::string_view name, const Estimate& estimate) {
  writer.begin_object(name);
  write_members(writer, std::string(name) + ".", estimate);
  writer.end_object();
}

}  // namespace

void write_layout(JsonWriter& json, const Layout& layout, double gpus, double layers) {
  Estimate only;
  only.layout = layout;
  only.gpus = gpus;
  only.model.layers = layers;
  write_group(json, "layout", only);
}

namespace {

void write_top(JsonWriter& writer, std::string_view path, const Estimate& estimate) {
  write_column(writer, path, require_column(path), estimate);
}

// The items that sum to the total, and apart from them those that are shown only.
void write_items(JsonWriter& writer, std::string_view name, const CostResult& cost, bool included) {
  writer.begin_array(name);
  for (const LineItem& item : cost.items) {
    if (item.included != included) continue;
    writer.begin_object();
    writer.member("item", item_name(item));
    writer.member("quantity", item.quantity);
    writer.member("unit", unit_name(item.unit));
    writer.member("unit_price", item.unit_price);
    writer.member("amount", item.amount);
    writer.text_or_null("source", item.source);
    writer.text_or_null("date", item.date);
    writer.end_object();
  }
  writer.end_array();
}

// A value that is nothing but a number is written as one.
void write_assumed_value(JsonWriter& writer, std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && status == std::errc() && end == text.data() + text.size() &&
      std::isfinite(value)) {
    writer.member("value", value);
  } else {
    writer.text_or_null("value", text);
  }
}

void write_assumptions(JsonWriter& writer, const Estimate& estimate) {
  writer.begin_array("assumptions");
  for (const Assumption& assumption : estimate.assumptions) {
    writer.begin_object();
    writer.member("path", assumption.path);
    write_assumed_value(writer, assumption.value);
    writer.member("unit", assumption.unit);
    writer.member("why", assumption.why);
    writer.text_or_null("source", assumption.source);
    writer.end_object();
  }
  writer.end_array();
}

void write_range(JsonWriter& writer, const Estimate& estimate) {
  writer.begin_object("range");
  write_members(writer, "range.", estimate);
  writer.begin_array("contributions");
  for (const Contribution& contribution : estimate.range.contributions) {
    writer.begin_object();
    writer.member("input", contribution.input);
    writer.member("share", contribution.share);
    writer.member("sigma", contribution.sigma);
    writer.text_or_null("source", contribution.source);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
}

void write_performance(JsonWriter& writer, const Estimate& estimate) {
  writer.begin_object("performance");
  write_members(writer, "performance.", estimate);
  const MethodQuality& quality = estimate.performance.quality;
  writer.begin_object("quality");
  writer.text_or_null("method", quality.name);
  const bool known = quality.rows > 0;
  writer.member("sigma", known ? std::optional(quality.sigma) : std::nullopt);
  writer.member("median_error", known ? std::optional(quality.median_error) : std::nullopt);
  writer.member("rows", static_cast<double>(quality.rows));
  writer.text_or_null("family", quality.family);
  writer.end_object();
  writer.end_object();
}

void write_stages(JsonWriter& writer, const Estimate& estimate) {
  writer.begin_array("stages");
  for (const StageResult& stage : estimate.stages) {
    writer.begin_object();
    writer.member("name", stage.name);
    writer.member("tokens", stage.tokens);
    writer.member("flops", stage.flops);
    writer.member("gpu_hours", stage.gpu_hours);
    writer.member("wall_clock_seconds", stage.wall_clock_seconds);
    writer.member("mfu", stage.mfu);
    writer.member("gpus", stage.gpus);
    writer.member("step_seconds", stage.step_seconds);
    Estimate plan;
    plan.gpus = stage.gpus;
    plan.model = estimate.model;
    plan.layout = stage.layout;
    plan.memory = stage.memory;
    write_group(writer, "layout", plan);
    write_group(writer, "memory", plan);
    writer.end_object();
  }
  writer.end_array();
}

void write_derivations(JsonWriter& writer, const Estimate& estimate) {
  writer.begin_array("derivations");
  for (const Derivation& step : estimate.derivations) {
    writer.begin_object();
    writer.member("name", step.name);
    writer.member("formula", step.formula);
    writer.member("numbers", step.numbers);
    writer.member("result", step.result);
    writer.text_or_null("source", step.source);
    writer.end_object();
  }
  writer.end_array();
}

void write_pipeline(JsonWriter& writer, const Estimate& estimate) {
  if (!estimate.pipeline) {
    writer.null("pipeline");
    return;
  }
  writer.begin_object("pipeline");
  write_members(writer, "pipeline.", estimate);
  writer.text_or_null("verdict", estimate.pipeline->verdict);
  writer.end_object();
}

void write_estimate(JsonWriter& writer, const Estimate& estimate) {
  writer.begin_object();
  for (const auto path : {"accelerator", "system", "gpus", "precision", "complete"}) {
    write_top(writer, path, estimate);
  }
  for (const auto group : {"model", "tokens", "flops", "layout", "memory"}) {
    write_group(writer, group, estimate);
  }
  write_performance(writer, estimate);
  writer.begin_array("waterfall");
  for (const WaterfallTerm& term : estimate.waterfall) {
    writer.begin_object();
    writer.member("term", term.term);
    writer.member("share", term.share);
    writer.end_object();
  }
  writer.end_array();
  write_top(writer, "gpu_hours", estimate);
  write_top(writer, "wall_clock_seconds", estimate);
  write_group(writer, "energy", estimate);
  writer.begin_object("cost");
  write_members(writer, "cost.", estimate);
  write_items(writer, "items", estimate.cost, true);
  write_items(writer, "not_included", estimate.cost, false);
  writer.end_object();
  write_range(writer, estimate);
  write_assumptions(writer, estimate);
  write_top(writer, "steps", estimate);
  write_top(writer, "seq_length", estimate);
  write_pipeline(writer, estimate);
  write_stages(writer, estimate);
  writer.text_or_null("runner_up", estimate.runner_up);
  writer.begin_array("warnings");
  for (const std::string& warning : estimate.warnings) writer.element(warning);
  writer.end_array();
  if (!estimate.derivations.empty()) write_derivations(writer, estimate);
  writer.end_object();
}

// The same question with the tokens of published models, where nobody said how many.
void write_alternatives(JsonWriter& writer, std::span<const TokenAlternative> alternatives) {
  if (alternatives.empty()) return;
  writer.begin_array("alternatives");
  for (const TokenAlternative& each : alternatives) {
    writer.begin_object();
    writer.member("tokens", each.tokens);
    writer.member("accelerator", each.accelerator);
    writer.member("gpus", each.gpus);
    writer.member("gpu_hours", each.gpu_hours);
    writer.member("wall_clock_seconds", each.wall_clock_seconds);
    writer.member("total_usd", each.total_usd);
    writer.begin_object("as");
    writer.member("model", each.example.name);
    writer.member("params", each.example.params);
    writer.member("tokens", each.example.tokens);
    writer.text_or_null("source", each.example.source);
    writer.end_object();
    writer.end_object();
  }
  writer.end_array();
}

}  // namespace

std::string render_json(const Report& report) {
  constexpr std::size_t kEstimateBytes = std::size_t{16} << 10;  // with a usual bill
  std::string out;
  out.reserve(kEstimateBytes * (report.estimates.size() + 1));
  JsonWriter writer(out);
  writer.begin_object();
  write_versions(writer, report.price_data_date);
  writer.raw("scenario", report.scenario != nullptr ? scenario_to_json(*report.scenario) : "{}");
  writer.begin_array("estimates");
  for (const Estimate& estimate : report.estimates) write_estimate(writer, estimate);
  writer.end_array();
  write_alternatives(writer, report.alternatives);
  write_failures(writer, report.failures);
  writer.end_object();
  out += '\n';
  return out;
}

}  // namespace trcost
