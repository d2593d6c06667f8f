// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "catalog/layout/layout.h"
#include "estimate/cluster/memory_fit.h"
#include "study/validate/replay.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

MemoryReplay replay_peak(const Catalog& catalog, const MemoryFigure& figure) {
  MemoryReplay row;
  row.run = row.figure = &figure;
  row.source = source_site(figure.source);
  try {
    const Scenario scenario = replay_scenario(figure);
    row.model = scenario.text(Field::model_name);
    row.accelerator = scenario.text(Field::hardware_accelerator);
    row.stack = scenario.text(Field::efficiency_stack);
    row.recipe = scenario.text(Field::train_recipe);
    const MemoryFit fit = memory_report(scenario, catalog).fits.front();
    if (!fit.problem.empty()) throw Error(ErrorKind::no_answer, fit.problem);
    row.use = fit.main().use;
    row.measured = *figure.measured;
    row.predicted = shown(row.use, figure.counter);
    row.error = row.predicted / row.measured - 1;
  } catch (const Error& error) {
    row.problem = error.message;
  }
  return row;
}

ValidationSummary summarise_peaks(const std::vector<const MemoryReplay*>& rows,
                                  std::string dimension, std::string value) {
  std::vector<RowError> errors;
  for (const MemoryReplay* row : rows) {
    errors.push_back({.error = row->error, .weight = row->weight, .group = row->source});
  }
  return summarise(errors, std::move(dimension), std::move(value));
}

}  // namespace

MemoryValidation validate_memory(const Catalog& catalog, const ValidationFilter& filter) {
  MemoryValidation out;
  for (const MemoryFigure& figure : catalog.runs().memory) {
    if (!selected(figure, filter)) continue;
    MemoryReplay row = replay_peak(catalog, figure);
    if (filter.task.empty() || row.recipe == filter.task) out.rows.push_back(std::move(row));
  }
  weigh(out.rows);
  std::vector<const MemoryReplay*> judged;
  for (const MemoryReplay& row : out.rows) {
    if (row.weight > 0) judged.push_back(&row);
  }
  out.all = summarise_peaks(judged, "all", "all");
  using Value = std::string (*)(const MemoryReplay&);
  constexpr std::pair<const char*, Value> kDimensions[] = {
      {"counter",
       [](const MemoryReplay& r) {
         return std::string(word_of(kMemoryCounters, r.figure->counter));
       }},
      {"stack", [](const MemoryReplay& r) { return r.stack; }},
      {"recipe", [](const MemoryReplay& r) { return r.recipe; }},
      {"source", [](const MemoryReplay& r) { return r.source; }}};
  for (const auto& [dimension, value] : kDimensions) {
    std::map<std::string, std::vector<const MemoryReplay*>> parts;
    for (const MemoryReplay* row : judged) parts[value(*row)].push_back(row);
    for (const auto& [name, part] : parts) {
      out.summaries.push_back(summarise_peaks(part, dimension, name));
    }
  }
  const std::vector<const Replay*> votes(judged.begin(), judged.end());
  out.votes = count_votes(votes);
  return out;
}

}  // namespace trcost::study
