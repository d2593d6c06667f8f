// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/columns.h"

#include "estimate/columns/estimate_columns.h"
#include "scenario/fields.h"

namespace trcost::study {
namespace {

Column<SweepRow> axis_column(const FieldInfo& field) {
  Column<SweepRow> out;
  out.path = field.path;
  out.kind = is_numeric(field.kind) ? ColumnKind::number : ColumnKind::text;
  out.unit = field.unit;
  out.display = number_kind(field.kind);
  out.help = field.help;
  out.rank = Rank::key;
  out.get = [](const SweepRow& row, std::uint32_t axis) {
    return axis_value(row.plan->axes()[axis], row.at[axis]);
  };
  return out;
}

// The getters of all columns, packed. A column with its texts is ten times as long.
struct Getter {
  Value (*get)(const Estimate&, std::uint32_t arg);
  std::uint32_t arg;
};

const std::vector<Getter>& getters() {
  static const std::vector<Getter> table = [] {
    std::vector<Getter> out;
    for (const EstimateColumn& column : columns()) out.push_back({column.get, column.arg});
    return out;
  }();
  return table;
}

// A row of a platform without an answer still names the platform.
Value platform_of(const SweepRow& row, std::uint32_t) {
  return row.estimate != nullptr ? std::string_view(row.estimate->accelerator) : row.accelerator;
}

Column<SweepRow> estimate_column(const EstimateColumn& column) {
  Column<SweepRow> out;
  static_cast<ColumnInfo&>(out) = column;
  out.arg = static_cast<std::uint32_t>(&column - &columns()[0]);
  out.get = [](const SweepRow& row, std::uint32_t at) {
    if (row.estimate == nullptr) return Value();
    const Getter& of = getters()[at];
    return of.get(*row.estimate, of.arg);
  };
  if (column.role == ColumnRole::platform) out.get = platform_of;
  return out;
}

void add_estimate_columns(Columns<SweepRow>& out, std::span<const EstimateColumn* const> columns) {
  for (const EstimateColumn* column : columns) out.add({estimate_column(*column)});
  out.add(
      {column::string(kErrorColumn, column::member<&SweepRow::error>, "why there is no answer")});
}

}  // namespace

Value axis_value(const SweepAxis& axis, std::uint64_t at) {
  return axis.numeric() ? Value(axis.number(at)) : Value(std::string_view(axis.word(at)));
}

Columns<SweepRow> sweep_row_columns(std::span<const EstimateColumn* const> columns) {
  Columns<SweepRow> out;
  add_estimate_columns(out, columns);
  return out;
}

Columns<SweepRow> sweep_row_columns(const SweepPlan& plan,
                                    std::span<const EstimateColumn* const> columns) {
  Columns<SweepRow> out;
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    const FieldInfo& field = plan.axes()[i].field();
    out.add_named(axis_column(field), field.path, static_cast<std::uint32_t>(i));
  }
  add_estimate_columns(out, columns);
  return out;
}

Columns<SweepHead> sweep_columns(const ColumnTable& rows) {
  using namespace column;
  Column<SweepHead> list;
  list.path = kSweepRows;
  list.kind = ColumnKind::list;
  list.help = "in grid order, or as --sort, --top and --pareto say";
  list.flat = true;
  list.own_items = &rows;
  list.list = [](const SweepHead& head, std::uint32_t, RowSink& sink) {
    if (head.rows) head.rows(sink);
  };
  return {versions<SweepHead>(),
          price_date(member<&SweepHead::price_data_date>),
          raw_json("scenario", member<&SweepHead::scenario>,
                   "what was asked beside the axes, replayable with --scenario"),
          list,
          column::list<text_columns>("warnings", member<&SweepHead::warnings>,
                                     "about the prices of the rows")
              .after_last_row(),
          boolean("interrupted", member<&SweepHead::interrupted>, "whether rows are missing")
              .after_last_row()};
}

}  // namespace trcost::study
