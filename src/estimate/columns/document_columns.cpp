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
using column::json;
using column::text;
using E = const Estimate&;

const Columns<WaterfallTerm>& waterfall_columns() {
  static const Columns<WaterfallTerm> table = {
      text(
          "term", [](const WaterfallTerm& t) { return t.term; }, "what takes from the peak",
          Rank::key),
      number(
          "share", "", NumberKind::fraction, [](const WaterfallTerm& t) { return t.share; },
          "that it leaves; all multiply to the MFU")};
  return table;
}

// A row of the bill with its name.
struct NamedItem {
  const LineItem* item = nullptr;
  std::string name;
};

const Columns<NamedItem>& item_columns() {
  using I = const NamedItem&;
  static const Columns<NamedItem> table = {
      text(
          "item", [](I i) -> auto& { return i.name; }, "what is paid for", Rank::key),
      text(
          "part", [](I i) { return kPartWords[static_cast<std::size_t>(i.item->part)].key; },
          "which part of a bill that is, in one word"),
      text(
          "stage", [](I i) -> auto& { return i.item->round; }, "of a training in several"),
      plain(
          "quantity", [](I i) { return i.item->quantity; }, "in the unit"),
      text(
          "unit", [](I i) { return unit_name(i.item->unit); }, "of the quantity"),
      number(
          "unit_price", "USD", NumberKind::money, [](I i) { return i.item->unit_price; },
          "of one unit"),
      number(
          "amount", "USD", NumberKind::money, [](I i) { return i.item->amount; },
          "quantity x unit price", Rank::first),
      text(
          "source", [](I i) -> auto& { return i.item->source; }, "of the unit price"),
      text(
          "date", [](I i) -> auto& { return i.item->date; }, "of the unit price")};
  return table;
}

std::vector<NamedItem> items_of(E e, bool included) {
  std::vector<NamedItem> out;
  for (const LineItem& item : e.cost.items) {
    if (item.included == included) out.push_back({&item, item_name(item)});
  }
  return out;
}

const Columns<Contribution>& contribution_columns() {
  using C = const Contribution&;
  static const Columns<Contribution> table = {
      text(
          "input", [](C c) -> auto& { return c.input; }, "what is not certain", Rank::key),
      number(
          "share", "", NumberKind::fraction, [](C c) { return c.share; },
          "of the variance of the total"),
      plain(
          "sigma", [](C c) { return c.sigma; }, "in logarithms"),
      text(
          "source", [](C c) -> auto& { return c.source; }, "where the spread was read")};
  return table;
}

const Columns<Derivation>& derivation_columns() {
  using D = const Derivation&;
  static const Columns<Derivation> table = {
      text(
          "name", [](D d) -> auto& { return d.name; }, "what comes out", Rank::key),
      text(
          "formula", [](D d) -> auto& { return d.formula; }, "in symbols"),
      text(
          "numbers", [](D d) -> auto& { return d.numbers; }, "with the numbers put in"),
      text(
          "result", [](D d) -> auto& { return d.result; }, "with its unit"),
      text(
          "source", [](D d) -> auto& { return d.source; }, "of the formula")};
  return table;
}

const Columns<StageResult>& stage_columns() {
  using S = const StageResult&;
  static const Columns<StageResult> table = [] {
    Columns<StageResult> t = {
        text(
            "name", [](S s) -> auto& { return s.name; }, "of the stage", Rank::key),
        number(
            "tokens", "tokens", NumberKind::count, [](S s) { return s.tokens; },
            "that it processes"),
        plain(
            "flops", [](S s) { return s.flops; }, "model FLOP"),
        number(
            "gpu_hours", "GPU-hours", NumberKind::count, [](S s) { return s.gpu_hours; },
            "with failures and production overhead"),
        number(
            "wall_clock_seconds", "s", NumberKind::duration,
            [](S s) { return s.wall_clock_seconds; }, "from start to end"),
        number(
            "mfu", "", NumberKind::fraction, [](S s) { return s.mfu; },
            "against the dense peak of the precision used"),
        number(
            "params_total", "parameters", NumberKind::count,
            [](S s) { return s.model.params_total; }, "of its model"),
        number(
            "params_trainable", "parameters", NumberKind::count,
            [](S s) { return s.model.params_trainable; }, "that learn"),
        text(
            "method", [](S s) -> auto& { return s.method; },
            "which model answered and how good it is there"),
        number(
            "commitment_seconds", "s", NumberKind::duration,
            [](S s) -> std::optional<double> {
              if (!s.obligation) return std::nullopt;
              return s.obligation->hours * kSecondsPerHour;
            },
            "what a reserved price binds for"),
        number(
            "commitment_usd", "USD", NumberKind::money,
            [](S s) -> std::optional<double> {
              if (!s.obligation) return std::nullopt;
              return s.obligation->usd;
            },
            "what its cluster costs in that term, used or not"),
        number(
            "gpus", "accelerators", NumberKind::integer, [](S s) { return s.gpus; },
            "cluster size"),
        number(
            "step_seconds", "s", NumberKind::duration, [](S s) { return s.step_seconds; },
            "one step in steady state")};
    t.lift<[](S s) {
      return std::optional<PlacedLayout>({&s.layout, s.gpus, s.model.dealt_layers});
    },
           layout_columns>("layout");
    t.lift<[](S s) { return &s.memory; }, memory_use_columns>("memory");
    return t;
  }();
  return table;
}

const Columns<PhaseResult>& phase_columns() {
  using P = const PhaseResult&;
  static const Columns<PhaseResult> table = [] {
    Columns<PhaseResult> t = {
        text(
            "name", [](P p) { return p.name; }, "of the phase", Rank::key),
        text(
            "stage", [](P p) -> auto& { return p.stage; }, "of a training in several"),
        text(
            "kind", [](P p) { return work_name(p.work); }, "train, forward, generate, wait"),
        text(
            "method", [](P p) { return p.method; }, "of its round, as --method has it"),
        number(
            "gpus", "accelerators", NumberKind::integer, [](P p) { return p.gpus; }, "that do it"),
        number(
            "step_seconds", "s", NumberKind::duration, [](P p) { return p.step_seconds; },
            "of one round"),
        number(
            "tokens", "tokens", NumberKind::count, [](P p) { return p.tokens; }, "of one round"),
        number(
            "model_flops", "FLOP", NumberKind::number, [](P p) { return p.model_flops; },
            "of one round"),
        number(
            "hardware_flops", "FLOP", NumberKind::number, [](P p) { return p.hardware_flops; },
            "of one round, with recomputation"),
        number(
            "gpu_hours", "GPU-hours", NumberKind::count, [](P p) { return p.gpu_hours; },
            "of the job; all phases add up to its own"),
        number(
            "cost", "USD", NumberKind::money, [](P p) { return p.cost; }, "of the job's total"),
        number(
            "engine.tp", "", NumberKind::integer,
            [](P p) -> std::optional<double> {
              if (!p.engine) return std::nullopt;
              return p.engine->tp;
            },
            "tensor parallel degree of a replica that generates"),
        number(
            "engine.gpus", "accelerators", NumberKind::integer,
            [](P p) -> std::optional<double> {
              if (!p.engine) return std::nullopt;
              return p.engine->gpus;
            },
            "of a replica that generates")};
    t.lift<[](P p) -> std::optional<PlacedLayout> {
      if (p.work == Work::generate || p.work == Work::wait) return std::nullopt;
      return PlacedLayout{&p.layout, p.layout.gpus(), p.layers};
    },
           layout_columns>("layout");
    return t;
  }();
  return table;
}

const Column<Estimate> kLists[] = {
    list<waterfall_columns>(
        "waterfall", [](E e) -> auto& { return e.waterfall; }, "from dense peak to realised MFU"),
    list<item_columns>(
        "cost.items", [](E e) { return items_of(e, true); }, "of the total"),
    list<item_columns>(
        "cost.not_included", [](E e) { return items_of(e, false); }, "shown, not in the total"),
    list<contribution_columns>(
        "range.contributions", [](E e) -> auto& { return e.range.contributions; },
        "what makes the range"),
    list<assumption_columns>(
        "assumptions", [](E e) -> auto& { return e.assumptions; }, "what the question left open"),
    list<stage_columns>(
        "stages", [](E e) -> auto& { return e.stages; }, "of a training in several"),
    list<phase_columns>(
        "phases", [](E e) -> auto& { return e.phases; },
        "of a round: what learns, scores, generates and waits"),
    // Sentences, which rows of a sweep do without.
    text(
        "pipeline.verdict",
        [](E e) -> std::string_view {
          return e.pipeline ? std::string_view(e.pipeline->verdict) : std::string_view();
        },
        "what the data pipeline has to be like"),
    text(
        "runner_up", [](E e) -> auto& { return e.runner_up; },
        "the second-best layout and by how much"),
    list<text_columns>(
        "warnings", [](E e) -> auto& { return e.warnings; }, "what to know"),
    list<derivation_columns>(
        "derivations", [](E e) -> auto& { return e.derivations; }, "step by step, with --explain"),
    list<step_columns>(
        "step", [](E e) { return std::span(e.step.get(), e.step ? 1 : 0); },
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
  using A = const TokenAlternative&;
  static const Columns<TokenAlternative> table = {
      number(
          "tokens", "tokens", NumberKind::count, [](A a) { return a.tokens; },
          "that a published model saw", Rank::key),
      text(
          "accelerator", [](A a) -> auto& { return a.accelerator; }, "catalog name"),
      number(
          "gpus", "accelerators", NumberKind::integer, [](A a) { return a.gpus; }, "cluster size"),
      number(
          "gpu_hours", "GPU-hours", NumberKind::count, [](A a) { return a.gpu_hours; },
          "with failures and production overhead"),
      number(
          "wall_clock_seconds", "s", NumberKind::duration, [](A a) { return a.wall_clock_seconds; },
          "from start to end"),
      number(
          "total_usd", "USD", NumberKind::money, [](A a) { return a.total_usd; }, "the bill"),
      text(
          "as.model", [](A a) -> auto& { return a.example.name; }, "the published model"),
      number(
          "as.params", "parameters", NumberKind::count, [](A a) { return a.example.params; },
          "of that model"),
      number(
          "as.tokens", "tokens", NumberKind::count, [](A a) { return a.example.tokens; },
          "that it saw"),
      text(
          "as.source", [](A a) -> auto& { return a.example.source; }, "where that was read")};
  return table;
}

}  // namespace trcost::estimation
