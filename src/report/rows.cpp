// SPDX-License-Identifier: Apache-2.0
#include "report/rows.h"

#include "text/row_writer.h"

namespace trcost {

void append_csv_header_cells(std::string& out, std::span<const EstimateColumn* const> columns) {
  bool first = true;
  for (const EstimateColumn* column : columns) {
    if (!first) out += ',';
    first = false;
    out += column->path;
  }
}

void append_csv_cells(std::string& out, const Estimate& estimate,
                      std::span<const EstimateColumn* const> columns) {
  bool first = true;
  for (const EstimateColumn* column : columns) {
    if (!first) out += ',';
    first = false;
    append_csv(out, column->value(estimate), column->path);
  }
}

void append_csv_header(std::string& out, std::span<const EstimateColumn* const> columns) {
  append_csv_header_cells(out, columns);
  out += '\n';
}

void append_csv_row(std::string& out, const Estimate& estimate,
                    std::span<const EstimateColumn* const> columns) {
  append_csv_cells(out, estimate, columns);
  out += '\n';
}

void append_json_members(std::string& out, const Estimate& estimate,
                         std::span<const EstimateColumn* const> columns) {
  bool first = true;
  for (const EstimateColumn* column : columns) {
    if (!first) out += ',';
    first = false;
    out += '"';
    out += column->path;
    out += "\":";
    append_json(out, column->value(estimate), column->path);
  }
}

void append_jsonl_row(std::string& out, const Estimate& estimate,
                      std::span<const EstimateColumn* const> columns) {
  out += '{';
  append_json_members(out, estimate, columns);
  out += "}\n";
}

}  // namespace trcost
