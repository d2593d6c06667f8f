// SPDX-License-Identifier: Apache-2.0
#include "study/validate/first_predictions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "text/csv.h"

namespace trcost::study {
namespace {

constexpr std::string_view kTable = "runs/predicted_first.csv";

FirstPrediction read_row(const CsvTable& table, std::size_t i) {
  FirstPrediction out;
  out.kind = table.text(i, "kind");
  out.id = table.text(i, "id");
  out.source = table.text(i, "source");
  out.quality = table.text(i, "quality");
  out.unit = table.text(i, "unit");
  out.date = table.text(i, "date");
  out.version = table.text(i, "version");
  out.reference = table.text(i, "reference");
  out.problem = table.text(i, "problem");
  out.measured = table.required_number(i, "measured");
  out.predicted = table.number(i, "predicted");
  out.p10 = table.number(i, "p10");
  out.p90 = table.number(i, "p90");
  if (!out.predicted) return out;
  out.error = *out.predicted / out.measured - 1;
  if (out.p10 && out.p90) out.inside = out.measured >= *out.p10 && out.measured <= *out.p90;
  return out;
}

FirstSummary summarise_first(const std::vector<const FirstPrediction*>& rows) {
  FirstSummary out;
  out.kind = rows.front()->kind;
  std::vector<RowError> errors;
  std::set<std::string> sources;
  double inside = 0, all = 0;
  for (const FirstPrediction* row : rows) {
    errors.push_back({row->error, row->weight, row->source});
    sources.insert(row->source);
    if (row->inside) {
      all += row->weight;
      if (*row->inside) inside += row->weight;
    }
    out.date = std::max(out.date, row->date);
  }
  const ValidationSummary summary = summarise(errors, "kind", out.kind);
  out.rows = summary.rows;
  out.sources = static_cast<int>(sources.size());
  out.median = summary.median;
  out.p90 = summary.p90;
  out.bias = summary.bias;
  if (all > 0) out.inside = inside / all;
  return out;
}

}  // namespace

FirstPredictions first_predictions(const Catalog& catalog, const std::string& source) {
  FirstPredictions out;
  const CsvTable table(catalog.file(kTable), kTable);
  std::map<std::pair<std::string, std::string>, double> count;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    FirstPrediction row = read_row(table, i);
    if (row.source.find(source) == std::string::npos) continue;
    if (row.predicted) ++count[{row.kind, row.source}];
    out.rows.push_back(std::move(row));
  }
  std::vector<std::string> kinds;
  std::map<std::string, std::vector<const FirstPrediction*>> by_kind;
  std::map<std::pair<std::string, std::string>, std::vector<const FirstPrediction*>> by_source;
  for (FirstPrediction& row : out.rows) {
    if (!row.predicted) continue;
    row.weight = 1 / count[{row.kind, row.source}];
    if (by_kind.find(row.kind) == by_kind.end()) kinds.push_back(row.kind);
    by_kind[row.kind].push_back(&row);
    by_source[{row.kind, row.source}].push_back(&row);
  }
  for (const std::string& kind : kinds) out.summaries.push_back(summarise_first(by_kind[kind]));
  for (const std::string& kind : kinds) {
    for (const auto& [key, rows] : by_source) {
      if (key.first != kind) continue;
      out.summaries.push_back(summarise_first(rows));
      out.summaries.back().source = key.second;
    }
  }
  return out;
}

const FirstSummary* find_summary(const FirstPredictions& all, const std::string& kind) {
  const auto found = std::ranges::find_if(all.summaries, [&](const FirstSummary& each) {
    return each.kind == kind && each.source.empty();
  });
  return found == all.summaries.end() ? nullptr : &*found;
}

}  // namespace trcost::study
