// SPDX-License-Identifier: Apache-2.0
#include "report/about/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/document_head.h"
#include "report/sweep_report.h"
#include "report/table_document.h"
#include "scenario/number_kind.h"

namespace trcost {
namespace {

// One value of a row: its name, and how people read its number.
struct Place {
  std::string_view path;
  NumberKind kind = NumberKind::number;
  bool number = true;
  bool strong = false;
};

std::vector<Place> places_of(const SweepPlan& plan,
                             const std::vector<const EstimateColumn*>& columns) {
  std::vector<Place> out;
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    const SweepAxis& axis = plan.axes()[i];
    out.push_back({axis.field().path, number_kind(axis.field().kind), axis.numeric(), true});
  }
  for (const EstimateColumn* column : columns) {
    out.push_back({column->path, column->display, column->kind == ColumnKind::number});
  }
  return out;
}

Cell cell_of(const nlohmann::json& value, NumberKind kind) {
  if (value.is_number()) return Cell::number(value.get<double>(), kind);
  if (value.is_boolean()) return Cell::boolean(value.get<bool>());
  if (value.is_string()) return Cell(value.get<std::string>());
  return Cell::unknown();
}

Table table_of(const std::vector<Place>& places, std::string_view lines) {
  std::vector<TableColumn> heads;
  for (const Place& place : places) {
    heads.push_back({std::string(place.path), std::string(place.path),
                     place.number ? Align::right : Align::left, Overflow::keep, place.strong});
  }
  heads.push_back({std::string(kErrorColumn)});
  Table table(std::move(heads));
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const nlohmann::json row = nlohmann::json::parse(lines.substr(0, end));
    lines.remove_prefix(end + 1);
    std::vector<Cell> cells;
    for (const Place& place : places) cells.push_back(cell_of(row.at(place.path), place.kind));
    const nlohmann::json& error = row.at(kErrorColumn);
    cells.emplace_back(error.is_string() ? error.get<std::string>() : std::string());
    table.add_row(std::move(cells));
  }
  return table;
}

// The column that a figure is about: dollars where they are shown, else the first number.
std::optional<std::size_t> figure_of(const SweepPlan& plan, const std::vector<Place>& places) {
  const auto total = std::ranges::find(places, "cost.total", &Place::path);
  if (total != places.end()) return static_cast<std::size_t>(total - places.begin());
  for (std::size_t i = plan.named_axes(); i < places.size(); ++i) {
    if (places[i].number) return i;
  }
  return std::nullopt;
}

// What tells one line of a figure from another: all axes but the one that it runs over.
std::string series_name(const std::vector<Place>& places, const std::vector<Cell>& row,
                        std::size_t axes, std::size_t x) {
  std::string name;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool tells = i < axes ? i != x : places[i].path == "accelerator";
    if (tells) name += (name.empty() ? "" : ", ") + row[i].text();
  }
  return name;
}

// The axis that a figure runs over: the first of numbers that differ.
std::size_t figure_axis(const SweepPlan& plan) {
  std::size_t x = 0;
  while (x < plan.named_axes() && !(plan.axes()[x].numeric() && plan.axes()[x].size() > 1)) ++x;
  return x;
}

// Of a workbook: over time where the rows have it, else as the figure.
std::optional<Scatter> scatter_of(const SweepPlan& plan, const std::vector<Place>& places) {
  const std::optional<std::size_t> y = figure_of(plan, places);
  const auto time = std::ranges::find(places, "wall_clock_seconds", &Place::path);
  const std::size_t x =
      time != places.end() ? static_cast<std::size_t>(time - places.begin()) : figure_axis(plan);
  if (!y || *y == x || (time == places.end() && x == plan.named_axes())) return {};
  return Scatter{std::string(places[x].path), std::string(places[*y].path), places[*y].kind};
}

void add_figure(Page& page, const SweepPlan& plan, const std::vector<Place>& places,
                const Table& table) {
  constexpr double kWide = 20;  // times: the axis is then logarithmic
  const std::size_t x = figure_axis(plan);
  const std::optional<std::size_t> y = figure_of(plan, places);
  if (x == plan.named_axes() || !y) return;
  Curve curve{.title = fmt::format("{} over {}", places[*y].path, places[x].path),
              .x = {std::string(places[x].path), places[x].kind},
              .y = {std::string(places[*y].path), places[*y].kind},
              .series = {},
              .numbers = Table({{"of"},
                                {std::string(places[x].path), "", Align::right},
                                {std::string(places[*y].path), "", Align::right}}),
              .numbers_apart = true};
  double least = 0;
  double most = 0;
  bool left_out = false;
  for (const std::vector<Cell>& row : table.rows()) {
    if (row[x].kind() != Cell::Kind::number || row[*y].kind() != Cell::Kind::number) continue;
    const std::string name = series_name(places, row, plan.named_axes(), x);
    auto of = std::ranges::find(curve.series, name, &Curve::Series::name);
    if (of == curve.series.end()) {
      if (curve.series.size() == kMostCurveSeries) {
        left_out = true;
        continue;
      }
      of = curve.series.insert(curve.series.end(), Curve::Series{name, {}});
    }
    const double at = row[x].value();
    least = least == 0 ? at : std::min(least, at);
    most = std::max(most, at);
    curve.numbers.add_row({name, row[x], row[*y]});
    of->points.push_back({at, row[*y].value(), row[x].text() + ": " + row[*y].text()});
  }
  if (curve.series.empty()) return;
  curve.x.logarithmic = least > 0 && most / least > kWide;
  for (Curve::Series& series : curve.series) {
    std::ranges::stable_sort(series.points, {}, &Curve::Point::x);
  }
  if (left_out) curve.title += fmt::format("; the first {} lines", kMostCurveSeries);
  page.add(std::move(curve));
}

// The cheapest platform of each pair of values where both axes are numbers, and nothing else
// varies but the platform.
void add_heat(Page& page, const SweepPlan& plan, const std::vector<Place>& places,
              const Table& table) {
  constexpr std::uint64_t kFewest = 2;
  constexpr std::uint64_t kMost = 12;  // cells in a row that stay readable
  const std::optional<std::size_t> y = figure_of(plan, places);
  if (!y || plan.named_axes() != 2) return;
  const SweepAxis& down = plan.axes()[0];
  const SweepAxis& along = plan.axes()[1];
  for (const SweepAxis* axis : {&down, &along}) {
    if (!axis->numeric() || axis->size() < kFewest || axis->size() > kMost) return;
  }
  Heat heat{
      .title = fmt::format("{} over {} and {}", places[*y].path, places[0].path, places[1].path),
      .x = std::string(places[1].path),
      .y = std::string(places[0].path),
      .columns = {},
      .rows = {}};
  for (std::uint64_t i = 0; i < along.size(); ++i) {
    heat.columns.push_back(format_number(along.number(i), places[1].kind));
  }
  for (std::uint64_t i = 0; i < down.size(); ++i) {
    heat.rows.push_back({format_number(down.number(i), places[0].kind),
                         std::vector<Heat::Cell>(along.size(), Heat::Cell{{}, "n/a"})});
  }
  const auto place = [](const SweepAxis& axis, double value) {
    std::uint64_t at = 0;
    while (at < axis.size() && axis.number(at) != value) ++at;
    return at;
  };
  Heat::Cell* best = nullptr;
  for (const std::vector<Cell>& row : table.rows()) {
    if (row[*y].kind() != Cell::Kind::number) continue;
    const std::uint64_t r = place(down, row[0].value());
    const std::uint64_t c = place(along, row[1].value());
    if (r == down.size() || c == along.size()) continue;
    Heat::Cell& cell = heat.rows[r].cells[c];
    if (cell.value && *cell.value <= row[*y].value()) continue;
    cell = {row[*y].value(), row[*y].text()};
    if (best == nullptr || *cell.value < *best->value) best = &cell;
  }
  if (best == nullptr) return;
  best->chosen = true;
  page.add(std::move(heat));
}

Facts question(const SweepPlan& plan, const Table& table) {
  Facts facts;
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    const SweepAxis& axis = plan.axes()[i];
    facts.facts.push_back({std::string(axis.field().path), fmt::format("{} values", axis.size())});
  }
  facts.facts.push_back({"Rows", grouped(static_cast<double>(table.rows().size()), 0)});
  return facts;
}

}  // namespace

Document sweep_rows_document(const SweepPlan& plan,
                             const std::vector<const EstimateColumn*>& columns,
                             std::string_view lines, const SweepOrigin& origin) {
  const std::vector<Place> places = places_of(plan, columns);
  Table table = table_of(places, lines);
  Page page{"Sweep", made_by(origin.price_data_date)};
  page.add(question(plan, table));
  add_figure(page, plan, places, table);
  add_heat(page, plan, places, table);
  Page with_rows = page;
  with_rows.add(Heading{"Rows"}).add(Grid{table});
  Document document = table_document(std::move(table), "rows");
  document.page = [page = std::move(with_rows)] { return page; };
  document.summary = [page = std::move(page)] { return page; };
  document.scatter = scatter_of(plan, places);
  document.command = origin.command;
  document.scalars_beside = false;  // rows say what was selected, and no more
  return document;
}

}  // namespace trcost
