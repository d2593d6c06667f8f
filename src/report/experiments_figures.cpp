// SPDX-License-Identifier: Apache-2.0
#include "report/experiments_figures.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "report/document_head.h"
#include "report/failures.h"
#include "text/json_writer.h"
#include "trcost/price_book.h"

namespace trcost {
namespace {

// A figure under its JSON path, which is the name of its CSV column too.
template <class Of>
struct Figure {
  std::string_view path;
  Cell (*cell)(const Of&);
};

template <class Of, std::size_t N>
using Figures = std::array<Figure<Of>, N>;

Cell plain(std::optional<double> value) {
  return Cell::number(value, NumberKind::number);
}

using Run = ExperimentResult;
constexpr Figures<Run, 18> kRunFigures = {{
    {"runs", [](const Run& r) { return plain(r.experiment->runs()); }},
    {"attempts", [](const Run& r) { return plain(r.experiment->attempts()); }},
    {"model.params_total", [](const Run& r) { return plain(r.run.model.params_total); }},
    {"tokens_per_run", [](const Run& r) { return plain(r.run.tokens.total); }},
    {"gpus", [](const Run& r) { return plain(r.run.gpus); }},
    {"performance.mfu", [](const Run& r) { return plain(r.run.performance.mfu); }},
    {"run_seconds", [](const Run& r) { return plain(r.run_seconds); }},
    {"in_time", [](const Run& r) { return Cell::boolean(r.in_time); }},
    {"gpu_hours", [](const Run& r) { return plain(r.gpu_hours); }},
    {"idle_gpu_hours", [](const Run& r) { return plain(r.idle_gpu_hours); }},
    {"tokens", [](const Run& r) { return plain(r.tokens); }},
    {"flops", [](const Run& r) { return plain(r.flops); }},
    {"energy.kwh", [](const Run& r) { return plain(r.kwh); }},
    {"energy.idle_kwh", [](const Run& r) { return plain(r.idle_kwh); }},
    {"used_usd", [](const Run& r) { return plain(r.used_usd); }},
    {"idle_usd", [](const Run& r) { return plain(r.idle_usd); }},
    {"total_usd", [](const Run& r) { return plain(r.usd()); }},
    {"usd_per_run", [](const Run& r) { return plain(r.usd_per_run()); }},
}};

using Place = PlatformExperiments;
std::optional<double> dollars(const Place& place, double Quantiles::*quantile) {
  const std::optional<Quantiles>& usd = place.range.total_usd;
  return usd ? std::optional((*usd).*quantile) : std::nullopt;
}

std::optional<double> of_cluster(const Place& place, double ExperimentSchedule::*member) {
  return place.schedule ? std::optional((*place.schedule).*member) : std::nullopt;
}

// All runs of a platform pay the same price.
const CostResult& paid(const Place& place) {
  return place.experiments.front().run.cost;
}

Cell text_or_unknown(const std::string& text) {
  return text.empty() ? Cell::unknown() : Cell(text);
}

constexpr Figures<Place, 27> kPlatformFigures = {{
    {"gpus_per_node", [](const Place& p) { return plain(p.node_gpus); }},
    {"cost.price_per_gpu_hour", [](const Place& p) { return plain(p.price_per_gpu_hour); }},
    {"cost.price_class",
     [](const Place& p) {
       const std::optional<PriceClass>& sellers = paid(p).price_class;
       return sellers ? Cell(price_class_name(*sellers)) : Cell::unknown();
     }},
    {"cost.price_imputed", [](const Place& p) { return Cell::boolean(paid(p).doubts.imputed); }},
    {"cost.price_date", [](const Place& p) { return text_or_unknown(paid(p).price_date); }},
    {"cost.provider", [](const Place& p) { return text_or_unknown(paid(p).provider); }},
    {"total.runs", [](const Place& p) { return plain(p.runs); }},
    {"total.gpu_hours", [](const Place& p) { return plain(p.gpu_hours); }},
    {"total.idle_gpu_hours", [](const Place& p) { return plain(p.idle_gpu_hours); }},
    {"total.tokens", [](const Place& p) { return plain(p.tokens); }},
    {"total.flops", [](const Place& p) { return plain(p.flops); }},
    {"total.kwh", [](const Place& p) { return plain(p.kwh); }},
    {"total.idle_kwh", [](const Place& p) { return plain(p.idle_kwh); }},
    {"total.idle_usd", [](const Place& p) { return plain(p.idle_usd); }},
    {"total.total_usd", [](const Place& p) { return plain(p.usd); }},
    {"total.usd_per_run", [](const Place& p) { return plain(p.usd_per_run); }},
    {"total.tokens_per_mwh", [](const Place& p) { return plain(p.tokens_per_mwh); }},
    {"total.tokens_per_second_per_megawatt",
     [](const Place& p) { return plain(p.tokens_per_second_per_megawatt); }},
    {"range.gpu_hours.p10", [](const Place& p) { return plain(p.range.gpu_hours.p10); }},
    {"range.gpu_hours.p50", [](const Place& p) { return plain(p.range.gpu_hours.p50); }},
    {"range.gpu_hours.p90", [](const Place& p) { return plain(p.range.gpu_hours.p90); }},
    {"range.total_usd.p10", [](const Place& p) { return plain(dollars(p, &Quantiles::p10)); }},
    {"range.total_usd.p50", [](const Place& p) { return plain(dollars(p, &Quantiles::p50)); }},
    {"range.total_usd.p90", [](const Place& p) { return plain(dollars(p, &Quantiles::p90)); }},
    {"final_run.flops", [](const Place& p) { return plain(p.final_flops); }},
    {"final_run.total_usd", [](const Place& p) { return plain(p.final_usd); }},
    {"final_run.rule_6nd_share_of_experiments", [](const Place& p) { return plain(p.rule_share); }},
}};

// Null where no cluster is given.
constexpr Figures<Place, 4> kClusterFigures = {{
    {"cluster.gpus",
     [](const Place& p) { return plain(of_cluster(p, &ExperimentSchedule::gpus)); }},
    {"cluster.wall_clock_seconds",
     [](const Place& p) { return plain(of_cluster(p, &ExperimentSchedule::seconds)); }},
    {"cluster.busy_share",
     [](const Place& p) { return plain(of_cluster(p, &ExperimentSchedule::busy_share)); }},
    {"cluster.total_usd",
     [](const Place& p) { return plain(p.schedule ? p.schedule->usd : std::nullopt); }},
}};

// One line per experiment, the figures of its platform beside it.
}  // namespace

Table experiments_rows(const ExperimentReport& report) {
  std::vector<TableColumn> columns = {{"accelerator"}, {"name"}};
  for (const Figure<Run>& figure : kRunFigures) columns.push_back({std::string(figure.path)});
  for (const Figure<Place>& figure : kPlatformFigures)
    columns.push_back({std::string(figure.path)});
  for (const Figure<Place>& figure : kClusterFigures) columns.push_back({std::string(figure.path)});
  Table table(std::move(columns));
  for (const Place& platform : report.platforms) {
    for (const Run& each : platform.experiments) {
      std::vector<Cell> row = {platform.accelerator, each.experiment->name};
      for (const Figure<Run>& figure : kRunFigures) row.push_back(figure.cell(each));
      for (const Figure<Place>& figure : kPlatformFigures) row.push_back(figure.cell(platform));
      for (const Figure<Place>& figure : kClusterFigures) row.push_back(figure.cell(platform));
      table.add_row(std::move(row));
    }
  }
  return table;
}

namespace {

void write_cell(JsonWriter& writer, std::string_view key, const Cell& cell) {
  switch (cell.kind()) {
    case Cell::Kind::number:
      return writer.member(key, cell.value());
    case Cell::Kind::boolean:
      return writer.boolean(key, cell.value() != 0);
    case Cell::Kind::text:
      return writer.member(key, cell.text());
    case Cell::Kind::unknown:
      return writer.null(key);
  }
}

// Paths of one group stand together: `range.total_usd.p10` is p10 in total_usd in range.
template <class Of, std::size_t N>
void write_figures(JsonWriter& writer, const Figures<Of, N>& figures, const Of& of) {
  std::vector<std::string_view> open;
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) writer.end_object();
  };
  for (const Figure<Of>& figure : figures) {
    std::string_view rest = figure.path;
    std::size_t depth = 0;
    for (std::size_t dot; (dot = rest.find('.')) != std::string_view::npos; ++depth) {
      const std::string_view group = rest.substr(0, dot);
      rest.remove_prefix(dot + 1);
      if (depth < open.size() && open[depth] == group) continue;
      close_to(depth);
      writer.begin_object(group);
      open.push_back(group);
    }
    close_to(depth);
    write_cell(writer, rest, figure.cell(of));
  }
  close_to(0);
}

void write_platform(JsonWriter& writer, const PlatformExperiments& platform) {
  writer.begin_object();
  writer.member("accelerator", platform.accelerator);
  write_figures(writer, kPlatformFigures, platform);
  if (platform.schedule) {
    write_figures(writer, kClusterFigures, platform);
  } else {
    writer.null("cluster");
  }
  writer.begin_array("experiments");
  for (const ExperimentResult& each : platform.experiments) {
    writer.begin_object();
    writer.member("name", each.experiment->name);
    write_figures(writer, kRunFigures, each);
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
}

}  // namespace

std::string experiments_json(const ExperimentReport& report) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  write_versions(writer, report.price_data_date);
  writer.begin_array("platforms");
  for (const PlatformExperiments& each : report.platforms) write_platform(writer, each);
  writer.end_array();
  write_failures(writer, report.failures);
  writer.end_object();
  out += '\n';
  return out;
}

}  // namespace trcost
