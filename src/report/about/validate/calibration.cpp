// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "catalog/layout/layout.h"
#include "quantity/quantity.h"
#include "report/about/documents.h"
#include "report/about/validate/validation.h"
#include "report/page/page.h"
#include "study/calibrate/calibrate.h"
#include "study/validate/validation_columns.h"

namespace trcost::report {
namespace {

Cell seconds_cell(double value) {
  return Cell::number(value, fmt::format("{:.4g} s", value));
}

Table step_table(const CalibrationResult& result) {
  Table table({{.title = "step", .overflow = Overflow::cut},
               {.title = "model", .overflow = Overflow::cut},
               {.title = "accelerator"},
               number_column("GPUs"),
               {.title = "layout", .overflow = Overflow::drop},
               number_column("measured"),
               number_column("predicted"),
               number_column("calibrated"),
               number_column("error"),
               number_column("calibrated to", "", Overflow::keep, true)});
  for (const CalibrationRow& row : result.rows) {
    table.add_row({row.name, row.model, row.accelerator, Cell::number(row.gpus, NumberKind::count),
                   degree_words(row.layout, false), seconds_cell(row.measured_seconds),
                   seconds_cell(row.predicted_before), seconds_cell(row.predicted_after),
                   signed_share_cell(row.error_before), signed_share_cell(row.error_after)});
  }
  return table;
}

Table factor_table(const CalibrationResult& result) {
  Table table({{.title = "part of the time"},
               {.title = "what"},
               number_column("takes", "", Overflow::keep, true),
               number_column("sigma of ln"),
               number_column("share of a step")});
  constexpr double kNegligible = 0.002;  // share of a step that is too small to fit
  for (const CalibrationResult::Factor& f : result.factors) {
    if (f.share < kNegligible) continue;
    table.add_row({std::string(f.name), std::string(f.what),
                   Cell::number(f.factor, fmt::format("x{:.3f}", f.factor)),
                   Cell::number(f.sigma, fmt::format("{:.2f}", f.sigma)), share_cell(f.share)});
  }
  return table;
}

std::string calibration_words(const CalibrationResult& r) {
  return fmt::format(
      "{} measured step{} of {}: the median error falls from {:.1f}% to {:.1f}%. One more step "
      "like these lies within {:.0f}% four times in five (sigma of the logarithm {:.2f}; {:.2f} "
      "without them, {:.2f} on another chip). Estimates with the file use that spread.",
      r.rows.size(), r.rows.size() == 1 ? "" : "s", r.base, 100 * r.error_before,
      100 * r.error_after, 100 * kNormalP90 * r.sigma, r.sigma, r.fit.sigma_before,
      r.sigma_elsewhere);
}

Table explanation_table(const StepExplanation& step) {
  Table table({{.title = "part"},
               {.title = "what", .overflow = Overflow::drop},
               number_column("predicted"),
               number_column("alone explains it", "", Overflow::keep, true),
               number_column("usual")});
  for (const ExplainedTerm& term : step.terms) {
    table.add_row({std::string(term.name), std::string(term.what),
                   seconds_cell(term.predicted_seconds),
                   term.factor ? Cell::number(*term.factor, fmt::format("x{:.2f}", *term.factor))
                               : Cell::unknown(),
                   Cell::number(term.usual, fmt::format("x{:.2f}", term.usual))});
  }
  return table;
}

void add_explanations(const CalibrationResult& result, Page& page) {
  for (const StepExplanation& step : result.explained) {
    page.add(Heading{"What explains " + step.name}).add(Paragraph{step.summary});
    page.add(Grid{explanation_table(step)});
    for (const ExplainedTerm& term : step.terms) {
      if (step.measured_seconds <= step.predicted_seconds) break;
      page.add(Paragraph{fmt::format("{}: {}", term.name, term.try_first), Ink::plain, 2, true});
    }
  }
}

Page calibration_page(const CalibrationResult& result) {
  Page page{"Calibration", made_by(), {}};
  if (!result.stack_json.empty()) page.add(Paragraph{calibration_words(result), Ink::good});
  if (!result.rows.empty()) {
    page.add(Heading{"Measured steps"}).add(Grid{.table = step_table(result), .sorts = true});
  }
  add_explanations(result, page);
  if (result.stack_json.empty()) return page.add(Warnings{result.warnings});
  page.add(Heading{"What they say of the software"}).add(Grid{factor_table(result)});
  page.add(Heading{"What would narrow the range most"});
  for (const std::string& line : result.narrow) page.add(Paragraph{line, Ink::plain, 2, true});
  return page.add(Warnings{result.warnings});
}

Table curve_table(const CalibrationCurve& curve) {
  Table table({{.title = "source", .overflow = Overflow::cut},
               number_column("rows"),
               number_column("experiments", "", Overflow::drop),
               number_column("none"),
               number_column("1 row"),
               number_column("3 rows", "", Overflow::keep, true),
               number_column("10 rows")});
  const auto cell = [](const std::optional<double>& error) {
    return error ? share_cell(*error) : Cell::unknown();
  };
  for (const SourceCurve& s : curve.rows) {
    table.add_row({s.source, Cell::number(s.rows, NumberKind::count),
                   Cell::number(s.groups, NumberKind::count), share_cell(s.error), cell(s.after[0]),
                   cell(s.after[1]), cell(s.after[2])});
  }
  return table;
}

std::string curve_words(const CalibrationCurve& curve) {
  const auto mean = [](const CalibrationCurve::Mean& m) {
    return fmt::format(
        "{:.1f}% by itself, {:.1f}% after one row, {:.1f}% after three, whose 80% range holds "
        "{:.0f}% of the rest",
        100 * m.error, 100 * m.after[0], 100 * m.after[1], 100 * m.inside);
  };
  return fmt::format(
      "Median error of the rows that a source was not calibrated to, of {} rows, by constants "
      "that never saw the source, as the mean of 24 choices of rows. The {} sources above 15%: "
      "{}. The {} below: {}.",
      curve.measured, curve.wrong.sources, mean(curve.wrong), curve.right.sources,
      mean(curve.right));
}

Page calibration_curve_page(const CalibrationCurve& curve) {
  Page page{"Calibration to a few rows of a source", made_by(), {}};
  page.add(Paragraph{curve_words(curve)});
  return page.add(Grid{curve_table(curve)});
}

}  // namespace

Document calibration_document(const CalibrationResult& result) {
  return document_of(kCalibration, result, [&result] { return calibration_page(result); });
}

Document calibration_curve_document(const CalibrationCurve& curve) {
  return document_of(kCalibrationCurve, curve, [&curve] { return calibration_curve_page(curve); });
}

}  // namespace trcost::report
