// SPDX-License-Identifier: Apache-2.0
#include "study/validate/validation_columns.h"

#include "catalog/runs/runs.h"
#include "estimate/columns/plan_columns.h"

namespace trcost::study {
namespace {

using namespace column;

std::string_view task_word(const ThroughputRow& row) {
  return word_of(kTasks, row.task);
}

std::optional<PlacedLayout> predicted_layout(const ValidationRow& row) {
  if (!row.problem.empty()) return std::nullopt;
  return PlacedLayout{&row.layout, row.measured->gpus, row.layers};
}

const Columns<ValidationRow>& validation_row_columns() {
  using R = ValidationRow;
  using T = ThroughputRow;
  static const Columns<ValidationRow> table = {
      string("id", member<&R::measured, &T::id>, "of the measured row", Rank::key),
      string("model", member<&R::measured, &T::model>, "what was trained"),
      string("task", member<&R::measured, task_word>, "kind of training"),
      string("accelerator", member<&R::measured, &T::accelerator>, "catalog name"),
      integer("gpus", member<&R::measured, &T::gpus>, "cluster size"),
      string("precision", member<&R::measured, &T::precision, precision_name>,
             "format of the matmuls"),
      string("stack", member<&R::measured, stack_of>, "software"),
      optional_part<layout_columns, predicted_layout>("layout"),
      boolean("planned", member<&R::planned>, "the planner chose something"),
      number("predicted_tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
             if_predicted<R, &R::predicted>, "by the model", Rank::first, "predicted"),
      number("measured_tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
             member<&R::measured, &T::tokens_per_second_per_gpu>, "as published", Rank::first,
             "measured"),
      share("error", if_predicted<R, &R::error>, "predicted / measured - 1", Rank::first),
      plain("weight", member<&R::measured, &T::weight>, "one over the rows of its experiment"),
      string("source", member<&R::measured, &T::source>, "where it was published"),
      string("problem", member<&R::problem>, "why there is no prediction")};
  return table;
}

const Columns<LeftOut>& left_out_columns() {
  using O = LeftOut;
  static const Columns<LeftOut> table = {
      integer("rows", member<&O::rows>, "predicted by constants that never saw their source"),
      share("median_error", member<&O::median>, "of |error|"),
      share("p90_error", member<&O::p90>, "nine of ten rows are nearer"),
      share("bias", member<&O::bias>, "median of error"),
      share("inside", member<&O::inside>, "of the rows within P10 to P90"),
      plain("width", member<&O::width>, "median P90 / P10"),
      plain("score", member<&O::score>, "mean interval score of the logarithm at 80%")};
  return table;
}

}  // namespace

const Columns<ValidationSummary>& validation_summary_columns() {
  using S = ValidationSummary;
  static const Columns<ValidationSummary> table = {
      string("dimension", member<&S::dimension>, "what rows are told by", Rank::key),
      string("value", member<&S::value>, "which rows", Rank::key),
      integer("rows", member<&S::rows>, "measured"),
      integer("apart", member<&S::apart>,
              "of them kept apart by the fit, and no part of the errors unless all are"),
      integer("groups", member<&S::groups>, "experiments of those that count"),
      share("median_error", member<&S::median>, "of |error|", Rank::first),
      share("p90_error", member<&S::p90>, "nine of ten rows are nearer"),
      share("bias", member<&S::bias>, "median of error"),
      optional_part<left_out_columns, &S::left_out>("left_out")};
  return table;
}

namespace {

const Columns<ServingReplay>& serving_replay_columns() {
  using R = ServingReplay;
  static const Columns<ServingReplay> table = {
      string("id", member<&R::id>, "of the measured row", Rank::key),
      string("model", member<&R::model>, "what was served"),
      string("accelerator", member<&R::accelerator>, "catalog name"),
      string("engine", member<&R::engine>, "software"),
      string("precision", member<&R::precision>, "format of the weights"),
      integer("gpus", member<&R::layout, &ServingLayout::gpus>, "of a replica"),
      integer("layout.tp", member<&R::layout, &ServingLayout::tp>, "tensor-parallel degree"),
      integer("layout.ep", member<&R::layout, &ServingLayout::ep>, "expert-parallel degree"),
      integer("layout.dp", member<&R::layout, &ServingLayout::dp>, "copies of attention"),
      integer("input_tokens", member<&R::input_tokens>, "of a request"),
      integer("output_tokens", member<&R::output_tokens>, "of its answer"),
      integer("concurrency", member<&R::concurrency>,
              "in flight; unknown where all requests are queued"),
      number("predicted_output_tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
             member<&R::predicted>, "by the model", Rank::first, "predicted"),
      number("measured_output_tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
             member<&R::measured>, "as published", Rank::first, "measured"),
      share("error", member<&R::error>, "predicted / measured - 1", Rank::first),
      plain("weight", member<&R::weight>, "one over the rows of its configuration"),
      string("source", member<&R::source>, "where it was published")};
  return table;
}

const std::string& accelerator_of_run(const RunReplay& row) {
  return row.accelerator.empty() ? row.run->accelerator : row.accelerator;
}

std::optional<double> published_hours(const RunReplay& row) {
  return row.reported > 0 ? std::optional(row.reported) : std::nullopt;
}

std::string_view side_of_range(const RunReplay& row) {
  if (!row.problem.empty()) return {};
  return row.inside ? "yes" : row.reported > row.range.p90 ? "above" : "below";
}

const std::string& run_note(const RunReplay& row) {
  return row.problem.empty() ? row.run->what_is_included : row.problem;
}

const Columns<RunReplay>& replay_columns() {
  using R = RunReplay;
  static const Columns<RunReplay> table = {
      string("run", member<&R::run, &PublishedRun::name>, "published", Rank::key),
      string("accelerator", member<accelerator_of_run>, "it ran on"),
      gpu_hours("reported_gpu_hours", member<published_hours>, "as published"),
      gpu_hours("predicted_gpu_hours", if_predicted<R, &R::predicted>, "by the estimate"),
      gpu_hours("p10", if_predicted<R, &R::range, &Quantiles::p10>,
                "one chance in ten to be below"),
      gpu_hours("p90", if_predicted<R, &R::range, &Quantiles::p90>,
                "one chance in ten to be above"),
      share("error", if_predicted<R, &R::error>, "predicted / reported - 1"),
      string("inside", member<side_of_range>, "where the reported hours lie"),
      string("note", member<run_note>,
             "what the published figure includes, or why there is no prediction")};
  return table;
}

const Columns<VisionReplay>& vision_replay_columns() {
  const auto hours = [](std::string_view path, auto get, std::string_view help) {
    return number(path, "GPU-hours", NumberKind::number, get, help);
  };
  using R = VisionReplay;
  static const Columns<VisionReplay> table = {
      figure_columns<R>(),
      string("accelerator", inherited<R, &R::accelerator>, "it ran on"),
      hours("reported_gpu_hours", if_predicted<R, &R::measured>,
            "as published, or of the samples at the published rate"),
      hours("predicted_gpu_hours", if_predicted<R, &R::predicted>, "by the estimate"),
      hours("p10", if_predicted<R, &R::range, &Quantiles::p10>, "one chance in ten to be below"),
      hours("p90", if_predicted<R, &R::range, &Quantiles::p90>, "one chance in ten to be above"),
      share("error", if_predicted<R, &R::error>, "predicted / reported - 1", Rank::first),
      plain("weight", inherited<R, &R::weight>,
            "one over the rows of its source; 0: no row that constants are fitted to"),
      origin_columns<R>(),
      string("problem", member<problem_words<R>>, "why it is not fitted to, or not predicted")};
  return table;
}

}  // namespace

const Columns<SourceVotes>& vote_columns() {
  using V = SourceVotes;
  static const Columns<SourceVotes> table = {
      integer("rows", member<&V::rows>, "replayed"),
      integer("sources", member<&V::sources>, "votes"),
      plain("factor", member<&V::factor>,
            "exp of the median |ln(predicted / reported)|, one vote per source", Rank::first),
      plain("bias", member<&V::bias>, "exp of the median ln(predicted / reported), likewise"),
      share("coverage", member<&V::coverage>, "of the votes, inside P10 to P90")};
  return table;
}

const Columns<VisionValidation>& vision_validation_columns() {
  using V = VisionValidation;
  static const Columns<VisionValidation> table = {
      versions<V>(),
      list<vision_replay_columns>("rows", member<&V::rows>, "one per published run or rate"),
      plain("left_out.factor", member<&V::left_out_factor>,
            "of generative runs, constants fitted without the source"),
      plain("left_out.bias", member<&V::left_out_bias>, "likewise"),
      part<vote_columns, &V::vision>("vision"),
      part<vote_columns, &V::contrastive>("contrastive")};
  return table;
}

const Columns<ValidationResult>& validation_columns() {
  using R = ValidationResult;
  static const Columns<ValidationResult> table = {
      versions<R>(),
      list<validation_row_columns>("rows", member<&R::rows>, "one per measured row"),
      list<validation_summary_columns>("summaries", member<with_all<R>>, "errors by kind of row"),
      part<validation_summary_columns, &R::all>("all"),
      share("predicted_first.median_error", member<&R::first_median>,
            "of sources predicted before they were added: trcost validate --predicted-first"),
      integer("predicted_first.sources", member<&R::first_sources>, "one vote each"),
      string("predicted_first.date", member<&R::first_date>, "of the latest prediction")};
  return table;
}

namespace {

const Columns<FirstPrediction>& first_prediction_row_columns() {
  using R = FirstPrediction;
  static const Columns<FirstPrediction> table = {
      string("id", member<&R::id>, "of the measured row", Rank::key),
      string("kind", member<&R::kind>, "throughput, memory, vision, rounds or serving"),
      string("source", member<&R::source>, "one vote"),
      string("unit", member<&R::unit>, "of the figures"),
      plain("measured", member<&R::measured>, "as published", Rank::first),
      plain("predicted", member<&R::predicted>, "before the source was added", Rank::first),
      plain("p10", member<&R::p10>, "one chance in ten to be below"),
      plain("p90", member<&R::p90>, "one chance in ten to be above"),
      share("error", if_predicted<R, &R::error>, "predicted / measured - 1", Rank::first),
      string("quality", member<&R::quality>, "A as published, B one thing assumed, C several"),
      string("date", member<&R::date>, "of the prediction"),
      string("version", member<&R::version>, "of the program"),
      string("reference", member<&R::reference>, "where it was read"),
      string("problem", member<&R::problem>, "why there is no prediction")};
  return table;
}

const Columns<FirstSummary>& first_summary_columns() {
  using S = FirstSummary;
  static const Columns<FirstSummary> table = {
      string("kind", member<&S::kind>, "throughput, memory, vision, rounds or serving", Rank::key),
      string("source", member<&S::source>, "empty: all", Rank::key),
      integer("rows", member<&S::rows>, "predicted"),
      integer("sources", member<&S::sources>, "one vote each"),
      share("median_error", member<&S::median>, "of |error|", Rank::first),
      share("p90_error", member<&S::p90>, "nine of ten votes are nearer"),
      share("bias", member<&S::bias>, "median of error"),
      share("inside", member<&S::inside>, "share within P10 to P90"),
      string("date", member<&S::date>, "of the latest prediction")};
  return table;
}

}  // namespace

const Columns<FirstPredictions>& first_prediction_columns() {
  using F = FirstPredictions;
  static const Columns<FirstPredictions> table = {
      versions<F>(),
      list<first_prediction_row_columns>("rows", member<&F::rows>, "one per measurement"),
      list<first_summary_columns>("summaries", member<&F::summaries>,
                                  "errors by kind, then by kind and source")};
  return table;
}

const Columns<RunValidation>& run_validation_columns() {
  using V = RunValidation;
  static const Columns<RunValidation> table = {
      versions<V>(),
      list<replay_columns>("runs", member<&V::rows>, "one per published run"),
      integer("summary.replayed", member<&V::replayed>, "runs that have an estimate"),
      integer("summary.inside", member<&V::inside>, "of them within P10 to P90"),
      integer("summary.below", member<&V::below>, "that took less than P10"),
      integer("summary.above", member<&V::above>, "that took more than P90"),
      share("summary.coverage", member<&V::coverage>, "inside / replayed; 0.8 would be perfect"),
      plain("summary.median_ratio", member<&V::median_ratio>, "reported / predicted"),
      share("summary.median_error", member<&V::median_error>, "of |error|"),
      integer("summary.families", member<&V::families>, "of models, one vote each"),
      plain("summary.factor", member<&V::factor>,
            "exp of the median |ln(predicted / reported)| of the votes"),
      plain("summary.bias", member<&V::bias>,
            "exp of the median ln(predicted / reported) of the votes"),
      plain("summary.left_out_factor", member<&V::left_out_factor>,
            "the same, its family left out of the fit"),
      plain("summary.left_out_bias", member<&V::left_out_bias>, "likewise")};
  return table;
}

const Columns<ServingValidation>& serving_validation_columns() {
  using V = ServingValidation;
  static const Columns<ServingValidation> table = {
      versions<V>(), list<serving_replay_columns>("rows", member<&V::rows>, "one per measured row"),
      list<validation_summary_columns>("summaries", member<with_all<V>>, "errors by kind of row"),
      share("ordered_rightly", member<&V::ordered_rightly>,
            "of the pairs of chips that differ by over a tenth"),
      part<validation_summary_columns, &V::all>("all")};
  return table;
}

}  // namespace trcost::study
