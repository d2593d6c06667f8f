// SPDX-License-Identifier: Apache-2.0
#include "report/about/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "report/format/format.h"
#include "report/page/page.h"
#include "scenario/fields.h"
#include "trcost/error.h"

namespace trcost::report {
namespace {

using ShownInfos = std::vector<const ColumnInfo*>;

// The stored rows of a sweep with their document.
struct StoredSweep {
  StoredSweep(SweepHead sweep, HeldRows stored, std::shared_ptr<const SweepTable> columns_of_rows)
      : table(std::move(columns_of_rows)),
        rows(std::move(stored)),
        columns(sweep_columns(rows)),
        head(std::move(sweep)) {
    head.rows = [this](RowSink& sink) { rows.each(sink); };
  }
  StoredSweep(const StoredSweep&) = delete;
  StoredSweep& operator=(const StoredSweep&) = delete;

  std::shared_ptr<const SweepTable> table;
  HeldRows rows;
  Columns<SweepHead> columns;
  SweepHead head;

  [[nodiscard]] Record record() const { return record_of(columns, head); }
};

// Returns the columns for people: all before the error.
ShownInfos shown_columns(const HeldRows& rows) {
  ShownInfos out;
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

// Returns the titles. A narrow page keeps the axes, the first figure and the total.
std::vector<TableColumn> row_titles(const SweepPlan& plan, const ShownInfos& columns) {
  std::vector<TableColumn> heads;
  for (const ColumnInfo* column : columns) {
    const bool axis = heads.size() < plan.named_axes();
    const bool keep = heads.size() <= plan.named_axes() || column->role == ColumnRole::total;
    heads.push_back({std::string(column->path), std::string(column->path),
                     column->kind == ColumnKind::number ? Align::right : Align::left,
                     keep ? Overflow::keep : Overflow::drop, axis});
  }
  return heads;
}

// Returns the rows as cells, with errors in a last column if there are any.
Table rows_table(const SweepPlan& plan, const StoredSweep& kept) {
  const ShownInfos columns = shown_columns(kept.rows);
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
  std::vector<TableColumn> heads = row_titles(plan, columns);
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

// Returns the column that figures show: the total if it is there, else the first number.
std::optional<std::size_t> figure_column(const SweepPlan& plan, const ShownInfos& places) {
  const auto total = std::ranges::find(places, ColumnRole::total, &ColumnInfo::role);
  if (total != places.end()) return static_cast<std::size_t>(total - places.begin());
  for (std::size_t i = plan.named_axes(); i < places.size(); ++i) {
    if (places[i]->kind == ColumnKind::number) return i;
  }
  return std::nullopt;
}

// Returns the name of a line of a figure: the values of all axes except the one along x.
std::string series_name(const ShownInfos& places, const std::vector<Cell>& row, std::size_t axes,
                        std::size_t x) {
  std::string name;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool named = i < axes ? i != x : places[i]->rank == Rank::key;
    if (named) name += (name.empty() ? "" : ", ") + row[i].text();
  }
  return name;
}

// Returns the axis along x: the first numeric one with several values.
std::size_t figure_axis(const SweepPlan& plan) {
  std::size_t x = 0;
  while (x < plan.named_axes() && !(plan.axes()[x].numeric() && plan.axes()[x].size() > 1)) ++x;
  return x;
}

// Returns the chart of a workbook: over time if the rows have it, else as the figure.
std::optional<Scatter> scatter_columns(const SweepPlan& plan, const ShownInfos& places) {
  const std::optional<std::size_t> y = figure_column(plan, places);
  const auto time = std::ranges::find(places, ColumnRole::wall_clock, &ColumnInfo::role);
  const std::size_t x =
      time != places.end() ? static_cast<std::size_t>(time - places.begin()) : figure_axis(plan);
  if (!y || *y == x || (time == places.end() && x == plan.named_axes())) return {};
  return Scatter{places[x], places[*y]};
}

void add_figure(Page& page, const SweepPlan& plan, const ShownInfos& places, const Table& table) {
  constexpr double kWide = 20;  // ratio from which an axis is logarithmic
  const std::size_t x = figure_axis(plan);
  const std::optional<std::size_t> y = figure_column(plan, places);
  if (x == plan.named_axes() || !y) return;
  Curve curve{
      .title = fmt::format("{} over {}", places[*y]->path, places[x]->path),
      .x = {std::string(places[x]->path), places[x]->display},
      .y = {std::string(places[*y]->path), places[*y]->display},
      .series = {},
      .numbers = Table({{"of"}, number_column(places[x]->path), number_column(places[*y]->path)}),
      .numbers_only_behind = true};
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

// Adds the cheapest platform of each pair of values, if the sweep has two axes and both are
// numeric.
void add_heat(Page& page, const SweepPlan& plan, const ShownInfos& places, const Table& table) {
  constexpr std::uint64_t kFewest = 2;
  constexpr std::uint64_t kMost = 12;  // cells in a row that stay readable
  const std::optional<std::size_t> y = figure_column(plan, places);
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
  const auto index_of = [](const SweepAxis& axis, double value) {
    std::uint64_t at = 0;
    while (at < axis.size() && axis.number(at) != value) ++at;
    return at;
  };
  Heat::Cell* best = nullptr;
  for (const std::vector<Cell>& row : table.rows()) {
    if (row[*y].kind() != Cell::Kind::number) continue;
    const std::uint64_t r = index_of(down, row[0].value());
    const std::uint64_t c = index_of(along, row[1].value());
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

// Returns the selected columns, or the main ones and those the rows are sorted by, without those
// that repeat an axis.
std::vector<const EstimateColumn*> columns_for_people(const SweepPlan& plan) {
  if (plan.selected()) return plan.columns();
  std::vector<const EstimateColumn*> out;
  for (const EstimateColumn& column : columns()) {
    if (column.rank == Rank::key || column.rank == Rank::first) out.push_back(&column);
  }
  const auto axes = std::span(plan.axes()).first(plan.named_axes());
  std::erase_if(out, [&](const EstimateColumn* column) {
    return std::ranges::any_of(axes, [&](const SweepAxis& axis) {
      return field_meaning(axis.field().field).answer == column->path;
    });
  });
  for (const auto& keys : {plan.sort(), plan.pareto()}) {
    for (const SweepKey& key : keys) {
      const bool shown = key.column == nullptr || std::ranges::find(out, key.column) != out.end();
      if (!shown) out.insert(out.begin(), key.column);
    }
  }
  return out;
}

// Returns the columns of a format: all, or for people the columns_for_people() and, after the
// error, whether the price is imputed.
std::shared_ptr<const SweepTable> sweep_table(const SweepPlan& plan, Format format) {
  const bool for_people = format_info(format).form == Form::page;
  Columns<SweepRow> rows =
      sweep_row_columns(plan, for_people ? columns_for_people(plan) : plan.columns());
  if (for_people) {
    rows.add({column::boolean(
        "imputed",
        [](const SweepRow& row) { return row.estimate != nullptr && is_imputed(*row.estimate); },
        "whether a cost follows from a price that nobody asks")});
  }
  return std::make_shared<const SweepTable>(std::move(rows));
}

// Returns stored rows as a page or a workbook: a figure over the first numeric axis, and the rows.
Document sweep_document(const SweepPlan& plan, std::shared_ptr<const SweepTable> table,
                        HeldRows rows, const SweepHead& head) {
  const auto kept = std::make_shared<const StoredSweep>(head, std::move(rows), std::move(table));
  const auto shown = std::make_shared<const Table>(rows_table(plan, *kept));
  const ShownInfos places = shown_columns(kept->rows);
  Page page{"Sweep", made_by(head.price_data_date)};
  page.add(sweep_question(plan, *shown));
  add_figure(page, plan, places, *shown);
  add_heat(page, plan, places, *shown);
  Document document{kept->record(), kSweepRows, [page, shown] {
                      Page with_rows = page;
                      return with_rows.add(Heading{"Rows"}).add(Grid{*shown});
                    }};
  document.owned = kept;
  document.summary = [page] { return page; };
  document.text_page = [shown] {
    Page rows_alone;
    rows_alone.bare = true;
    return rows_alone.add(Grid{*shown});
  };
  document.below = [kept] { return fmt::format("\n  {}\n", made_by(kept->head.price_data_date)); };
  document.scatter = scatter_columns(plan, places);
  document.scalars_in_rows = false;  // rows are the selected columns and no more
  return document;
}

}  // namespace

SweepRenderer sweep_renderer(const SweepPlan& plan, Format format) {
  const RowWriter* writer = format_writer(format).rows;
  std::shared_ptr<const SweepTable> table = sweep_table(plan, format);
  if (writer == nullptr) {
    return [table](const SweepRow& row, std::string& out) {
      store_row(out, record_of(table->rows(), row));
    };
  }
  static const SweepHead kNone;
  return [table, writer](const SweepRow& row, std::string& out) {
    const std::array<Record, 2> row_path = {record_of(table->document(), kNone),
                                            record_of(table->rows(), row)};
    out += writer->between;
    writer->row(out, table->plan(), row_path);
  };
}

SweepFile sweep_file(const SweepPlan& plan, Format format) {
  SweepFile out;
  out.lines = format_writer(format).rows;
  SweepDocument(plan, format, {}, [&](std::string_view text) { out.opening += text; }).open();
  out.row = sweep_renderer(plan, format);
  return out;
}

SweepDocument::SweepDocument(const SweepPlan& plan, Format format, const Style& style, Write write,
                             std::string price_data_date, std::string command)
    : plan_(&plan),
      format_(format),
      writer_(&format_writer(format)),
      table_(sweep_table(plan, format)),
      style_(style),
      head_{std::move(price_data_date), scenario_to_json(plan.base())},
      command_(std::move(command)),
      write_(std::move(write)),
      held_(table_->rows()) {}

void SweepDocument::open() {
  const bool later_shard = format_info(format_).form == Form::lines && !plan_->first_shard();
  if (writer_->rows == nullptr || later_shard) return;
  std::string out;
  writer_->rows->open(out, table_->plan(), record_of(table_->document(), head_));
  if (!out.empty()) write_(out);
}

void SweepDocument::add(std::string_view rows) {
  if (rows.empty()) return;
  if (writer_->rows == nullptr) {
    held_.add(rows);
    if (held_.count() <= writer_->most_rows) return;
    throw Error(ErrorKind::usage,
                fmt::format("more than {} rows for a {}", writer_->most_rows, writer_->container),
                "use --format csv, or keep fewer rows with --where or --sort and --top");
  }
  if (!std::exchange(has_rows_, true)) rows.remove_prefix(writer_->rows->between.size());
  write_(rows);
}

void SweepDocument::close(bool interrupted) {
  head_.interrupted = interrupted;
  if (writer_->rows == nullptr) {
    Document document = sweep_document(*plan_, table_, std::move(held_), head_);
    document.command = command_;
    return write_(writer_->document(document, style_));
  }
  if (writer_->rows->close == nullptr) return;
  std::string out;
  writer_->rows->close(out, table_->plan(), record_of(table_->document(), head_), has_rows_);
  write_(out);
}

}  // namespace trcost::report
