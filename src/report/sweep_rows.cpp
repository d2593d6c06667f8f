// SPDX-License-Identifier: Apache-2.0
#include "report/rows.h"
#include "report/sweep_cells.h"
#include "report/sweep_report.h"
#include "scenario/number_kind.h"
#include "text/cells.h"
#include "text/json_string.h"

namespace trcost {
namespace {

// A row of a platform without an answer still names the platform.
bool names_platform(const EstimateColumn& column) {
  return column.path == "accelerator";
}

void append_csv_axis(const SweepAxis& axis, std::uint64_t at, std::string& out) {
  if (axis.numeric()) {
    append_exact(out, axis.number(at));
  } else {
    append_csv_text(out, axis.word(at));
  }
}

void append_csv(const SweepPlan& plan, const SweepRow& row, std::string& out) {
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    append_csv_axis(plan.axes()[i], row.at[i], out);
    out += ',';
  }
  if (row.estimate != nullptr) {
    append_csv_cells(out, *row.estimate, plan.columns());
    if (!plan.columns().empty()) out += ',';
  } else {
    for (const EstimateColumn* column : plan.columns()) {
      if (names_platform(*column)) append_csv_text(out, row.accelerator);
      out += ',';
    }
  }
  append_csv_text(out, row.error);
  out += '\n';
}

void append_key(std::string& out, std::string_view path) {
  out += '"';
  out += path;
  out += "\":";
}

void append_object(const SweepPlan& plan, const std::vector<const EstimateColumn*>& columns,
                   const SweepRow& row, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    const SweepAxis& axis = plan.axes()[i];
    append_key(out, axis.field().path);
    if (axis.numeric()) {
      append_exact(out, axis.number(row.at[i]));
    } else {
      append_json_string(out, axis.word(row.at[i]));
    }
    out += ',';
  }
  if (row.estimate != nullptr) {
    append_json_members(out, *row.estimate, columns);
    if (!columns.empty()) out += ',';
  } else {
    for (const EstimateColumn* column : columns) {
      append_key(out, column->path);
      if (names_platform(*column)) {
        append_json_string(out, row.accelerator);
      } else {
        out += "null";
      }
      out += ',';
    }
  }
  append_key(out, kErrorColumn);
  if (row.error.empty()) {
    out += "null";
  } else {
    append_json_string(out, row.error);
  }
  out += '}';
}

void append_shown(const SweepPlan& plan, const std::vector<const EstimateColumn*>& columns,
                  const SweepRow& row, std::string& out) {
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    const SweepAxis& axis = plan.axes()[i];
    out += axis.numeric() ? format_number(axis.number(row.at[i]), number_kind(axis.field().kind))
                          : axis.word(row.at[i]);
    out += kSweepCellEnd;
  }
  for (const EstimateColumn* column : columns) {
    if (row.estimate != nullptr) {
      out += column_text(*column, *row.estimate);
    } else {
      out += names_platform(*column) ? row.accelerator : "n/a";
    }
    out += kSweepCellEnd;
  }
  out += row.error;
  out += kSweepCellEnd;
  out += kSweepRowEnd;
}

}  // namespace

SweepRenderer sweep_renderer(const SweepPlan& plan, Format format) {
  switch (format) {
    case Format::csv:
      return [&plan](const SweepRow& row, std::string& out) { append_csv(plan, row, out); };
    case Format::jsonl:
    case Format::xlsx:
      return [&plan](const SweepRow& row, std::string& out) {
        append_object(plan, plan.columns(), row, out);
        out += '\n';
      };
    case Format::json:
      return [&plan](const SweepRow& row, std::string& out) {
        out += ",\n";
        append_object(plan, plan.columns(), row, out);
      };
    case Format::html:
      return [&plan, columns = sweep_table_columns(plan)](const SweepRow& row, std::string& out) {
        append_object(plan, columns, row, out);
        out += '\n';
      };
    default:
      return [&plan, columns = sweep_table_columns(plan)](const SweepRow& row, std::string& out) {
        append_shown(plan, columns, row, out);
      };
  }
}

}  // namespace trcost
