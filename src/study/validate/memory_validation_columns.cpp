// SPDX-License-Identifier: Apache-2.0
#include "catalog/layout/layout.h"
#include "estimate/columns/plan_columns.h"
#include "study/validate/validation_columns.h"

namespace trcost::study {
namespace {

using namespace column;

std::string_view counter_word(MemoryCounter counter) {
  return word_of(kMemoryCounters, counter);
}

const MemoryUse* predicted_use(const MemoryReplay& row) {
  return row.problem.empty() ? &row.use : nullptr;
}

const Columns<MemoryReplay>& memory_row_columns() {
  using R = MemoryReplay;
  static const Columns<MemoryReplay> table = {
      figure_columns<R>(),
      string("accelerator", inherited<R, &R::accelerator>, "it ran on"),
      string("stack", member<&R::stack>, "software"),
      string("recipe", member<&R::recipe>, "what learns"),
      string("counter", member<&R::figure, &MemoryFigure::counter, counter_word>,
             "who counted: allocated and reserved by the framework, board by the driver"),
      bytes("measured_bytes", inherited<R, &R::run, &ReplayableRun::measured>, "as published",
            Rank::first),
      bytes("predicted_bytes", if_predicted<R, &R::predicted>, "as its counter would show it",
            Rank::first),
      share("error", if_predicted<R, &R::error>, "predicted / measured - 1", Rank::first),
      plain("weight", inherited<R, &R::weight>,
            "one over the rows of its source; 0: no row to judge by"),
      optional_part<memory_use_columns, predicted_use>("memory"),
      origin_columns<R>(),
      string("assumed", inherited<R, &R::run, &ReplayableRun::assumed>, "what it does not say"),
      string("problem", member<problem_words<R>>, "why it does not judge, or is not predicted")};
  return table;
}

// Votes on memory, which has no range to compare them with.
const Columns<SourceVotes>& peak_vote_columns() {
  using V = SourceVotes;
  static const Columns<SourceVotes> table = {
      integer("rows", member<&V::rows>, "replayed"),
      integer("sources", member<&V::sources>, "votes"),
      plain("factor", member<&V::factor>,
            "exp of the median |ln(predicted / measured)|, one vote per source", Rank::first),
      plain("p90_factor", member<&V::p90_factor>, "likewise, of nine sources in ten"),
      plain("bias", member<&V::bias>, "exp of the median ln(predicted / measured), likewise")};
  return table;
}

}  // namespace

const Columns<MemoryValidation>& memory_validation_columns() {
  using V = MemoryValidation;
  static const Columns<MemoryValidation> table = {
      versions<V>(), list<memory_row_columns>("rows", member<&V::rows>, "one per published peak"),
      list<validation_summary_columns>("summaries", member<with_all<V>>,
                                       "errors by kind of row, sources with equal weight"),
      part<validation_summary_columns, &V::all>("all"),
      part<peak_vote_columns, &V::votes>("votes")};
  return table;
}

}  // namespace trcost::study
