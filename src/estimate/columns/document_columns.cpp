// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/document_columns.h"

#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/plan_columns.h"
#include "estimate/columns/step_columns.h"
#include "quantity/quantity.h"
#include "workload/method.h"

namespace trcost::estimation {
namespace {

using namespace column;
using E = Estimate;

const Columns<WaterfallTerm>& waterfall_columns() {
  using T = WaterfallTerm;
  static const Columns<WaterfallTerm> table = {
      string("term", member<&T::term>, "what takes from the peak", Rank::key),
      share("share", member<&T::share>, "that it leaves; all multiply to the MFU")};
  return table;
}

// A row of the bill with its name.
struct NamedItem {
  const LineItem* item = nullptr;
  std::string name;
};

std::string_view part_word(Part part) {
  return kPartWords[static_cast<std::size_t>(part)].key;
}

const Columns<NamedItem>& item_columns() {
  using I = NamedItem;
  using L = LineItem;
  static const Columns<NamedItem> table = {
      string("item", member<&I::name>, "what is paid for", Rank::key),
      string("part", member<&I::item, &L::part, part_word>,
             "which part of a bill that is, in one word"),
      string("stage", member<&I::item, &L::round>, "of a training in several"),
      plain("quantity", member<&I::item, &L::quantity>, "in the unit"),
      string("unit", member<&I::item, &L::unit, unit_name>, "of the quantity"),
      usd("unit_price", member<&I::item, &L::unit_price>, "of one unit"),
      usd("amount", member<&I::item, &L::amount>, "quantity x unit price", Rank::first),
      string("source", member<&I::item, &L::source>, "of the unit price"),
      string("date", member<&I::item, &L::date>, "of the unit price")};
  return table;
}

template <bool kIncluded>
std::vector<NamedItem> bill_items(const E& e) {
  std::vector<NamedItem> out;
  for (const LineItem& item : e.cost.items) {
    if (item.included == kIncluded) out.push_back({&item, item_name(item)});
  }
  return out;
}

// An end of the range, which is unknown if the total may be 0.
std::optional<double> known_end(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

const Columns<Contribution>& contribution_columns() {
  using C = Contribution;
  static const Columns<Contribution> table = {
      string("input", member<&C::input>, "what is not certain", Rank::key),
      share("share", member<&C::share>, "of the variance of the total"),
      plain("sigma", member<&C::sigma>, "in logarithms"),
      plain(
          "low", [](const C& c) { return known_end(c.low); },
          "total in USD if only this input is low, or GPU-hours if the price is not known"),
      plain(
          "high", [](const C& c) { return known_end(c.high); }, "the same if it is high"),
      string("source", member<&C::source>, "where the spread was read")};
  return table;
}

const Columns<Derivation>& derivation_columns() {
  using D = Derivation;
  static const Columns<Derivation> table = {
      string("name", member<&D::name>, "what comes out", Rank::key),
      string("formula", member<&D::formula>, "in symbols"),
      string("numbers", member<&D::numbers>, "with the numbers put in"),
      string("result", member<&D::result>, "with its unit"),
      string("source", member<&D::source>, "of the formula")};
  return table;
}

PlacedLayout stage_layout(const StageResult& stage) {
  return {&stage.layout, stage.gpus, stage.model.dealt_layers};
}

const Columns<StageResult>& stage_columns() {
  using R = StageResult;
  static const Columns<StageResult> table = {
      string("name", member<&R::name>, "of the stage", Rank::key),
      token_count("tokens", member<&R::tokens>, "that it processes"),
      plain("flops", member<&R::flops>, "model FLOP"),
      gpu_hours("gpu_hours", member<&R::gpu_hours>, "with failures and production overhead"),
      seconds("wall_clock_seconds", member<&R::wall_clock_seconds>, "from start to end"),
      share("mfu", member<&R::mfu>, "against the dense peak of the precision used"),
      parameters("params_total", member<&R::model, &ModelSummary::params_total>, "of its model"),
      parameters("params_trainable", member<&R::model, &ModelSummary::params_trainable>,
                 "that learn"),
      string("method", member<&R::method>, "which model answered and how good it is there"),
      seconds("commitment_seconds", member<&R::obligation, commitment_seconds>,
              "what a reserved price binds for"),
      usd("commitment_usd", member<&R::obligation, &Obligation::usd>,
          "what its cluster costs in that term, used or not"),
      accelerators("gpus", member<&R::gpus>, "cluster size"),
      seconds("step_seconds", member<&R::step_seconds>, "one step in steady state"),
      part<layout_columns, stage_layout>("layout"),
      part<memory_use_columns, &R::memory>("memory")};
  return table;
}

std::optional<PlacedLayout> phase_layout(const PhaseResult& phase) {
  if (phase.work == Work::generate || phase.work == Work::wait) return std::nullopt;
  return PlacedLayout{&phase.layout, phase.layout.gpus(), phase.layers};
}

const Columns<PhaseResult>& phase_columns() {
  using R = PhaseResult;
  static const Columns<PhaseResult> table = {
      string("name", member<&R::name>, "of the phase", Rank::key),
      string("stage", member<&R::stage>, "of a training in several"),
      string("kind", member<&R::work, work_name>, "train, forward, generate, wait"),
      string("method", member<&R::method>, "of its round, as --method has it"),
      accelerators("gpus", member<&R::gpus>, "that do it"),
      seconds("step_seconds", member<&R::step_seconds>, "of one round"),
      token_count("tokens", member<&R::tokens>, "of one round"),
      flop("model_flops", member<&R::model_flops>, "of one round"),
      flop("hardware_flops", member<&R::hardware_flops>, "of one round, with recomputation"),
      gpu_hours("gpu_hours", member<&R::gpu_hours>, "of the job; all phases add up to its own"),
      usd("cost", member<&R::cost>, "of the job's total"),
      integer("engine.tp", member<&R::engine, &ServingLayout::tp>,
              "tensor parallel degree of a replica that generates"),
      accelerators("engine.gpus", member<&R::engine, &ServingLayout::gpus>,
                   "of a replica that generates"),
      part<layout_columns, phase_layout>("layout")};
  return table;
}

constexpr EstimateColumn kLists[] = {
    list<waterfall_columns>("waterfall", member<&E::waterfall>, "from dense peak to realised MFU"),
    list<item_columns>("cost.items", member<bill_items<true>>, "of the total"),
    list<item_columns>("cost.not_included", member<bill_items<false>>, "shown, not in the total"),
    list<contribution_columns>("range.contributions",
                               member<&E::range, &RangeResult::contributions>,
                               "what makes the range"),
    list<assumption_columns>("assumptions", member<&E::assumptions>,
                             "defaults of fields that were not set"),
    list<stage_columns>("stages", member<&E::stages>, "of a training in several"),
    list<phase_columns>("phases", member<&E::phases>,
                        "of a round: training, scoring, generation and waiting"),
    // Sentences, which rows of a sweep do without.
    string("pipeline.verdict", member<&E::pipeline, &PipelineResult::verdict>,
           "what the data pipeline has to be like"),
    string("runner_up", member<&E::runner_up>, "the second-best layout and by how much"),
    list<text_columns>("warnings", member<&E::warnings>, "what to know"),
    list<derivation_columns>("derivations", member<&E::derivations>,
                             "step by step, with --explain"),
    list<step_columns>(
        "step", [](const E& e) { return std::span(e.step.get(), e.step ? 1 : 0); },
        "what one step is added up from, with --explain; none of a job of several phases"),
};

}  // namespace

const Columns<Estimate>& estimate_columns() {
  static const Columns<Estimate> table = [] {
    Columns<Estimate> t;
    for (const EstimateColumn& column : columns()) {
      // After the performance that it explains.
      if (column.role == ColumnRole::gpu_hours) t.add({kLists[0]});
      t.add({column});
    }
    t.add(std::span(kLists).subspan(1));
    t.make_optional("pipeline");
    t.make_optional("rollout");
    t.gather();
    return t;
  }();
  return table;
}

const Columns<TokenAlternative>& alternative_columns() {
  using A = TokenAlternative;
  using T = TokenExample;
  static const Columns<TokenAlternative> table = {
      token_count("tokens", member<&A::tokens>, "that a published model saw", Rank::key),
      string("accelerator", member<&A::accelerator>, "catalog name"),
      accelerators("gpus", member<&A::gpus>, "cluster size"),
      gpu_hours("gpu_hours", member<&A::gpu_hours>, "with failures and production overhead"),
      seconds("wall_clock_seconds", member<&A::wall_clock_seconds>, "from start to end"),
      usd("total_usd", member<&A::total_usd>, "the bill"),
      string("as.model", member<&A::example, &T::name>, "the published model"),
      parameters("as.params", member<&A::example, &T::params>, "of that model"),
      token_count("as.tokens", member<&A::example, &T::tokens>, "that it saw"),
      string("as.source", member<&A::example, &T::source>, "where that was read")};
  return table;
}

}  // namespace trcost::estimation
