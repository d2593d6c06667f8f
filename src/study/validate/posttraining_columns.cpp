// SPDX-License-Identifier: Apache-2.0
#include "catalog/runs/runs.h"
#include "estimate/columns/plan_columns.h"
#include "study/validate/validation_columns.h"

namespace trcost::study {
namespace {

using namespace column;

std::string_view unit_word(const PosttrainingReplay& row) {
  return word_of(kMeasuredUnits, row.run->unit);
}

const Columns<PosttrainingReplay>& round_row_columns() {
  using R = PosttrainingReplay;
  static const Columns<PosttrainingReplay> table = {
      figure_columns<R>(),
      string("method", member<&R::method>, "of training"),
      string("framework", member<&R::framework>, "ties the phases together"),
      string("model", inherited<R, &R::model>, "that learns"),
      string("accelerator", inherited<R, &R::accelerator>, "it ran on"),
      string("placement", member<&R::placement>, "where responses are written"),
      string("unit", member<unit_word>, "seconds of a round, or GPU-hours of a whole run"),
      plain("measured", inherited<R, &R::run, &ReplayableRun::measured>, "as published",
            Rank::first),
      plain("predicted", if_predicted<R, &R::predicted>, "by the estimate", Rank::first),
      plain("p10", if_predicted<R, &R::range, &Quantiles::p10>, "one chance in ten to be below"),
      plain("p90", if_predicted<R, &R::range, &Quantiles::p90>, "one chance in ten to be above"),
      share("error", if_predicted<R, &R::error>, "predicted / measured - 1", Rank::first),
      plain("left_out", member<&R::left_out>,
            "predicted with its model or source left out of the fit"),
      origin_columns<R>(),
      string("assumed", inherited<R, &R::run, &ReplayableRun::assumed>, "what it does not say"),
      string("problem", member<problem_words<R>>, "why it is not fitted to, or not predicted")};
  return table;
}

}  // namespace

const Columns<PosttrainingValidation>& posttraining_validation_columns() {
  using V = PosttrainingValidation;
  static const Columns<PosttrainingValidation> table = {
      versions<V>(),
      list<round_row_columns>("rows", member<&V::rows>, "one per published round or run"),
      list<validation_summary_columns>("summaries", member<with_all<V>>,
                                       "errors of rounds by kind"),
      part<validation_summary_columns, &V::all>("all"), part<vote_columns, &V::runs>("runs")};
  return table;
}

}  // namespace trcost::study
