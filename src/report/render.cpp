// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "trcost/error.h"
#include "trcost/report.h"
#include "trcost/rows.h"

namespace trcost {

std::string render_jsonl(const Report& report) {
  std::string out;
  for (const Estimate& estimate : report.estimates) append_jsonl_row(out, estimate, all_columns());
  return out;
}

std::string render_csv(const Report& report) {
  std::string out;
  append_csv_header(out, all_columns());
  for (const Estimate& estimate : report.estimates) append_csv_row(out, estimate, all_columns());
  return out;
}

std::string render(const Report& report, Format format, const Style& style) {
  switch (format) {
    case Format::table:
      return render_table(report, style);
    case Format::json:
      return render_json(report);
    case Format::jsonl:
      return render_jsonl(report);
    case Format::csv:
      return render_csv(report);
    case Format::md:
      return render_markdown(report);
    case Format::html:
      return render_html(report);
    case Format::xlsx:
      return render_xlsx(report);
  }
  throw Error(ErrorKind::usage, "unknown format", "formats are " + format_names());
}

std::size_t cheapest_index(std::span<const Estimate> estimates) {
  const auto rank = [](const Estimate& e) {
    return std::tuple(!e.memory.fits, !e.cost.total.has_value(),
                      e.cost.total.value_or(e.gpu_hours));
  };
  const auto best =
      std::min_element(estimates.begin(), estimates.end(),
                       [&](const Estimate& a, const Estimate& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(best - estimates.begin());
}

}  // namespace trcost
