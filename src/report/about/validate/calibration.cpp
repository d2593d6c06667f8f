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
               {.title = "model", .overflow = Overflow::drop},
               {.title = "accelerator", .overflow = Overflow::cut},
               number_column("GPUs"),
               {.title = "layout", .overflow = Overflow::drop},
               number_column("measured"),
               number_column("predicted"),
               number_column("calibrated"),
               number_column("error"),
               number_column("after", "calibrated_error", Overflow::keep, true)});
  for (const CalibrationRow& row : result.rows) {
    table.add_row({row.name, row.model, row.accelerator, Cell::number(row.gpus, NumberKind::count),
                   degree_words(row.layout, false), seconds_cell(row.measured_seconds),
                   seconds_cell(row.predicted_before), seconds_cell(row.predicted_after),
                   signed_share_cell(row.error_before), signed_share_cell(row.error_after)});
  }
  return table;
}

Table factor_table(const CalibrationResult& result) {
  Table table({{.title = "part"},
               {.title = "contains", .overflow = Overflow::wrap},
               number_column("factor", "", Overflow::keep, true),
               number_column("sigma of ln", "", Overflow::drop),
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
  const auto percent = [](double share) { return 100 * share; };
  const std::string start =
      r.rows.size() == 1
          ? fmt::format(
                "Your step lies {:.0f}% from the prediction for {}, and {:.0f}% with the "
                "calibration. One step is little evidence against published runs: --mfu "
                "takes a measured speed as it is.",
                percent(r.error_before), r.base, percent(r.error_after))
          : fmt::format(
                "Calibrating {} to {} measured steps lowers the median error of their time "
                "from {:.0f}% to {:.0f}%.",
                r.base, r.rows.size(), percent(r.error_before), percent(r.error_after));
  return fmt::format(
      "{} Four of five further steps like these lie within {:.0f}% of the prediction, on another "
      "chip within {:.0f}%, and without the calibration within {:.0f}%.{}",
      start, percent(kNormalP90 * r.sigma), percent(kNormalP90 * r.sigma_elsewhere),
      percent(kNormalP90 * r.fit.sigma_before),
      r.sigma <= r.fit.sigma_before ? ""
      : r.rows.size() == 1
          ? " The calibration is less certain because your step lies far from published ones."
          : " The calibration is less certain because your steps scatter more than published "
            "ones.");
}

Table explanation_table(const StepExplanation& step) {
  Table table({{.title = "part"},
               {.title = "what", .overflow = Overflow::drop},
               number_column("predicted"),
               number_column("factor that explains it", "", Overflow::keep, true),
               number_column("usual factor")});
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
    page.add(Heading{"Why " + step.name + " took longer or shorter"}).add(Paragraph{step.summary});
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
  page.add(Heading{"Fitted factors of the software", "of the predicted time"})
      .add(Grid{factor_table(result)});
  page.add(Heading{"Measurements that would narrow the range most"});
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
        "{:.1f}% before, {:.1f}% after one row and {:.1f}% after three. Then the 80% range "
        "contains "
        "{:.0f}% of the rest",
        100 * m.error, 100 * m.after[0], 100 * m.after[1], 100 * m.inside);
  };
  return fmt::format(
      "Each source is predicted with constants that never saw it, and then calibrated to a few of "
      "its rows. For the {} sources with an error above 15%, the median error of the other rows is "
      "{}. For the {} sources below, it is {}. The figures are means over 24 choices of rows, of "
      "{} "
      "rows in all.",
      curve.wrong.sources, mean(curve.wrong), curve.right.sources, mean(curve.right),
      curve.measured);
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
