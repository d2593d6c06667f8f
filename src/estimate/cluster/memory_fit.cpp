// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/memory_fit.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "catalog/assumed.h"
#include "estimate/cluster/execution.h"
#include "estimate/cluster/memory_hint.h"
#include "estimate/cluster/round_time.h"
#include "estimate/question/cost/rates.h"
#include "estimate/question/data/resolve_amounts.h"
#include "estimate/question/data/resolve_work.h"
#include "estimate/question/question.h"
#include "estimate/question/recipe_defaults.h"
#include "estimate/question/work/resolve_model.h"
#include "planner/request.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

/// One device that holds everything, one sequence at a time, by recomputation.
std::array<MemoryUse, 3> on_one_device(const StepModel& model, double micro_batch) {
  std::array<MemoryUse, 3> uses;
  for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    Layout layout;
    layout.sharding = Sharding::none;
    layout.recompute = recompute;
    layout.micro_batch = layout.global_batch = micro_batch;
    uses[static_cast<std::size_t>(recompute)] = model.memory(layout);
  }
  return uses;
}

/// The resolved scenario, before it is on an accelerator.
struct MemoryQuestion {
  const Scenario& scenario;
  const Catalog& catalog;
  ResolvedWork work;
  Amounts amounts;
  bool habit = false;  ///< recomputation is a default of the recipe
};

/// The cases of one kind of accelerator.
class Fitting {
 public:
  Fitting(const Task& task, double layers, bool habit)
      : task_(task), layers_(layers), habit_(habit) {}

  void fill(MemoryFit& fit, MemoryReport& report) const {
    const Platform& platform = task_.platform();
    fit.system = platform.system->name;
    fit.precision = platform.precision;
    report.micro_batch = task_.fixed.layout.micro_batch.value_or(1);
    report.whole = on_one_device(task_.model(), report.micro_batch);
    fit.capacity_bytes = report.whole[0].capacity;
    const double node = platform.system->gpus_per_node;
    fit.one = at(1, kFreeDegrees);
    if (node > 1) fit.node = at(node, kFreeDegrees);
    fit.smallest = smallest();
    if (task_.fixed.gpus) fit.given = at(*task_.fixed.gpus, {});
  }

 private:
  /// The fewest that learn and, of a round that generates, hold an engine as well.
  [[nodiscard]] std::optional<MemoryCase> smallest() const {
    constexpr double kFewNodes = 64;
    const double node = task_.platform().system->gpus_per_node;
    const auto least =
        smallest_cluster(task_.model(), request_for(task_, 1), MemoryFit::kMostTried);
    if (!least) return std::nullopt;
    double gpus = *least;
    while (gpus <= MemoryFit::kMostTried) {
      const bool splits = splits_somewhere(gpus);
      if (splits) {
        const MemoryCase found = at(gpus, kOneSequence);
        if (found.use.fits) return found;
      }
      if (gpus >= node) {
        const double nodes = std::floor(gpus / node);
        gpus = (nodes < kFewNodes ? nodes + 1 : 2 * nodes) * node;
      } else {
        gpus = splits ? 2 * gpus : gpus + 1;
      }
    }
    return std::nullopt;
  }

  /// Whether the given degrees and batch split over the learners of one of the splits.
  [[nodiscard]] bool splits_somewhere(double gpus) const {
    return std::ranges::any_of(splits_of(gpus), [&](double generating) {
      return generating < gpus &&
             planner::splits_over_gpus(learner_request(gpus - generating, kOneSequence));
    });
  }

  /// Numbers of accelerators that generate, of which the first that fits is taken.
  [[nodiscard]] std::vector<double> splits_of(double gpus) const {
    const RoundWork* round = task_.prepared->round.get();
    if (round == nullptr || !round->rollout) return {0};
    return generation_splits(*round, gpus, task_.platform().system->gpus_per_node);
  }

  /// Fields of the scenario's own cluster that a case ignores.
  struct Freedom {
    bool degrees = false;  ///< searched anew
    bool sequences = false;
  };
  static constexpr Freedom kFreeDegrees{true, true}, kOneSequence{false, true};

  /// Memory of the learner. Given degrees need not divide one device or one node, so free degrees
  /// are searched anew. Free sequences are one at a time unless more are given, since a larger
  /// micro-batch is faster but takes recomputation that is not needed to fit. For the same reason
  /// they ignore recomputation that is a default of the recipe.
  [[nodiscard]] PlanRequest learner_request(double gpus, Freedom free) const {
    PlanRequest request = request_for(task_, gpus);
    request.allow_too_large = true;
    if (free.sequences && !request.micro_batch) request.micro_batch = 1;
    if (free.sequences && habit_) request.recompute.reset();
    if (free.degrees) static_cast<Degrees&>(request) = {};
    return request;
  }

  [[nodiscard]] MemoryCase learning(double gpus, Freedom free) const {
    const Plan chosen = plan(task_.model(), learner_request(gpus, free));
    return MemoryCase{gpus, layers_, chosen.layout, chosen.memory};
  }

  /// Memory on `gpus` accelerators. A round that generates on accelerators of its own takes the
  /// first split where everything fits.
  [[nodiscard]] MemoryCase at(double gpus, Freedom free) const {
    const RoundWork* round = task_.prepared->round.get();
    if (round == nullptr || !round->rollout) return learning(gpus, free);
    std::optional<MemoryCase> closest;
    const bool given = !free.degrees && !free.sequences;
    for (const double generating : splits_of(gpus)) {
      if (generating >= gpus) continue;
      if (!given && !planner::splits_over_gpus(learner_request(gpus - generating, free))) continue;
      MemoryCase found = learning(gpus - generating, free);
      found.gpus = gpus;
      const auto engine = engine_memory(*round, generating > 0 ? generating : gpus);
      found.engine_fits = engine.has_value();
      if (engine) {
        found.use = fullest_moment(*round, found.use, *engine);
      } else {
        found.use.fits = false;
      }
      if (found.use.fits) return found;
      if (!closest || found.use.total < closest->use.total) closest = found;
    }
    if (closest) return *closest;
    MemoryCase alone = learning(gpus, free);
    alone.engine_fits = alone.use.fits = false;
    return alone;
  }

  const Task& task_;
  double layers_;
  bool habit_;
};

// The price of an hour, where it can be told.
void set_price(const MemoryQuestion& asked, const Task& task, MemoryFit& fit) {
  Notes silent(false);
  try {
    const auto rates = resolve_rates(asked.scenario, asked.catalog, task.platform(), silent);
    if (rates->own) return;
    const auto price = price_of(asked.scenario, *task.platform().accelerator, rates);
    fit.price_per_gpu_hour = price->usd;
    fit.price_imputed = price->imputed;
  } catch (const Error&) {
    return;  // memory does not depend on the price
  }
}

// Whether an accelerator comes before another: it can be rented, and suffices in a smaller or
// cheaper cluster.
auto order_of(const MemoryFit& fit) {
  const double gpus = fit.smallest && fit.problem.empty() ? fit.smallest->gpus : kMostGpus;
  return std::tuple(!fit.price_per_gpu_hour, gpus, fit.price_imputed,
                    fit.price_per_gpu_hour.value_or(0), fit.device_bytes, fit.accelerator);
}

MemoryFit fit_accelerator(const MemoryQuestion& asked, std::string_view accelerator,
                          MemoryReport& report, Notes& notes) {
  MemoryFit fit;
  const Accelerator& chip = asked.catalog.accelerator(accelerator);
  fit.accelerator = chip.name;
  fit.title = chip.title;
  fit.device_bytes = chip.memory_bytes;
  try {
    Task task;
    task.amounts = asked.amounts;
    task.fixed = resolve_fixed_layout(asked.scenario, asked.amounts);
    task.prepared = prepare(asked.work, asked.scenario, asked.catalog, accelerator, notes);
    note_abilities(task, notes);
    Fitting(task, report.model.dealt_layers, asked.habit).fill(fit, report);
    set_price(asked, task, fit);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::no_answer) throw;
    fit.problem = error.message;
  }
  return fit;
}

// The memory on the first accelerator that suffices.
std::optional<MemoryUse> fitting_use(const MemoryReport& report) {
  for (const MemoryFit& fit : report.fits) {
    if (fit.problem.empty() && fit.main().use.fits) return fit.main().use;
  }
  return std::nullopt;
}

// The report without remedies.
MemoryReport report_fits(const Scenario& asked, const Catalog& catalog) {
  Notes notes(true);
  std::vector<std::string> names = asked.names(Field::hardware_accelerator);
  const bool listed = !names.empty();
  if (!listed) names = catalog.names(CatalogKind::accelerators);
  Scenario adapted;
  // One stack for all, the usual one on the first of those named.
  const std::string& first = listed ? names.front() : catalog.assumed().accelerators.front();
  const Scenario& scenario = usual_recipe(asked, catalog, first, notes, adapted) ? adapted : asked;
  ResolvedWork work = resolve_work(scenario, catalog, notes);
  const Amounts amounts = resolve_amounts(scenario, work, notes);
  const bool habit = scenario.has(Field::layout_recompute) && !asked.has(Field::layout_recompute);
  const MemoryQuestion fittable{scenario, catalog, std::move(work), amounts, habit};
  MemoryReport report;
  report.recomputes_by_habit = habit;
  report.scenario = scenario_to_json(asked);
  report.model = describe_model(fittable.work);
  report.seq_length = fittable.work.workload.seq_length;
  report.recipe = scenario.text(Field::train_recipe);
  report.stack = scenario.text(Field::efficiency_stack);
  // Defaults are the same on all platforms, so one set of notes is enough.
  Notes others(false);
  for (const std::string& name : names) {
    report.fits.push_back(
        fit_accelerator(fittable, name, report, report.fits.empty() ? notes : others));
  }
  report.listed = listed;
  if (!listed) std::ranges::stable_sort(report.fits, {}, order_of);
  report.assumptions = std::move(notes.assumptions);
  for (Assumption& each : report.assumptions) {
    if (!habit || each.path != field_info(Field::layout_recompute).path) continue;
    each.why += ". Without --gpus, this answer uses the least recomputation that fits";
  }
  report.warnings = std::move(notes.warnings);
  return report;
}

}  // namespace

const MemoryCase& MemoryFit::main() const {
  return given ? *given : smallest ? *smallest : one;
}

MemoryReport memory_report(const Scenario& asked, const Catalog& catalog) {
  MemoryReport report = report_fits(asked, catalog);
  if (!report.listed || fitting_use(report)) return report;
  const auto use_that_fits = [&](const Scenario& other) {
    try {
      return fitting_use(report_fits(other, catalog));
    } catch (const Error&) {
      return std::optional<MemoryUse>();
    }
  };
  for (const MemoryFit& fit : report.fits) {
    Scenario one = asked;
    one.set_text(Field::hardware_accelerator, fit.accelerator);
    report.remedies = memory_remedies(one, use_that_fits);
    report.remedied = fit.title.empty() ? fit.accelerator : fit.title;
    if (!report.remedies.empty()) break;
  }
  return report;
}

}  // namespace trcost::estimation
