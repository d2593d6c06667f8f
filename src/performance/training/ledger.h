// SPDX-License-Identifier: Apache-2.0
// Where an evaluation of a step notes what it adds up, for StepModel::account(). The search for a
// layout passes none, and pays for a comparison with null.
#pragma once

#include <cstddef>
#include <string_view>

#include "performance/training/layer_cost.h"
#include "performance/training/step_account.h"

namespace trcost {

struct Ledger {
  StepAccount& account;
  const Fabric& fabric;
  std::string_view module = "layers";
  double layers = 1;  ///< of the kind that is evaluated

  void kernel(KernelAccount entry) {
    entry.module = module;
    entry.layers = layers;
    account.kernels.push_back(entry);
  }
  /// The bytes over each tier are those of its collectives.
  void exchanged(ExchangeAccount entry);
  /// Nothing learns before the first module that does: from these entries on no backward pass.
  void drop_backward(std::size_t kernels, std::size_t exchanges);
};

inline constexpr std::string_view kPerLayers = "micro-batch";
inline constexpr std::string_view kPerMicroBatch = "micro-batch of a rank";
inline constexpr std::string_view kPerStep = "step";

}  // namespace trcost
