// SPDX-License-Identifier: Apache-2.0
#include "study/validate/validate_memory.h"

#include <algorithm>
#include <map>
#include <utility>

#include "catalog/layout/layout.h"
#include "estimate/cluster/memory_fit.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

void predict_peak(const Catalog& catalog, MemoryReplay& row) {
  const Scenario scenario = replay_scenario(*row.run);
  row.model = scenario.text(Field::model_name);
  row.accelerator = scenario.text(Field::hardware_accelerator);
  row.stack = scenario.text(Field::efficiency_stack);
  row.recipe = scenario.text(Field::train_recipe);
  const MemoryFit fit = memory_report(scenario, catalog).fits.front();
  if (!fit.problem.empty()) throw Error(ErrorKind::no_answer, fit.problem);
  row.use = fit.main().use;
  row.measured = *row.run->measured;
  row.predicted = shown(row.use, row.figure->counter);
  row.error = row.predicted / row.measured - 1;
}

MemoryReplay replayed_peak(const Catalog& catalog, const MemoryFigure& figure) {
  MemoryReplay row;
  row.run = row.figure = &figure;
  row.source = vote_of(figure.source);
  try {
    predict_peak(catalog, row);
  } catch (const Error& error) {
    row.problem = error.message;
  }
  return row;
}

RowError memory_error(const MemoryReplay& row) {
  return {.error = row.error, .weight = row.weight, .group = row.source};
}

ValidationSummary summary_of(const std::vector<const MemoryReplay*>& rows, std::string dimension,
                             std::string value) {
  std::vector<RowError> errors;
  for (const MemoryReplay* row : rows) errors.push_back(memory_error(*row));
  return summarise(errors, std::move(dimension), std::move(value));
}

std::string counter_of(const MemoryReplay& row) {
  return std::string(word_of(kMemoryCounters, row.figure->counter));
}

std::vector<ValidationSummary> memory_summaries(const std::vector<const MemoryReplay*>& rows) {
  using Value = std::string (*)(const MemoryReplay&);
  constexpr std::pair<const char*, Value> kDimensions[] = {
      {"counter", counter_of},
      {"stack", [](const MemoryReplay& r) { return r.stack; }},
      {"recipe", [](const MemoryReplay& r) { return r.recipe; }},
      {"source", [](const MemoryReplay& r) { return r.source; }}};
  std::vector<ValidationSummary> out;
  for (const auto& [dimension, value] : kDimensions) {
    std::map<std::string, std::vector<const MemoryReplay*>> parts;
    for (const MemoryReplay* row : rows) parts[value(*row)].push_back(row);
    for (const auto& [name, part] : parts) out.push_back(summary_of(part, dimension, name));
  }
  return out;
}

}  // namespace

MemoryValidation validate_memory(const Catalog& catalog, const ValidationFilter& filter) {
  MemoryValidation out;
  for (const MemoryFigure& figure : catalog.runs().memory) {
    if (!selected(figure, filter)) continue;
    MemoryReplay row = replayed_peak(catalog, figure);
    if (filter.task.empty() || row.recipe == filter.task) out.rows.push_back(std::move(row));
  }
  weigh(out.rows);
  std::vector<const MemoryReplay*> judged;
  for (const MemoryReplay& row : out.rows) {
    if (row.weight > 0) judged.push_back(&row);
  }
  out.all = summary_of(judged, "all", "all");
  out.summaries = memory_summaries(judged);
  const std::vector<const Replay*> votes(judged.begin(), judged.end());
  out.votes = votes_of(votes);
  return out;
}

}  // namespace trcost::study
