// SPDX-License-Identifier: Apache-2.0
#include "study/validate/validation_columns.h"

#include "catalog/runs/runs.h"
#include "estimate/columns/plan_columns.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;
using ValidationRowRef = const ValidationRow&;
using Summary = const ValidationSummary&;
using Run = const RunReplay&;

template <auto Member>
constexpr auto fact =
    [](ValidationRowRef row) -> std::string_view { return row.measured->*Member; };

const Columns<ValidationRow>& validation_row_columns() {
  static const Columns<ValidationRow> table = [] {
    Columns<ValidationRow> t = {
        text("id", fact<&ThroughputRow::id>, "of the measured row", Rank::key),
        text("model", fact<&ThroughputRow::model>, "what was trained"),
        text(
            "task", [](ValidationRowRef r) { return word_of(kTasks, r.measured->task); },
            "kind of training"),
        text("accelerator", fact<&ThroughputRow::accelerator>, "catalog name"),
        integer(
            "gpus", [](ValidationRowRef r) { return r.measured->gpus; }, "cluster size"),
        text(
            "precision", [](ValidationRowRef r) { return precision_name(r.measured->precision); },
            "format of the matmuls"),
        text(
            "stack", [](ValidationRowRef r) { return stack_of(*r.measured); }, "software")};
    t.lift<[](ValidationRowRef r) {
      return r.problem.empty()
                 ? std::optional<PlacedLayout>({&r.layout, r.measured->gpus, r.layers})
                 : std::nullopt;
    },
           layout_columns>("layout", true);
    t.add({boolean(
               "planned", [](ValidationRowRef r) { return r.planned; },
               "the planner chose something"),
           number(
               "predicted_tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
               [](ValidationRowRef r) { return where_known(r, r.predicted); }, "by the model",
               Rank::first, "predicted"),
           number(
               "measured_tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
               [](ValidationRowRef r) { return r.measured->tokens_per_second_per_gpu; },
               "as published", Rank::first, "measured"),
           share(
               "error", [](ValidationRowRef r) { return where_known(r, r.error); },
               "predicted / measured - 1", Rank::first),
           number(
               "weight", "", NumberKind::number,
               [](ValidationRowRef r) { return r.measured->weight; },
               "one over the rows of its experiment"),
           text("source", fact<&ThroughputRow::source>, "where it was published"),
           text(
               "problem", [](ValidationRowRef r) -> auto& { return r.problem; },
               "why there is no prediction")});
    return t;
  }();
  return table;
}

const Columns<LeftOut>& left_out_columns() {
  using Left = const LeftOut&;
  static const Columns<LeftOut> table = {
      integer(
          "rows", [](Left l) { return l.rows; },
          "predicted by constants that never saw their source"),
      share(
          "median_error", [](Left l) { return l.median; }, "of |error|"),
      share(
          "p90_error", [](Left l) { return l.p90; }, "nine of ten rows are nearer"),
      share(
          "bias", [](Left l) { return l.bias; }, "median of error"),
      share(
          "inside", [](Left l) { return l.inside; }, "of the rows within P10 to P90"),
      plain(
          "width", [](Left l) { return l.width; }, "median P90 / P10"),
      plain(
          "score", [](Left l) { return l.score; }, "mean interval score of the logarithm at 80 %")};
  return table;
}

}  // namespace

const Columns<ValidationSummary>& validation_summary_columns() {
  static const Columns<ValidationSummary> table = [] {
    Columns<ValidationSummary> t = {
        text(
            "dimension", [](Summary s) -> auto& { return s.dimension; }, "what rows are told by",
            Rank::key),
        text(
            "value", [](Summary s) -> auto& { return s.value; }, "which rows", Rank::key),
        integer(
            "rows", [](Summary s) { return s.rows; }, "measured"),
        integer(
            "apart", [](Summary s) { return s.apart; },
            "of them kept apart by the fit, and no part of the errors unless all are"),
        integer(
            "groups", [](Summary s) { return s.groups; }, "experiments of those that count"),
        share(
            "median_error", [](Summary s) { return s.median; }, "of |error|", Rank::first),
        share(
            "p90_error", [](Summary s) { return s.p90; }, "nine of ten rows are nearer"),
        share(
            "bias", [](Summary s) { return s.bias; }, "median of error")};
    t.lift<[](Summary s) { return s.left_out ? &*s.left_out : nullptr; }, left_out_columns>(
        "left_out", true);
    return t;
  }();
  return table;
}

namespace {

const Columns<ServingReplay>& serving_replay_columns() {
  using Replay = const ServingReplay&;
  static const Columns<ServingReplay> table = {
      text(
          "id", [](Replay r) -> auto& { return r.id; }, "of the measured row", Rank::key),
      text(
          "model", [](Replay r) -> auto& { return r.model; }, "what was served"),
      text(
          "accelerator", [](Replay r) -> auto& { return r.accelerator; }, "catalog name"),
      text(
          "engine", [](Replay r) -> auto& { return r.engine; }, "software"),
      text(
          "precision", [](Replay r) { return r.precision; }, "format of the weights"),
      integer(
          "gpus", [](Replay r) { return r.layout.gpus; }, "of a replica"),
      integer(
          "layout.tp", [](Replay r) { return r.layout.tp; }, "tensor-parallel degree"),
      integer(
          "layout.ep", [](Replay r) { return r.layout.ep; }, "expert-parallel degree"),
      integer(
          "layout.dp", [](Replay r) { return r.layout.dp; }, "copies of attention"),
      integer(
          "input_tokens", [](Replay r) { return r.input_tokens; }, "of a request"),
      integer(
          "output_tokens", [](Replay r) { return r.output_tokens; }, "of its answer"),
      integer(
          "concurrency", [](Replay r) { return r.concurrency; },
          "in flight; unknown where all requests are queued"),
      number(
          "predicted_output_tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
          [](Replay r) { return r.predicted; }, "by the model", Rank::first, "predicted"),
      number(
          "measured_output_tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
          [](Replay r) { return r.measured; }, "as published", Rank::first, "measured"),
      share(
          "error", [](Replay r) { return r.error; }, "predicted / measured - 1", Rank::first),
      number(
          "weight", "", NumberKind::number, [](Replay r) { return r.weight; },
          "one over the rows of its configuration"),
      text(
          "source", [](Replay r) -> auto& { return r.source; }, "where it was published")};
  return table;
}

const Columns<RunReplay>& replay_columns() {
  const auto hours = [](std::string_view path, auto get, std::string_view help) {
    return number(path, "GPU-hours", NumberKind::count, get, help);
  };
  static const Columns<RunReplay> table = {
      text(
          "run", [](Run r) -> auto& { return r.run->name; }, "published", Rank::key),
      text(
          "accelerator",
          [](Run r) -> auto& { return r.accelerator.empty() ? r.run->accelerator : r.accelerator; },
          "it ran on"),
      hours(
          "reported_gpu_hours",
          [](Run r) { return r.reported > 0 ? std::optional(r.reported) : std::nullopt; },
          "as published"),
      hours(
          "predicted_gpu_hours", [](Run r) { return where_known(r, r.predicted); },
          "by the estimate"),
      hours(
          "p10", [](Run r) { return where_known(r, r.range.p10); },
          "one chance in ten to be below"),
      hours(
          "p90", [](Run r) { return where_known(r, r.range.p90); },
          "one chance in ten to be above"),
      share(
          "error", [](Run r) { return where_known(r, r.error); }, "predicted / reported - 1"),
      text(
          "inside",
          [](Run r) -> std::string_view {
            if (!r.problem.empty()) return {};
            return r.inside ? "yes" : r.reported > r.range.p90 ? "above" : "below";
          },
          "where the reported hours lie"),
      text(
          "note",
          [](Run r) -> auto& { return r.problem.empty() ? r.run->what_is_included : r.problem; },
          "what the published figure includes, or why there is no prediction")};
  return table;
}

const Columns<VisionReplay>& vision_replay_columns() {
  using Replay = const VisionReplay&;
  const auto hours = [](std::string_view path, auto get, std::string_view help) {
    return number(path, "GPU-hours", NumberKind::number, get, help);
  };
  static const Columns<VisionReplay> table = [&] {
    Columns<VisionReplay> t;
    t.add(figure_columns<VisionReplay>());
    t.add({text(
               "accelerator", [](Replay r) -> auto& { return r.accelerator; }, "it ran on"),
           hours(
               "reported_gpu_hours", [](Replay r) { return where_known(r, r.measured); },
               "as published, or of the samples at the published rate"),
           hours(
               "predicted_gpu_hours", [](Replay r) { return where_known(r, r.predicted); },
               "by the estimate"),
           hours(
               "p10", [](Replay r) { return where_known(r, r.range.p10); },
               "one chance in ten to be below"),
           hours(
               "p90", [](Replay r) { return where_known(r, r.range.p90); },
               "one chance in ten to be above"),
           share(
               "error", [](Replay r) { return where_known(r, r.error); },
               "predicted / reported - 1", Rank::first),
           number(
               "weight", "", NumberKind::number, [](Replay r) { return r.weight; },
               "one over the rows of its source; 0: no row that constants are fitted to")});
    t.add(origin_columns<VisionReplay>());
    t.add({text(
        "problem", [](Replay r) -> auto& { return r.problem.empty() ? r.run->why_not : r.problem; },
        "why it is not fitted to, or not predicted")});
    return t;
  }();
  return table;
}

}  // namespace

const Columns<SourceVotes>& vote_columns() {
  using Votes = const SourceVotes&;
  static const Columns<SourceVotes> table = {
      integer(
          "rows", [](Votes v) { return v.rows; }, "replayed"),
      integer(
          "sources", [](Votes v) { return v.sources; }, "votes"),
      number(
          "factor", "", NumberKind::number, [](Votes v) { return v.factor; },
          "exp of the median |ln(predicted / reported)|, one vote per source", Rank::first),
      number(
          "bias", "", NumberKind::number, [](Votes v) { return v.bias; },
          "exp of the median ln(predicted / reported), likewise"),
      share(
          "coverage", [](Votes v) { return v.coverage; }, "of the votes, inside P10 to P90")};
  return table;
}

const Columns<VisionValidation>& vision_validation_columns() {
  using V = const VisionValidation&;
  static const Columns<VisionValidation> table = [] {
    Columns<VisionValidation> t;
    t.add(versions<VisionValidation>());
    t.add({list<vision_replay_columns>(
               "rows", [](V v) -> auto& { return v.rows; }, "one per published run or rate"),
           number(
               "left_out.factor", "", NumberKind::number, [](V v) { return v.left_out_factor; },
               "of generative runs, constants fitted without the source"),
           number(
               "left_out.bias", "", NumberKind::number, [](V v) { return v.left_out_bias; },
               "likewise")});
    t.lift<[](V v) { return &v.vision; }, vote_columns>("vision");
    t.lift<[](V v) { return &v.contrastive; }, vote_columns>("contrastive");
    return t;
  }();
  return table;
}

const Columns<ValidationResult>& validation_columns() {
  static const Columns<ValidationResult> table = [] {
    Columns<ValidationResult> t;
    t.add(versions<ValidationResult>());
    t.add({list<validation_row_columns>(
               "rows", [](const ValidationResult& r) -> auto& { return r.rows; },
               "one per measured row"),
           list<validation_summary_columns>(
               "summaries", [](const ValidationResult& r) { return with_all(r); },
               "errors by kind of row")});
    t.lift<[](const ValidationResult& r) { return &r.all; }, validation_summary_columns>("all");
    return t;
  }();
  return table;
}

const Columns<RunValidation>& run_validation_columns() {
  using V = const RunValidation&;
  static const Columns<RunValidation> table = [] {
    Columns<RunValidation> t;
    t.add(versions<RunValidation>());
    t.add({list<replay_columns>(
               "runs", [](V v) -> auto& { return v.rows; }, "one per published run"),
           integer(
               "summary.replayed", [](V v) { return v.replayed; }, "runs that have an estimate"),
           integer(
               "summary.inside", [](V v) { return v.inside; }, "of them within P10 to P90"),
           integer(
               "summary.below", [](V v) { return v.below; }, "that took less than P10"),
           integer(
               "summary.above", [](V v) { return v.above; }, "that took more than P90"),
           share(
               "summary.coverage", [](V v) { return v.coverage; },
               "inside / replayed; 0.8 would be perfect"),
           number(
               "summary.median_ratio", "", NumberKind::number, [](V v) { return v.median_ratio; },
               "reported / predicted"),
           share(
               "summary.median_error", [](V v) { return v.median_error; }, "of |error|"),
           integer(
               "summary.families", [](V v) { return v.families; }, "of models, one vote each"),
           number(
               "summary.factor", "", NumberKind::number, [](V v) { return v.factor; },
               "exp of the median |ln(predicted / reported)| of the votes"),
           number(
               "summary.bias", "", NumberKind::number, [](V v) { return v.bias; },
               "exp of the median ln(predicted / reported) of the votes"),
           number(
               "summary.left_out_factor", "", NumberKind::number,
               [](V v) { return v.left_out_factor; }, "the same, its family left out of the fit"),
           number(
               "summary.left_out_bias", "", NumberKind::number, [](V v) { return v.left_out_bias; },
               "likewise")});
    return t;
  }();
  return table;
}

const Columns<ServingValidation>& serving_validation_columns() {
  using V = const ServingValidation&;
  static const Columns<ServingValidation> table = [] {
    Columns<ServingValidation> t;
    t.add(versions<ServingValidation>());
    t.add({list<serving_replay_columns>(
               "rows", [](V v) -> auto& { return v.rows; }, "one per measured row"),
           list<validation_summary_columns>(
               "summaries", [](V v) { return with_all(v); }, "errors by kind of row"),
           share(
               "ordered_rightly", [](V v) { return v.ordered_rightly; },
               "of the pairs of chips that differ by over a tenth")});
    t.lift<[](V v) { return &v.all; }, validation_summary_columns>("all");
    return t;
  }();
  return table;
}

}  // namespace trcost::study
