// SPDX-License-Identifier: Apache-2.0
#include "trcost/memory_fit.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "estimate/model_summary.h"
#include "estimate/platform.h"
#include "estimate/resolve.h"
#include "estimate/round.h"
#include "performance/performance.h"
#include "trcost/error.h"

namespace trcost {
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

class Fitting {
 public:
  Fitting(const Scenario& scenario, const Catalog& catalog, const ResolvedWork& work, double layers)
      : scenario_(scenario), catalog_(catalog), work_(work), layers_(layers) {}

  MemoryFit look(std::string_view accelerator, MemoryReport& report, Notes& notes) const {
    MemoryFit fit;
    const Accelerator& chip = catalog_.accelerator(accelerator);
    fit.accelerator = chip.name;
    fit.title = chip.title;
    fit.device_bytes = chip.memory_bytes;
    try {
      const Platform platform = resolve_platform(scenario_, catalog_, accelerator, notes);
      // What of other models is resident stands with the work, and engines with the platform.
      ResolvedWork work = work_;
      const auto round = resolve_round(scenario_, catalog_, platform, work, notes);
      fill(platform, work, round.get(), fit, report);
    } catch (const Error& error) {
      if (error.kind != ErrorKind::no_answer) throw;
      fit.problem = error.message;
    }
    return fit;
  }

 private:
  /// One kind of accelerator, and what it does in a round.
  struct Place {
    const StepModel& model;
    const RoundWork* round;
    double node;
  };

  void fill(const Platform& platform, const ResolvedWork& work, const RoundWork* round,
            MemoryFit& fit, MemoryReport& report) const {
    const StepModel model(work.workload, platform);
    fit.system = platform.system->name;
    fit.precision = platform.precision;
    report.whole = on_one_device(model, scenario_.number_or(Field::train_micro_batch, 1));
    fit.capacity_bytes = report.whole[0].capacity;
    const double node = platform.system->gpus_per_node;
    const Place place{model, round, node};
    fit.one = at(place, 1, kFreeDegrees);
    if (node > 1) fit.node = at(place, node, kFreeDegrees);
    fit.smallest = smallest(place);
    if (const auto gpus = scenario_.number(Field::hardware_gpus)) fit.given = at(place, *gpus, {});
  }

  /// The fewest that learn and, of a round that generates, hold an engine as well.
  [[nodiscard]] std::optional<MemoryCase> smallest(const Place& place) const {
    constexpr double kFewNodes = 64;
    double gpus = smallest_cluster(place.model, resolve_request(scenario_, work_, 1),
                                   MemoryFit::kMostGpus);
    while (gpus > 0 && gpus <= MemoryFit::kMostGpus) {
      const MemoryCase found = at(place, gpus, kOneSequence);
      if (found.use.fits) return found;
      const bool whole = gpus >= place.node && gpus < kFewNodes * place.node;
      gpus = whole ? gpus + place.node : 2 * gpus;
    }
    return std::nullopt;
  }

  /// What a case keeps of the scenario's own cluster.
  struct Freedom {
    bool degrees = false;  ///< searched anew
    bool sequences = false;
  };
  static constexpr Freedom kFreeDegrees{true, true}, kOneSequence{false, true};

  /// Degrees that the scenario fixes for its own cluster need not divide one device or one node:
  /// these cases are about what would be possible, and keep only what always applies. One sequence at
  /// a time unless more are asked for: a larger micro-batch is faster, and takes recomputation that
  /// the training does not need to fit.
  [[nodiscard]] MemoryCase learning(const StepModel& model, double gpus, Freedom free) const {
    PlanRequest request = resolve_request(scenario_, work_, gpus);
    request.allow_too_large = true;
    if (free.sequences && !request.micro_batch) request.micro_batch = 1;
    if (free.degrees) static_cast<Degrees&>(request) = {};
    const Plan chosen = plan(model, request);
    return MemoryCase{gpus, layers_, chosen.layout, chosen.memory};
  }

  /// Of a round that generates: with accelerators of their own, at the first split where all fits.
  [[nodiscard]] MemoryCase at(const Place& place, double gpus, Freedom free) const {
    if (place.round == nullptr || !place.round->rollout) return learning(place.model, gpus, free);
    std::optional<MemoryCase> closest;
    for (const double generating : generation_splits(*place.round, gpus, place.node)) {
      if (generating >= gpus) continue;
      MemoryCase found = learning(place.model, gpus - generating, free);
      found.gpus = gpus;
      const auto cache = generation_cache(*place.round, generating > 0 ? generating : gpus);
      found.engine_fits = cache.has_value();
      found.use.kv_cache = cache.value_or(0);
      found.use.fits = found.use.fits && found.engine_fits;
      if (found.use.fits) return found;
      if (!closest || found.use.total < closest->use.total) closest = found;
    }
    if (closest) return *closest;
    MemoryCase alone = learning(place.model, gpus, free);
    alone.engine_fits = alone.use.fits = false;
    return alone;
  }

  const Scenario& scenario_;
  const Catalog& catalog_;
  const ResolvedWork& work_;
  double layers_;
};

}  // namespace

const MemoryCase& MemoryFit::main() const {
  return given ? *given : smallest ? *smallest : one;
}

MemoryReport memory_report(const Scenario& asked, const Catalog& catalog) {
  Notes notes(true);
  Scenario adapted;
  const Scenario& scenario = usual_recipe(asked, catalog, notes, adapted) ? adapted : asked;
  const ResolvedWork work = resolve_work(scenario, catalog, notes);
  MemoryReport report;
  report.scenario = scenario_to_json(asked);
  report.model = describe_model(work);
  report.seq_length = work.workload.seq_length;
  report.recipe = scenario.text(Field::train_recipe);
  report.stack = scenario.text(Field::efficiency_stack);
  std::vector<std::string> names = scenario.names(Field::hardware_accelerator);
  const bool listed = !names.empty();
  if (!listed) names = catalog.names(CatalogKind::accelerators);
  const Fitting fitting(scenario, catalog, work, report.model.dealt_layers);
  // What is assumed of a platform is the same for all; one set of notes is enough.
  Notes others(false);
  for (const std::string& name : names) {
    report.fits.push_back(fitting.look(name, report, report.fits.empty() ? notes : others));
  }
  if (!listed) {
    std::stable_sort(report.fits.begin(), report.fits.end(), [](const auto& a, const auto& b) {
      return std::tie(a.device_bytes, a.accelerator) < std::tie(b.device_bytes, b.accelerator);
    });
  }
  report.assumptions = std::move(notes.assumptions);
  report.warnings = std::move(notes.warnings);
  return report;
}

}  // namespace trcost
