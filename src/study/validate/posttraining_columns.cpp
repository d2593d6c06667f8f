// SPDX-License-Identifier: Apache-2.0
#include "catalog/runs/runs.h"
#include "estimate/columns/plan_columns.h"
#include "study/validate/validation_columns.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;
using RoundReplayRef = const PosttrainingReplay&;

Column<PosttrainingReplay> figure(std::string_view path, auto get, std::string_view help,
                                  Rank rank = Rank::rest) {
  return number(path, "", NumberKind::number, get, help, rank);
}

const Columns<PosttrainingReplay>& round_row_columns() {
  static const Columns<PosttrainingReplay> table = [] {
    Columns<PosttrainingReplay> t;
    t.add(figure_columns<PosttrainingReplay>());
    t.add({text(
               "method", [](RoundReplayRef r) -> auto& { return r.method; }, "of training"),
           text(
               "framework", [](RoundReplayRef r) -> auto& { return r.framework; },
               "ties the phases together"),
           text(
               "model", [](RoundReplayRef r) -> auto& { return r.model; }, "that learns"),
           text(
               "accelerator", [](RoundReplayRef r) -> auto& { return r.accelerator; }, "it ran on"),
           text(
               "placement", [](RoundReplayRef r) -> auto& { return r.placement; },
               "where responses are written"),
           text(
               "unit", [](RoundReplayRef r) { return word_of(kMeasuredUnits, r.run->unit); },
               "seconds of a round, or GPU-hours of a whole run"),
           figure(
               "measured", [](RoundReplayRef r) { return r.run->measured; }, "as published",
               Rank::first),
           figure(
               "predicted", [](RoundReplayRef r) { return where_known(r, r.predicted); },
               "by the estimate", Rank::first),
           figure(
               "p10", [](RoundReplayRef r) { return where_known(r, r.range.p10); },
               "one chance in ten to be below"),
           figure(
               "p90", [](RoundReplayRef r) { return where_known(r, r.range.p90); },
               "one chance in ten to be above"),
           number(
               "error", "", NumberKind::fraction,
               [](RoundReplayRef r) { return where_known(r, r.error); }, "predicted / measured - 1",
               Rank::first),
           figure(
               "left_out", [](RoundReplayRef r) { return r.left_out; },
               "predicted with its model or source left out of the fit")});
    t.add(origin_columns<PosttrainingReplay>());
    t.add({text(
               "assumed", [](RoundReplayRef r) -> auto& { return r.run->assumed; },
               "what it does not say"),
           text(
               "problem", [](RoundReplayRef r) -> auto& {
                 return r.problem.empty() ? r.run->why_not : r.problem;
               },
               "why it is not fitted to, or not predicted")});
    return t;
  }();
  return table;
}

}  // namespace

const Columns<PosttrainingValidation>& posttraining_validation_columns() {
  using V = const PosttrainingValidation&;
  static const Columns<PosttrainingValidation> table = [] {
    Columns<PosttrainingValidation> t;
    t.add(versions<PosttrainingValidation>());
    t.add({list<round_row_columns>(
               "rows", [](V v) -> auto& { return v.rows; }, "one per published round or run"),
           list<validation_summary_columns>(
               "summaries", [](V v) { return with_all(v); }, "errors of rounds by kind")});
    t.lift<[](V v) { return &v.all; }, validation_summary_columns>("all");
    t.lift<[](V v) { return &v.runs; }, vote_columns>("runs");
    return t;
  }();
  return table;
}

}  // namespace trcost::study
