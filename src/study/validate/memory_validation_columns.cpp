// SPDX-License-Identifier: Apache-2.0
#include "catalog/layout/layout.h"
#include "estimate/columns/plan_columns.h"
#include "study/validate/validation_columns.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;
using MemoryReplayRef = const MemoryReplay&;
using MemoryAnswer = const MemoryValidation&;

constexpr auto bytes(std::string_view path, auto get, std::string_view help) {
  return number(path, "bytes", NumberKind::bytes, get, help, Rank::first);
}

const MemoryUse* use_of(MemoryReplayRef row) {
  return row.problem.empty() ? &row.use : nullptr;
}

const Columns<MemoryReplay>& memory_row_columns() {
  static const Columns<MemoryReplay> table = [] {
    Columns<MemoryReplay> t;
    t.add(figure_columns<MemoryReplay>());
    t.add(
        {text(
             "accelerator", [](MemoryReplayRef r) -> auto& { return r.accelerator; }, "it ran on"),
         text(
             "stack", [](MemoryReplayRef r) -> auto& { return r.stack; }, "software"),
         text(
             "recipe", [](MemoryReplayRef r) -> auto& { return r.recipe; }, "what learns"),
         text(
             "counter",
             [](MemoryReplayRef r) { return word_of(kMemoryCounters, r.figure->counter); },
             "who counted: allocated and reserved by the framework, board by the driver"),
         bytes(
             "measured_bytes", [](MemoryReplayRef r) { return r.run->measured; }, "as published"),
         bytes(
             "predicted_bytes", [](MemoryReplayRef r) { return where_known(r, r.predicted); },
             "as its counter would show it"),
         number(
             "error", "", NumberKind::fraction,
             [](MemoryReplayRef r) { return where_known(r, r.error); }, "predicted / measured - 1",
             Rank::first),
         number(
             "weight", "", NumberKind::number, [](MemoryReplayRef r) { return r.weight; },
             "one over the rows of its source; 0: no row to judge by")});
    t.lift<use_of, memory_use_columns>("memory", true);
    t.add(origin_columns<MemoryReplay>());
    t.add({text(
               "assumed", [](MemoryReplayRef r) -> auto& { return r.run->assumed; },
               "what it does not say"),
           text(
               "problem", [](MemoryReplayRef r) -> auto& {
                 return r.problem.empty() ? r.run->why_not : r.problem;
               },
               "why it does not judge, or is not predicted")});
    return t;
  }();
  return table;
}

// No range is given for memory, so none is held against its votes.
const Columns<SourceVotes>& peak_vote_columns() {
  using Votes = const SourceVotes&;
  static const Columns<SourceVotes> table = {
      number(
          "rows", "", NumberKind::integer, [](Votes v) { return v.rows; }, "replayed"),
      number(
          "sources", "", NumberKind::integer, [](Votes v) { return v.sources; }, "votes"),
      number(
          "factor", "", NumberKind::number, [](Votes v) { return v.factor; },
          "exp of the median |ln(predicted / measured)|, one vote per source", Rank::first),
      number(
          "p90_factor", "", NumberKind::number, [](Votes v) { return v.p90_factor; },
          "likewise, of nine sources in ten"),
      number(
          "bias", "", NumberKind::number, [](Votes v) { return v.bias; },
          "exp of the median ln(predicted / measured), likewise")};
  return table;
}

}  // namespace

const Columns<MemoryValidation>& memory_validation_columns() {
  static const Columns<MemoryValidation> table = [] {
    Columns<MemoryValidation> t;
    t.add(versions<MemoryValidation>());
    t.add({list<memory_row_columns>(
               "rows", [](MemoryAnswer v) -> auto& { return v.rows; }, "one per published peak"),
           list<validation_summary_columns>(
               "summaries", [](MemoryAnswer v) { return with_all(v); },
               "errors by kind of row, each source weighing one")});
    t.lift<[](MemoryAnswer v) { return &v.all; }, validation_summary_columns>("all");
    t.lift<[](MemoryAnswer v) { return &v.votes; }, peak_vote_columns>("votes");
    return t;
  }();
  return table;
}

}  // namespace trcost::study
