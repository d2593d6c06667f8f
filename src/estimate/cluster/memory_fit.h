// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/estimate.h"
#include "trcost/layout.h"

namespace trcost::estimation {

/// A number of accelerators with the fastest layout that fits, or the closest one if none does.
struct MemoryCase {
  double gpus = 0;
  double layers = 0;  ///< partitioned by a pipeline
  Layout layout;      ///< of the learner
  MemoryUse use;
  bool engine_fits = true;  ///< of a method that generates, part of `use.fits`
};

/// Whether and how a training fits one kind of accelerator.
struct MemoryFit {
  std::string accelerator;
  std::string title;
  std::string system;
  Precision precision = Precision::bf16;
  double device_bytes = 0;    ///< visible to the framework
  double capacity_bytes = 0;  ///< usable by a plan
  MemoryCase one;
  std::optional<MemoryCase> node;  ///< a whole node, where it has more than one
  /// The smallest number that fits, empty if none up to kMostTried does.
  std::optional<MemoryCase> smallest;
  std::optional<MemoryCase> given;           ///< hardware.gpus, when the scenario has it
  std::string problem;                       ///< reason for no answer, else empty
  std::optional<double> price_per_gpu_hour;  ///< USD, empty if unknown
  bool price_imputed = false;

  /// Accelerators of the largest cluster that is tried.
  static constexpr double kMostTried = 16384;
  /// The case that a single row is about: the given one, else the smallest, else one device.
  [[nodiscard]] const MemoryCase& main() const;
};

/// Memory of a training on accelerators from small to large.
struct MemoryReport {
  std::string scenario;  ///< as JSON, replayable
  ModelSummary model;
  double seq_length = 0;
  std::string recipe;  ///< `full`, `lora`, ...
  std::string stack;
  /// Recomputation of all layers is a default of the recipe: `given` recomputes them, the other
  /// cases recompute the least that fits.
  bool recomputes_by_habit = false;
  double micro_batch = 1;  ///< sequences, of `whole`
  /// Memory if one device held everything, by Recompute.
  std::array<MemoryUse, 3> whole{};
  /// By number and price of the smallest cluster, or in the order of the scenario.
  std::vector<MemoryFit> fits;
  bool listed = false;  ///< the scenario names accelerators
  /// Settings with which a training fits that is too large for all accelerators named, in words,
  /// and the first accelerator on which it then fits.
  std::string remedies, remedied;
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;
};

/// Computes the memory on the accelerators of `hardware.accelerator`, or on all of the catalog.
/// Throws Error for a contradictory scenario. An accelerator without an answer is a row with its
/// problem.
MemoryReport memory_report(const Scenario& scenario, const Catalog& catalog);

}  // namespace trcost::estimation
