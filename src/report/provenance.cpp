// SPDX-License-Identifier: Apache-2.0
#include "report/provenance.h"

#include "report/wording.h"
#include "trcost/report.h"

namespace trcost {

const std::vector<const EstimateColumn*>& provenance_columns() {
  static const std::vector<const EstimateColumn*> paths = require_columns(
      "cost.price_class,cost.price_imputed,cost.price_date,cost.provider,price_data_date,"
      "trcost_version");
  return paths;
}

Cell column_cell(const EstimateColumn& column, const Estimate& estimate) {
  if (column.kind == ColumnKind::text) {
    const std::string_view text = column.text(estimate);
    return text.empty() ? Cell::unknown() : Cell(text);
  }
  const std::optional<double> value = column.number(estimate);
  if (!value) return Cell::unknown();
  if (column.kind == ColumnKind::boolean) return Cell::boolean(*value != 0);
  return Cell::number(value, NumberKind::number);
}

void write_provenance(JsonWriter& writer, const Estimate& estimate) {
  for (const EstimateColumn* column : provenance_columns()) {
    if (!column->path.starts_with("cost.")) continue;
    const std::string_view key = column->path.substr(5);
    if (column->kind == ColumnKind::text) {
      writer.text_or_null(key, column->text(estimate));
    } else {
      writer.boolean(key, column->number(estimate).value_or(0) != 0);
    }
  }
}

std::vector<Fact> provenance_facts(std::span<const Estimate> estimates,
                                   std::string_view price_data_date) {
  Report whole;
  whole.estimates = estimates;
  whole.price_data_date = price_data_date;
  return price_facts(whole);
}

}  // namespace trcost
