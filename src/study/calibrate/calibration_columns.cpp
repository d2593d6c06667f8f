// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/plan_columns.h"
#include "study/calibrate/calibrate.h"

namespace trcost::study {
namespace {

using namespace column;

const Columns<CalibrationRow>& calibration_row_columns() {
  using R = CalibrationRow;
  static const Columns<CalibrationRow> table = {
      string("name", member<&R::name>, "of the measured step", Rank::key),
      string("model", member<&R::model>, "what was trained"),
      string("accelerator", member<&R::accelerator>, "it ran on"),
      integer("gpus", member<&R::gpus>, "cluster size"),
      part<layout_columns, placed<R>>("layout"),
      boolean("planned", member<&R::planned>, "the planner chose something"),
      seconds("measured_seconds", member<&R::measured_seconds>, "of a step"),
      seconds("predicted_before_seconds", member<&R::predicted_before>,
              "by the stack that was started from"),
      seconds("predicted_after_seconds", member<&R::predicted_after>, "by the calibrated stack"),
      share("error_before", member<&R::error_before>,
            "of the seconds of a step: predicted / measured - 1"),
      share("error_after", member<&R::error_after>, "likewise")};
  return table;
}

const Columns<CalibrationResult::Factor>& factor_columns() {
  using F = CalibrationResult::Factor;
  static const Columns<CalibrationResult::Factor> table = {
      string("name", member<&F::name>, "part of the time of a step", Rank::key),
      string("what", member<&F::what>, "in words"),
      plain("factor", member<&F::factor>, "on its time"),
      plain("sigma", member<&F::sigma>, "of ln(factor), after the steps"),
      plain("share", member<&F::share>,
            "of the time of a step: d ln(step) / d ln(factor), mean of the steps")};
  return table;
}

const Columns<ExplainedTerm>& term_columns() {
  using T = ExplainedTerm;
  static const Columns<ExplainedTerm> table = {
      string("name", member<&T::name>, "part of the time of a step", Rank::key),
      string("what", member<&T::what>, "in words"),
      seconds("predicted_seconds", member<&T::predicted_seconds>, "of the step that goes with it"),
      plain("factor", member<&T::factor>, "on its time that alone gives the measured step"),
      plain("usual", member<&T::usual>, "factor that two of three published sources stay within"),
      plain("deviation", member<&T::deviation>, "ln(factor) over ln(usual)"),
      string("try", member<&T::try_first>, "what to try")};
  return table;
}

const Columns<StepExplanation>& explanation_columns() {
  using S = StepExplanation;
  static const Columns<StepExplanation> table = {
      string("name", member<&S::name>, "of the measured step", Rank::key),
      seconds("measured_seconds", member<&S::measured_seconds>, "of a step"),
      seconds("predicted_seconds", member<&S::predicted_seconds>,
              "by the stack that was started from"),
      string("summary", member<&S::summary>, "what explains the difference best"),
      list<term_columns>("terms", member<&S::terms>, "the likeliest explanation first")};
  return table;
}

const Columns<SourceCurve>& source_columns() {
  using C = SourceCurve;
  static const Columns<SourceCurve> table = {
      string("source", member<&C::source>, "of published rows", Rank::key),
      integer("rows", member<&C::rows>, "that it has"),
      integer("groups", member<&C::groups>, "experiments"),
      share("error.rows_0", member<&C::error>,
            "median |predicted / measured - 1|, the source left out of every fit"),
      share("error.rows_1", member<&C::after, at<0>>,
            "of its other rows, calibrated to one of them"),
      share("error.rows_3", member<&C::after, at<1>>, "likewise, to three"),
      share("error.rows_10", member<&C::after, at<2>>, "likewise, to ten"),
      share("inside", member<&C::inside>,
            "of its other rows within P10 to P90, calibrated to three")};
  return table;
}

const Columns<CalibrationCurve::Mean>& mean_columns() {
  using M = CalibrationCurve::Mean;
  static const Columns<CalibrationCurve::Mean> table = {
      integer("sources", member<&M::sources>, "with five rows"),
      share("error.rows_0", member<&M::error>, "mean of their median errors"),
      share("error.rows_1", member<&M::after, at<0>>, "after one row"),
      share("error.rows_3", member<&M::after, at<1>>, "after three"),
      share("inside", member<&M::inside>, "of the other rows within P10 to P90, after three")};
  return table;
}

}  // namespace

const Columns<CalibrationResult>& calibration_columns() {
  using R = CalibrationResult;
  static const Columns<CalibrationResult> table = {
      versions<R>(),
      string("base", member<&R::base>, "the stack that was started from"),
      list<calibration_row_columns>("rows", member<&R::rows>, "one per measured step"),
      list<factor_columns>("factors", member<&R::factors>, "what the steps say of the software"),
      share("error.before", member<&R::error_before>, "median |error| of the seconds of a step"),
      share("error.after", member<&R::error_after>, "likewise, calibrated to them"),
      plain("sigma.before", member<&R::fit, &StackFit::sigma_before>,
            "of ln(seconds) of a step like these, from published sources"),
      plain("sigma.after", member<&R::sigma>, "of one more step like these"),
      plain("sigma.elsewhere", member<&R::sigma_elsewhere>, "on another chip"),
      plain("sigma.step", member<&R::fit, &StackFit::step>,
            "of steps about what any factors predict"),
      list<explanation_columns>("explained", member<&R::explained>,
                                "measured beside predicted, with --explain"),
      list<text_columns>("narrow", member<&R::narrow>, "what would narrow the range most"),
      list<text_columns>("warnings", member<&R::warnings>,
                         "contradictions, and what was left out")};
  return table;
}

const Columns<CalibrationCurve>& calibration_curve_columns() {
  using C = CalibrationCurve;
  static const Columns<CalibrationCurve> table = {
      versions<C>(), list<source_columns>("sources", member<&C::rows>, "of published rows"),
      part<mean_columns, &C::wrong>("above_15_percent"),
      part<mean_columns, &C::right>("below_15_percent")};
  return table;
}

}  // namespace trcost::study
