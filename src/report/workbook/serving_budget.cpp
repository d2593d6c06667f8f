// SPDX-License-Identifier: Apache-2.0
#include "quantity/quantity.h"
#include "report/workbook/budgets.h"

namespace trcost::report {

namespace {

using Given = Calculation::Given;
using Product = Calculation::Product;

constexpr double kMillion = 1e6;

void add_source(Calculation& out, const ServingRow& row) {
  if (row.cost.source.empty()) return;
  const std::string date = row.cost.date.empty() ? "" : " (" + row.cost.date + ")";
  out.sources.push_back({row.accelerator + ": price per GPU-hour", row.cost.source + date});
}

}  // namespace

Calculation serving_budget(const ServingReport& report) {
  Calculation out;
  out.name = "Budget";
  out.notes = {"Marked cells are inputs: change one, and all that follows on this sheet changes.",
               "The other sheets stay as the answer was made."};
  std::vector<const ServingRow*> rows;
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) continue;
    rows.push_back(&row);
    out.columns.push_back(row.accelerator);
  }
  out.add_heading("A GPU");
  const std::size_t rate = out.add("output tokens per second", "per GPU");
  const std::size_t in_rate = out.add("input tokens for each output token");
  const std::size_t sold = out.add("sold of the capacity", "", NumberKind::fraction);
  const std::size_t price = out.add("price", "USD per GPU-hour", NumberKind::money);
  out.add_heading("A million tokens");
  // price / (3600 x tokens per second x sold) x 1e6
  const std::size_t output = out.add("output", "USD per million", NumberKind::money);
  const std::size_t input =
      out.add("input, if it paid for all", "USD per million", NumberKind::money);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const ServingRow& row = *rows[c];
    const double per_output =
        report.question.load.input_tokens / report.question.load.output_tokens;
    out.set({rate, c}, Given{row.point.output_per_gpu, true});
    out.set({in_rate, c}, Given{per_output, false});
    out.set({sold, c}, Given{row.cost.sold, true});
    out.set({price, c}, Given{row.cost.price_per_gpu_hour, true});
    out.set({output, c}, Product{kMillion / kSecondsPerHour,
                                 {{{price, c}}, {{rate, c}, true}, {{sold, c}, true}}});
    if (row.cost.input) out.set({input, c}, Product{1, {{{output, c}}, {{in_rate, c}, true}}});
    check_figure(out, {output, c}, row.cost.output);
    if (row.cost.input) check_figure(out, {input, c}, row.cost.input);
    add_source(out, row);
  }
  out.charts = {{Calculation::Chart::Kind::stacked, "A million output tokens, USD", {output}}};
  return out;
}

}  // namespace trcost::report
