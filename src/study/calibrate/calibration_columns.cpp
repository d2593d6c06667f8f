// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/plan_columns.h"
#include "study/calibrate/calibrate.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;
using CalibratedRow = const CalibrationRow&;
using Factor = const CalibrationResult::Factor&;
using Result = const CalibrationResult&;
using Source = const SourceCurve&;
using Mean = const CalibrationCurve::Mean&;

constexpr auto seconds(std::string_view path, auto get, std::string_view help) {
  return number(path, "s", NumberKind::duration, get, help);
}

const Columns<CalibrationRow>& calibration_row_columns() {
  static const Columns<CalibrationRow> table = [] {
    Columns<CalibrationRow> t = {
        text(
            "name", [](CalibratedRow r) -> auto& { return r.name; }, "of the measured step",
            Rank::key),
        text(
            "model", [](CalibratedRow r) -> auto& { return r.model; }, "what was trained"),
        text(
            "accelerator", [](CalibratedRow r) -> auto& { return r.accelerator; }, "it ran on"),
        number(
            "gpus", "", NumberKind::integer, [](CalibratedRow r) { return r.gpus; },
            "cluster size")};
    t.lift<[](CalibratedRow r) {
      return std::optional<PlacedLayout>({&r.layout, r.gpus, r.layers});
    },
           layout_columns>("layout");
    t.add({boolean(
               "planned", [](CalibratedRow r) { return r.planned; }, "the planner chose something"),
           seconds(
               "measured_seconds", [](CalibratedRow r) { return r.measured_seconds; }, "of a step"),
           seconds(
               "predicted_before_seconds", [](CalibratedRow r) { return r.predicted_before; },
               "by the stack that was started from"),
           seconds(
               "predicted_after_seconds", [](CalibratedRow r) { return r.predicted_after; },
               "by the calibrated stack"),
           share(
               "error_before", [](CalibratedRow r) { return r.error_before; },
               "of tokens per second: predicted / measured - 1"),
           share(
               "error_after", [](CalibratedRow r) { return r.error_after; }, "likewise")});
    return t;
  }();
  return table;
}

const Columns<CalibrationResult::Factor>& factor_columns() {
  static const Columns<CalibrationResult::Factor> table = {
      text(
          "name", [](Factor f) { return f.name; }, "part of the time of a step", Rank::key),
      text(
          "what", [](Factor f) { return f.what; }, "in words"),
      plain(
          "factor", [](Factor f) { return f.factor; }, "on its time"),
      plain(
          "sigma", [](Factor f) { return f.sigma; }, "of ln(factor), after the steps"),
      plain(
          "share", [](Factor f) { return f.share; },
          "of the time of a step: d ln(step) / d ln(factor), mean of the steps")};
  return table;
}

// After 1, 3 and 10 rows; the index of kRows stands in the name.
template <std::size_t Index>
constexpr auto after = [](Source s) { return s.after[Index]; };

const Columns<SourceCurve>& source_columns() {
  static const Columns<SourceCurve> table = {
      text(
          "source", [](Source s) -> auto& { return s.source; }, "of published rows", Rank::key),
      number(
          "rows", "", NumberKind::integer, [](Source s) { return s.rows; }, "that it has"),
      number(
          "groups", "", NumberKind::integer, [](Source s) { return s.groups; }, "experiments"),
      share(
          "error.rows_0", [](Source s) { return s.error; },
          "median |predicted / measured - 1|, the source left out of every fit"),
      share("error.rows_1", after<0>, "of its other rows, calibrated to one of them"),
      share("error.rows_3", after<1>, "likewise, to three"),
      share("error.rows_10", after<2>, "likewise, to ten"),
      share(
          "inside", [](Source s) { return s.inside; },
          "of its other rows within P10 to P90, calibrated to three")};
  return table;
}

const Columns<CalibrationCurve::Mean>& mean_columns() {
  static const Columns<CalibrationCurve::Mean> table = {
      number(
          "sources", "", NumberKind::integer, [](Mean m) { return m.sources; }, "with five rows"),
      share(
          "error.rows_0", [](Mean m) { return m.error; }, "mean of their median errors"),
      share(
          "error.rows_1", [](Mean m) { return m.after[0]; }, "after one row"),
      share(
          "error.rows_3", [](Mean m) { return m.after[1]; }, "after three"),
      share(
          "inside", [](Mean m) { return m.inside; },
          "of the other rows within P10 to P90, after three")};
  return table;
}

}  // namespace

const Columns<CalibrationResult>& calibration_columns() {
  static const Columns<CalibrationResult> table = [] {
    Columns<CalibrationResult> t;
    t.add(versions<CalibrationResult>());
    t.add(
        {text(
             "base", [](Result r) -> auto& { return r.base; }, "the stack that was started from"),
         list<calibration_row_columns>(
             "rows", [](Result r) -> auto& { return r.rows; }, "one per measured step"),
         list<factor_columns>(
             "factors", [](Result r) -> auto& { return r.factors; },
             "what the steps say of the software"),
         share(
             "error.before", [](Result r) { return r.error_before; },
             "median |error| of the steps"),
         share(
             "error.after", [](Result r) { return r.error_after; }, "likewise, calibrated to them"),
         plain(
             "sigma.before", [](Result r) { return r.fit.sigma_before; },
             "of ln(seconds) of a step like these, from published sources"),
         plain(
             "sigma.after", [](Result r) { return r.sigma; }, "of one more step like these"),
         plain(
             "sigma.elsewhere", [](Result r) { return r.sigma_elsewhere; }, "on another chip"),
         plain(
             "sigma.step", [](Result r) { return r.fit.step; },
             "of steps about what any factors predict"),
         list<text_columns>(
             "narrow", [](Result r) -> auto& { return r.narrow; },
             "what would narrow the range most"),
         list<text_columns>(
             "warnings", [](Result r) -> auto& { return r.warnings; },
             "contradictions, and what was left out")});
    return t;
  }();
  return table;
}

const Columns<CalibrationCurve>& calibration_curve_columns() {
  using Curve = const CalibrationCurve&;
  static const Columns<CalibrationCurve> table = [] {
    Columns<CalibrationCurve> t;
    t.add(versions<CalibrationCurve>());
    t.add({list<source_columns>(
        "sources", [](Curve c) -> auto& { return c.rows; }, "of published rows")});
    t.lift<[](Curve c) { return &c.wrong; }, mean_columns>("above_15_percent");
    t.lift<[](Curve c) { return &c.right; }, mean_columns>("below_15_percent");
    return t;
  }();
  return table;
}

}  // namespace trcost::study
