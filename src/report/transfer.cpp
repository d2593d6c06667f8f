// SPDX-License-Identifier: Apache-2.0
#include "trcost/transfer.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/document_head.h"
#include "report/failures.h"
#include "text/json_writer.h"
#include "report/provenance.h"
#include "report/text_page.h"
#include "report/wording.h"
#include "trcost/report.h"
#include "trcost/table.h"

namespace trcost {
namespace {

std::string span_words(const Quantiles& q, NumberKind kind) {
  return fmt::format("{} to {}", format_number(q.p10, kind), format_number(q.p90, kind));
}

std::string money_span(const Quantiles& q) {
  return fmt::format("{} to {}", rough_money(q.p10), rough_money(q.p90));
}

std::string count_words(const Quantiles& q) {
  return fmt::format("{} to {}", gpu_hour_words(q.p10), gpu_hour_words(q.p90));
}

// The measured platform first, then the targets.
Table people_table(const TransferResult& result) {
  Table table({{"platform"},
               {"GPUs", "", Align::right},
               {"time", "", Align::right, Overflow::keep, true},
               {"P10 to P90", "", Align::right},
               {"GPU-hours", "", Align::right},
               {"total", "", Align::right, Overflow::keep, true},
               {"P10 to P90", "", Align::right},
               {"MFU", "", Align::right, Overflow::drop}});
  const auto add = [&](const TransferRow& row) {
    const Estimate& e = row.estimate;
    table.add_row({e.accelerator, Cell::number(e.gpus, grouped(e.gpus, 0)),
                   Cell::number(e.wall_clock_seconds, NumberKind::duration),
                   row.seconds.p10 == row.seconds.p90
                       ? Cell("measured")
                       : Cell(span_words(row.seconds, NumberKind::duration)),
                   gpu_hour_words(e.gpu_hours),
                   e.cost.total ? Cell::number(*e.cost.total, total_words(e)) : Cell::unknown(),
                   row.usd ? Cell(money_span(*row.usd)) : Cell::unknown(),
                   Cell::number(e.performance.mfu, NumberKind::fraction)});
  };
  add(result.source);
  table.add_rule();
  for (const TransferRow& row : result.targets) add(row);
  return table;
}

std::string anchor_sentence(const TransferRequest& request, const TransferResult& result) {
  const TransferRow& source = result.source;
  const std::string what =
      request.seconds ? format_number(*request.seconds, NumberKind::duration)
                      : format_number(*request.tokens_per_second, NumberKind::count) + " tokens/s";
  const double predicted_rate =
      source.estimate.performance.tokens_per_second_per_gpu * request.from_gpus * result.factor;
  const std::string predicted =
      request.seconds ? format_number(source.predicted_seconds, NumberKind::duration)
                      : format_number(predicted_rate, NumberKind::count) + " tokens/s";
  return fmt::format(
      "Measured {} on {} x {}; predicted {}. The run takes {:.3g} times as long as predicted, at "
      "an "
      "MFU of {} instead of {}; the same factor is put on every target.",
      what, grouped(request.from_gpus, 0), source.estimate.accelerator, predicted, result.factor,
      format_number(source.estimate.performance.mfu, NumberKind::fraction),
      format_number(source.predicted_mfu, NumberKind::fraction));
}

// The platform, with its number where the same one stands there twice.
std::string row_name(const TransferResult& result, const TransferRow& row) {
  const auto same = [&](const TransferRow& other) {
    return other.estimate.accelerator == row.estimate.accelerator;
  };
  const std::string& name = row.estimate.accelerator;
  if (std::ranges::count_if(result.targets, same) < 2) return name;
  return fmt::format("{} x {}", grouped(row.estimate.gpus, 0), name);
}

// Why the range is as wide as it is; targets with the same reason share a sentence.
std::vector<std::string> residual_sentences(const TransferResult& result) {
  std::vector<std::pair<std::string, std::string>> reasons;  // reason, platforms
  for (const TransferRow& row : result.targets) {
    const std::string reason =
        fmt::format("sigma {:.3f}: {}", row.residual.sigma, row.residual.why);
    const auto known =
        std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
    if (known == reasons.end()) {
      reasons.emplace_back(reason, row_name(result, row));
    } else {
      known->second += ", " + row_name(result, row);
    }
  }
  std::vector<std::string> out;
  for (const auto& [reason, platforms] : reasons) out.push_back(platforms + ": " + reason);
  return out;
}

// What the measurement narrows.
Table spread_table(const TransferResult& result) {
  Table table({{"platform"},
               {"GPU-hours, P10 to P90", "", Align::right},
               {"without the measurement", "", Align::right},
               {"total without it", "", Align::right}});
  for (const TransferRow& row : result.targets) {
    table.add_row(
        {row_name(result, row), count_words(row.gpu_hours), count_words(row.unanchored.gpu_hours),
         row.unanchored.total_usd ? Cell(money_span(*row.unanchored.total_usd)) : Cell::unknown()});
  }
  return table;
}

Table flat_table(const TransferResult& result) {
  std::vector<TableColumn> heads = {{"accelerator"},
                                    {"measured"},
                                    {"gpus"},
                                    {"wall_clock_seconds"},
                                    {"wall_clock_seconds.p10"},
                                    {"wall_clock_seconds.p90"},
                                    {"gpu_hours"},
                                    {"gpu_hours.p10"},
                                    {"gpu_hours.p90"},
                                    {"cost.price_per_gpu_hour"},
                                    {"cost.total"},
                                    {"cost.total.p10"},
                                    {"cost.total.p90"},
                                    {"performance.mfu"},
                                    {"predicted_wall_clock_seconds"},
                                    {"factor"},
                                    {"residual_sigma"}};
  for (const EstimateColumn* column : provenance_columns()) heads.push_back({std::string(column->path)});
  Table table(std::move(heads));
  const auto number = [](std::optional<double> value) {
    return Cell::number(value, NumberKind::number);
  };
  const auto add = [&](const TransferRow& row, bool measured) {
    const Estimate& e = row.estimate;
    const auto usd = [&](double Quantiles::*which) {
      return row.usd ? std::optional<double>((*row.usd).*which) : std::nullopt;
    };
    std::vector<Cell> cells = {e.accelerator,
                               Cell::boolean(measured),
                               number(e.gpus),
                               number(e.wall_clock_seconds),
                               number(row.seconds.p10),
                               number(row.seconds.p90),
                               number(e.gpu_hours),
                               number(row.gpu_hours.p10),
                               number(row.gpu_hours.p90),
                               number(e.cost.price_per_gpu_hour),
                               number(e.cost.total),
                               number(usd(&Quantiles::p10)),
                               number(usd(&Quantiles::p90)),
                               number(e.performance.mfu),
                               number(row.predicted_seconds),
                               number(result.factor),
                               number(row.residual.sigma)};
    for (const EstimateColumn* column : provenance_columns()) cells.push_back(column_cell(*column, e));
    table.add_row(std::move(cells));
  };
  add(result.source, true);
  for (const TransferRow& row : result.targets) add(row, false);
  return table;
}

std::vector<Estimate> estimates_of(const TransferResult& result) {
  std::vector<Estimate> out = {result.source.estimate};
  for (const TransferRow& row : result.targets) {
    const auto same = [&](const Estimate& e) { return e.accelerator == row.estimate.accelerator; };
    if (std::ranges::none_of(out, same)) out.push_back(row.estimate);
  }
  return out;
}

void write_quantiles(JsonWriter& writer, std::string_view key, const std::optional<Quantiles>& q) {
  if (!q) {
    writer.null(key);
    return;
  }
  writer.begin_object(key);
  writer.member("p10", q->p10);
  writer.member("p50", q->p50);
  writer.member("p90", q->p90);
  writer.end_object();
}

void write_row(JsonWriter& writer, const TransferRow& row) {
  const Estimate& e = row.estimate;
  writer.member("accelerator", e.accelerator);
  writer.member("system", e.system);
  writer.member("gpus", e.gpus);
  writer.member("precision", precision_name(e.precision));
  writer.member("wall_clock_seconds", e.wall_clock_seconds);
  writer.member("gpu_hours", e.gpu_hours);
  writer.member("mfu", e.performance.mfu);
  writer.member("predicted_wall_clock_seconds", row.predicted_seconds);
  writer.member("predicted_mfu", row.predicted_mfu);
  writer.member("price_per_gpu_hour", e.cost.price_per_gpu_hour);
  write_provenance(writer, e);
  writer.member("total_usd", e.cost.total);
  writer.begin_object("range");
  write_quantiles(writer, "wall_clock_seconds", row.seconds);
  write_quantiles(writer, "gpu_hours", row.gpu_hours);
  write_quantiles(writer, "total_usd", row.usd);
  writer.end_object();
  writer.begin_object("unanchored_range");
  write_quantiles(writer, "gpu_hours", row.unanchored.gpu_hours);
  write_quantiles(writer, "total_usd", row.unanchored.total_usd);
  writer.end_object();
  writer.begin_object("residual");
  writer.member("sigma", row.residual.sigma);
  writer.member("pairs", static_cast<double>(row.residual.pairs));
  writer.member("why", row.residual.why);
  writer.end_object();
}

std::string json_of(const TransferRequest& request, const TransferResult& result,
                    std::string_view price_data_date) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  write_versions(writer, price_data_date);
  writer.raw("scenario", scenario_to_json(request.base));
  writer.begin_object("measured");
  writer.member("seconds", request.seconds);
  writer.member("tokens_per_second", request.tokens_per_second);
  if (request.measured_sigma > 0) writer.member("sigma", request.measured_sigma);
  writer.member("factor", result.factor);
  write_row(writer, result.source);
  writer.end_object();
  writer.begin_array("targets");
  for (const TransferRow& row : result.targets) {
    writer.begin_object();
    write_row(writer, row);
    writer.end_object();
  }
  writer.end_array();
  write_failures(writer, result.failures);
  writer.end_object();
  out += '\n';
  return out;
}

}  // namespace

std::string render_transfer(const TransferRequest& request, const TransferResult& result,
                            std::string_view price_data_date, Format format, const Style& style) {
  if (format == Format::json) return json_of(request, result, price_data_date);
  if (format == Format::md) {
    std::string out = "# Transfer\n\n" + anchor_sentence(request, result) + "\n\n";
    out += to_markdown(people_table(result)) + "\n";
    for (const std::string& line : residual_sentences(result)) out += "- " + line + "\n";
    out += "\n" + to_markdown(spread_table(result)) + "\n";
    for (const Fact& fact : provenance_facts(estimates_of(result), price_data_date)) {
      out += fmt::format("- **{}**: {}\n", fact.label, fact.text);
    }
    return out + "\n" + made_by(price_data_date) + "\n";
  }
  if (format != Format::table) return to_format(flat_table(result), format, style, "rows");
  TextPage page(style);
  page.heading("Transfer", made_by(price_data_date));
  page.paragraph(anchor_sentence(request, result));
  page.heading("Measured, and carried over", "P10 to P90: four chances in five");
  page.table(people_table(result));
  page.heading("What is still uncertain", "workload and stack are the measured ones and cancel");
  for (const std::string& line : residual_sentences(result)) page.paragraph(line, 2);
  page.blank();
  page.table(spread_table(result));
  page.heading("Prices");
  page.facts(provenance_facts(estimates_of(result), price_data_date));
  return page.take();
}

}  // namespace trcost
