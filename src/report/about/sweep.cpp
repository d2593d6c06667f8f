// SPDX-License-Identifier: Apache-2.0
#include "report/about/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "report/page/document_head.h"

namespace trcost::report {

namespace {

using Places = std::vector<const ColumnInfo*>;

// The rows beside what they are rows of.
struct KeptSweep {
  KeptSweep(SweepHead of, HeldRows kept, std::shared_ptr<const SweepTable> made)
      : table(std::move(made)),
        rows(std::move(kept)),
        columns(sweep_columns(rows)),
        head(std::move(of)) {
    head.rows = [this](RowSink& sink) { rows.each(sink); };
  }
  KeptSweep(const KeptSweep&) = delete;
  KeptSweep& operator=(const KeptSweep&) = delete;

  std::shared_ptr<const SweepTable> table;
  HeldRows rows;
  Columns<SweepHead> columns;
  SweepHead head;

  [[nodiscard]] Record record() const { return record_of(columns, head); }
};

// What people are shown of each row: all up to its error.
Places shown_columns(const HeldRows& rows) {
  Places out;
  for (std::size_t i = 0; rows.info(i).path != kErrorColumn; ++i) out.push_back(&rows.info(i));
  return out;
}

Cell sweep_cell(const Value& value, const ColumnInfo& column, bool imputed) {
  switch (value.kind) {
    case Value::Kind::number:
      if (!imputed || !column.priced) return Cell::number(value.number, column.display);
      return Cell::number(value.number, "~" + format_number(value.number, column.display),
                          column.display);
    case Value::Kind::boolean:
      return Cell::boolean(value.number != 0);
    case Value::Kind::text:
      return Cell(value.text);
    default:
      return Cell::unknown();
  }
}

// A text of a narrow page keeps the axes, the first figure, and what figures are about.
std::vector<TableColumn> heads_of(const SweepPlan& plan, const Places& columns) {
  std::vector<TableColumn> heads;
  for (const ColumnInfo* column : columns) {
    const bool axis = heads.size() < plan.named_axes();
    const bool kept = heads.size() <= plan.named_axes() || column->role == ColumnRole::total;
    heads.push_back({std::string(column->path), std::string(column->path),
                     column->kind == ColumnKind::number ? Align::right : Align::left,
                     kept ? Overflow::keep : Overflow::drop, axis});
  }
  return heads;
}

// The rows as cells; their errors, where there are any, in a last column.
Table table_of(const SweepPlan& plan, const KeptSweep& kept) {
  const Places columns = shown_columns(kept.rows);
  const std::size_t error = columns.size(), mark = error + 1;
  const bool marks = mark < kept.rows.size();
  bool errors = false;
  std::vector<std::vector<Cell>> rows;
  RowTaker take([&](const Record& row) {
    const bool imputed = marks && row.value(mark).number != 0;
    std::vector<Cell>& cells = rows.emplace_back();
    for (std::size_t i = 0; i < error; ++i) {
      cells.push_back(sweep_cell(row.value(i), *columns[i], imputed));
    }
    const Value why = row.value(error);
    errors |= why.known();
    cells.emplace_back(why.text);
  });
  kept.rows.each(take);
  std::vector<TableColumn> heads = heads_of(plan, columns);
  if (errors) {
    const std::string name(kErrorColumn);
    heads.push_back({.title = name, .key = name, .overflow = Overflow::wrap});
  }
  Table table(std::move(heads));
  for (std::vector<Cell>& cells : rows) {
    if (!errors) cells.pop_back();
    table.add_row(std::move(cells));
  }
  return table;
}

// The column that a figure is about: dollars where they are shown, else the first number.
std::optional<std::size_t> figure_of(const SweepPlan& plan, const Places& places) {
  const auto total = std::ranges::find(places, ColumnRole::total, &ColumnInfo::role);
  if (total != places.end()) return static_cast<std::size_t>(total - places.begin());
  for (std::size_t i = plan.named_axes(); i < places.size(); ++i) {
    if (places[i]->kind == ColumnKind::number) return i;
  }
  return std::nullopt;
}

// What tells one line of a figure from another: all axes but the one that it runs over.
std::string series_name(const Places& places, const std::vector<Cell>& row, std::size_t axes,
                        std::size_t x) {
  std::string name;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool tells = i < axes ? i != x : places[i]->rank == Rank::key;
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
std::optional<Scatter> scatter_of(const SweepPlan& plan, const Places& places) {
  const std::optional<std::size_t> y = figure_of(plan, places);
  const auto time = std::ranges::find(places, ColumnRole::wall_clock, &ColumnInfo::role);
  const std::size_t x =
      time != places.end() ? static_cast<std::size_t>(time - places.begin()) : figure_axis(plan);
  if (!y || *y == x || (time == places.end() && x == plan.named_axes())) return {};
  return Scatter{places[x], places[*y]};
}

void add_figure(Page& page, const SweepPlan& plan, const Places& places, const Table& table) {
  constexpr double kWide = 20;  // times: the axis is then logarithmic
  const std::size_t x = figure_axis(plan);
  const std::optional<std::size_t> y = figure_of(plan, places);
  if (x == plan.named_axes() || !y) return;
  Curve curve{.title = fmt::format("{} over {}", places[*y]->path, places[x]->path),
              .x = {std::string(places[x]->path), places[x]->display},
              .y = {std::string(places[*y]->path), places[*y]->display},
              .series = {},
              .numbers = Table({{"of"},
                                {std::string(places[x]->path), "", Align::right},
                                {std::string(places[*y]->path), "", Align::right}}),
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
void add_heat(Page& page, const SweepPlan& plan, const Places& places, const Table& table) {
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
      .title = fmt::format("{} over {} and {}", places[*y]->path, places[0]->path, places[1]->path),
      .x = std::string(places[1]->path),
      .y = std::string(places[0]->path),
      .columns = {},
      .rows = {}};
  for (std::uint64_t i = 0; i < along.size(); ++i) {
    heat.columns.push_back(format_number(along.number(i), places[1]->display));
  }
  for (std::uint64_t i = 0; i < down.size(); ++i) {
    heat.rows.push_back({format_number(down.number(i), places[0]->display),
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

Facts sweep_question(const SweepPlan& plan, const Table& table) {
  Facts facts;
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    const SweepAxis& axis = plan.axes()[i];
    facts.facts.push_back({std::string(axis.field().path), fmt::format("{} values", axis.size())});
  }
  facts.facts.push_back({"Rows", grouped(static_cast<double>(table.rows().size()), 0)});
  return facts;
}

// Columns of a table when none are selected: a screen holds only so many.
std::vector<const EstimateColumn*> usual_columns() {
  std::vector<const EstimateColumn*> out;
  for (const EstimateColumn& column : columns()) {
    if (column.rank == Rank::key || column.rank == Rank::first) out.push_back(&column);
  }
  return out;
}

// Those and what the rows are ordered by, but for what an axis stands for.
std::vector<const EstimateColumn*> read_columns(const SweepPlan& plan) {
  if (plan.selected()) return plan.columns();
  std::vector<const EstimateColumn*> out = usual_columns();
  const auto axes = std::span(plan.axes()).first(plan.named_axes());
  std::erase_if(out, [&](const EstimateColumn* column) {
    return std::ranges::any_of(
        axes, [&](const SweepAxis& axis) { return axis.field().meaning.answer == column->path; });
  });
  for (const auto& keys : {plan.sort(), plan.pareto()}) {
    for (const SweepKey& key : keys) {
      const bool shown = key.column == nullptr || std::ranges::find(out, key.column) != out.end();
      if (!shown) out.insert(out.begin(), key.column);
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const SweepTable> sweep_table(const SweepPlan& plan, Format format) {
  const bool read = format_info(format).form == Form::page;
  Columns<SweepRow> rows = sweep_row_columns(plan, read ? read_columns(plan) : plan.columns());
  if (read) {
    rows.add({column::boolean(
        "imputed",
        [](const SweepRow& row) { return row.estimate != nullptr && is_imputed(*row.estimate); },
        "whether a cost follows from a price that nobody asks")});
  }
  return std::make_shared<const SweepTable>(std::move(rows));
}

Document sweep_document(const SweepPlan& plan, std::shared_ptr<const SweepTable> table,
                        HeldRows rows, const SweepHead& head) {
  const auto kept = std::make_shared<const KeptSweep>(head, std::move(rows), std::move(table));
  const auto shown = std::make_shared<const Table>(table_of(plan, *kept));
  const Places places = shown_columns(kept->rows);
  Page page{"Sweep", made_by(head.price_data_date)};
  page.add(sweep_question(plan, *shown));
  add_figure(page, plan, places, *shown);
  add_heat(page, plan, places, *shown);
  Document document{kept->record(), kSweepRows, [page, shown] {
                      Page with_rows = page;
                      return with_rows.add(Heading{"Rows"}).add(Grid{*shown});
                    }};
  document.keeps = kept;
  document.summary = [page] { return page; };
  document.text_page = [shown] {
    Page rows_alone;
    rows_alone.bare = true;
    return rows_alone.add(Grid{*shown});
  };
  document.below = [kept] { return fmt::format("\n  {}\n", made_by(kept->head.price_data_date)); };
  document.scatter = scatter_of(plan, places);
  document.scalars_beside = false;  // rows say what was selected, and no more
  return document;
}

}  // namespace trcost::report
