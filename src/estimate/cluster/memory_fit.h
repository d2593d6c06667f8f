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

/// A number of accelerators with the fastest layout that fits, or, where none does, the one that
/// comes closest.
struct MemoryCase {
  double gpus = 0;
  double layers = 0;  ///< that a pipeline deals
  Layout layout;      ///< of those that learn
  MemoryUse use;
  bool engine_fits = true;  ///< of a method that generates; `use.fits` asks for both
};

/// Whether and how a training fits one kind of accelerator.
struct MemoryFit {
  std::string accelerator;
  std::string title;
  std::string system;
  Precision precision = Precision::bf16;
  double device_bytes = 0;    ///< what the framework sees
  double capacity_bytes = 0;  ///< of that, what a plan fills
  MemoryCase one;
  std::optional<MemoryCase> node;  ///< a whole node, where it has more than one
  /// The fewest that hold it; empty where none up to kMostTried does.
  std::optional<MemoryCase> smallest;
  std::optional<MemoryCase> given;  ///< hardware.gpus, when the scenario has it
  std::string problem;              ///< why there is no answer, else empty

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
  /// The recipe recomputes all whether or not memory asks for it, and nobody asked for that: so
  /// does `given`, while the other cases recompute the least that fits.
  bool recomputes_by_habit = false;
  /// One device that holds everything, by Recompute: what the recipe takes wherever it runs.
  std::array<MemoryUse, 3> whole{};
  std::vector<MemoryFit> fits;  ///< by memory, then by name; or as the scenario lists them
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;
};

/// Looks at the accelerators of `hardware.accelerator`, all of the catalog without it. Throws Error
/// for a scenario that makes no sense; an accelerator without an answer is a row with its problem.
MemoryReport memory_report(const Scenario& scenario, const Catalog& catalog);

}  // namespace trcost::estimation
