// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/about/sweep.h"
#include "report/document_head.h"
#include "report/rows.h"
#include "report/sweep_cells.h"
#include "report/sweep_report.h"
#include "report/table.h"
#include "text/json_string.h"
#include "trcost/error.h"
#include "trcost/report.h"

namespace trcost {
namespace {

constexpr std::uint64_t kMostTableRows = 100'000;

// Formats that are made of all rows together, and of these those that hold them as JSON Lines.
bool is_lines(Format format) {
  return format == Format::html || format == Format::xlsx;
}
bool is_held(Format format) {
  return format == Format::table || format == Format::md || is_lines(format);
}

// Columns of a table when none are selected: a screen holds only so many.
const std::vector<const EstimateColumn*>& usual_columns() {
  static const std::vector<const EstimateColumn*> usual = [] {
    std::vector<const EstimateColumn*> out;
    for (const EstimateColumn& column : columns()) {
      if (column.rank == Rank::key || column.rank == Rank::first) out.push_back(&column);
    }
    return out;
  }();
  return usual;
}

Table empty_table(const SweepPlan& plan, bool errors) {
  std::vector<TableColumn> heads;
  const auto add = [&](std::string_view path, bool number) {
    heads.push_back({std::string(path), std::string(path), number ? Align::right : Align::left,
                     Overflow::keep});
  };
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    add(plan.axes()[i].field().path, plan.axes()[i].numeric());
  }
  for (const EstimateColumn* column : sweep_table_columns(plan)) {
    add(column->path, column->kind == ColumnKind::number);
    // What a row costs stays where a narrow page has no room for all.
    const bool kept =
        heads.size() <= plan.named_axes() + 1 || column == &require_column("cost.total");
    heads.back().overflow = kept ? Overflow::keep : Overflow::drop;
  }
  if (errors) {
    add(kErrorColumn, false);
    heads.back().overflow = Overflow::wrap;
  }
  return Table(std::move(heads));
}

// The rows as the renderer wrote them.
std::vector<std::vector<std::string_view>> split_rows(std::string_view rows) {
  std::vector<std::vector<std::string_view>> out;
  while (!rows.empty()) {
    std::string_view line = rows.substr(0, rows.find(kSweepRowEnd));
    rows.remove_prefix(line.size() + 1);
    std::vector<std::string_view>& cells = out.emplace_back();
    while (!line.empty()) {
      cells.push_back(line.substr(0, line.find(kSweepCellEnd)));
      line.remove_prefix(cells.back().size() + 1);
    }
  }
  return out;
}

std::string table_of(const SweepPlan& plan, Format format, std::string_view rows,
                     const Style& style) {
  const auto cells = split_rows(rows);
  const bool errors =
      std::ranges::any_of(cells, [](const auto& line) { return !line.back().empty(); });
  Table table = empty_table(plan, errors);
  for (const std::vector<std::string_view>& line : cells) {
    std::vector<Cell> row(line.begin(), errors ? line.end() : line.end() - 1);
    table.add_row(std::move(row));
  }
  return format == Format::md ? to_markdown(table) : to_text(table, style);
}

}  // namespace

std::vector<const EstimateColumn*> sweep_table_columns(const SweepPlan& plan) {
  if (plan.selected()) return plan.columns();
  std::vector<const EstimateColumn*> out;
  for (const EstimateColumn* column : usual_columns()) {
    const auto stands_for = [&](const SweepAxis& axis) {
      return axis.field().meaning.answer == column->path;
    };
    const auto& axes = plan.axes();
    const auto end = axes.begin() + static_cast<std::ptrdiff_t>(plan.named_axes());
    if (std::none_of(axes.begin(), end, stands_for)) out.push_back(column);
  }
  // What the rows are ordered by is worth seeing.
  for (const auto& keys : {plan.sort(), plan.pareto()}) {
    for (const SweepKey& key : keys) {
      const bool shown = key.column == nullptr || std::ranges::find(out, key.column) != out.end();
      if (!shown) out.insert(out.begin(), key.column);
    }
  }
  return out;
}

SweepFile sweep_file(const SweepPlan& plan, Format format) {
  SweepFile out;
  out.lines = format == Format::csv ? SweepLines::csv : SweepLines::json;
  SweepDocument(plan, format, {}, [&](std::string_view text) { out.opening += text; }).open();
  out.row = sweep_renderer(plan, format);
  return out;
}

SweepDocument::SweepDocument(const SweepPlan& plan, Format format, const Style& style, Write write,
                             std::string price_data_date, std::string command)
    : plan_(&plan),
      format_(format),
      style_(style),
      price_data_date_(std::move(price_data_date)),
      command_(std::move(command)),
      write_(std::move(write)) {}

void SweepDocument::open() {
  std::string out;
  if (format_ == Format::csv && plan_->first_shard()) {
    out = fmt::format("{}\n", fmt::join(sweep_columns(*plan_), ","));
  } else if (format_ == Format::json) {
    out = "{\n\"schema_version\": ";
    append_json_string(out, kSchemaVersion);
    out += ",\n\"trcost_version\": ";
    append_json_string(out, trcost_version());
    out += ",\n\"price_data_date\": ";
    append_json_string(out, price_data_date_);
    out += ",\n\"scenario\": " + scenario_to_json(plan_->base());
    out += ",\n\"rows\": [";
  }
  if (!out.empty()) write_(out);
}

void SweepDocument::add(std::string_view rows) {
  if (is_held(format_)) return hold(rows);
  // Every object of the list begins with a comma but the first.
  if (format_ == Format::json && empty_) rows.remove_prefix(1);
  empty_ = false;
  write_(rows);
}

void SweepDocument::hold(std::string_view rows) {
  held_ += rows;
  const char end = is_lines(format_) ? '\n' : kSweepRowEnd;
  rows_ += static_cast<std::uint64_t>(std::ranges::count(rows, end));
  const std::uint64_t most = format_ == Format::xlsx ? Document::kMostSheetRows : kMostTableRows;
  if (rows_ <= most) return;
  throw Error(ErrorKind::usage,
              fmt::format("more than {} rows for a {}", most,
                          format_ == Format::xlsx ? "sheet of a workbook" : "table"),
              "use --format csv, or keep fewer rows with --where or --sort and --top");
}

void SweepDocument::close(bool interrupted) {
  if (format_ == Format::json) {
    write_(interrupted ? "\n],\n\"interrupted\": true\n}\n" : "\n]\n}\n");
  }
  if (is_lines(format_)) {
    const auto columns = format_ == Format::html ? sweep_table_columns(*plan_) : plan_->columns();
    write_(
        render(sweep_rows_document(*plan_, columns, held_, {price_data_date_, command_}), format_));
  } else if (is_held(format_)) {
    if (format_ == Format::md) write_("# Sweep\n\n");
    write_(table_of(*plan_, format_, held_, style_));
    write_(fmt::format("\n{}{}\n", format_ == Format::md ? "" : "  ", made_by(price_data_date_)));
  }
}

}  // namespace trcost
