// SPDX-License-Identifier: Apache-2.0
#include "report/document_head.h"
#include "text/json_writer.h"
#include "report/solve_parts.h"
#include "trcost/report.h"

namespace trcost {
namespace {

void write_pair(JsonWriter& writer, std::string_view key, const ComputeOptimal& pair) {
  writer.begin_object(key);
  writer.member("params", pair.params);
  writer.member("tokens", pair.tokens);
  writer.end_object();
}

void write_cluster(JsonWriter& writer, const ClusterRun& run) {
  writer.begin_object("cluster");
  writer.member("gpus", run.gpus);
  writer.member("seconds", run.seconds);
  writer.member("peak_flop_per_second", run.peak_flops);
  writer.member("mfu", run.mfu);
  writer.member("flops", run.flops);
  writer.member("gpu_hours", run.gpu_hours);
  writer.member("price_per_gpu_hour", run.price);
  writer.member("cost_usd", run.usd);
  write_pair(writer, "compute_optimal", run.optimal);
  writer.member("goodput", run.goodput);
  writer.member("production_overhead", run.production_overhead);
  writer.member("realised_flops", run.realised_flops);
  write_pair(writer, "realised_compute_optimal", run.realised_optimal);
  writer.begin_object("reference");
  writer.member("model", kReferenceName);
  writer.member("flops", kReferenceFlops);
  writer.member("ratio", run.reference_ratio);
  writer.end_object();
  writer.end_object();
}

void write_values(JsonWriter& writer, const Solution& solution) {
  writer.begin_array("unknowns");
  for (const auto& [info, value] : solution.values) {
    writer.begin_object();
    writer.member("path", info->path);
    writer.member("value", value);
    writer.member("unit", info->unit);
    writer.end_object();
  }
  writer.end_array();
  // One unknown is the usual case and reads without the list.
  if (solution.values.size() != 1) return;
  writer.member("path", solution.values.front().first->path);
  writer.member("value", solution.values.front().second);
  writer.member("unit", solution.values.front().first->unit);
}

void write_solution(JsonWriter& writer, const SolveReport& report, std::size_t index) {
  const Solution& solution = report.solutions[index];
  writer.begin_object();
  writer.member("accelerator", solution.accelerator);
  writer.boolean("solved", solution.solved);
  writer.text_or_null("problem", solution.problem);
  write_values(writer, solution);
  writer.member("achieved", solution.achieved);
  if (solution.beyond) {
    writer.begin_object("one_unit_further");
    writer.member("value", solution.beyond);
    writer.member("achieved", solution.beyond_achieved);
    writer.end_object();
  }
  writer.begin_array("choices");
  for (const SolveChoice& choice : solution.choices) {
    writer.begin_object();
    writer.member("choice", choice.what);
    writer.member("value", choice.value);
    writer.member("wall_clock_seconds", choice.wall_clock_seconds);
    writer.member("cost_usd", choice.total_usd);
    writer.end_object();
  }
  writer.end_array();
  if (index < report.clusters.size()) write_cluster(writer, report.clusters[index]);
  if (solution.estimate) {
    Report result;
    result.scenario = &solution.scenario;
    result.estimates = {&*solution.estimate, 1};
    result.price_data_date = report.price_data_date;
    std::string document = render_json(result);
    while (document.ends_with('\n')) document.pop_back();
    writer.raw("result", document);
  } else {
    writer.null("result");
  }
  writer.end_object();
}

}  // namespace

std::string solve_json(const SolveReport& report) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  write_versions(writer, report.price_data_date);
  writer.begin_object("target");
  writer.member("column", report.target.column->path);
  writer.member("value", report.target.value);
  writer.member("unit", report.target.column->unit);
  writer.member("comparison", report.target.at_least ? "at least" : "at most");
  writer.end_object();
  writer.begin_array("solutions");
  for (std::size_t i = 0; i < report.solutions.size(); ++i) write_solution(writer, report, i);
  writer.end_array();
  writer.end_object();
  out += '\n';
  return out;
}

}  // namespace trcost
