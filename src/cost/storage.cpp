// SPDX-License-Identifier: Apache-2.0
#include "cost/storage.h"

#include <fmt/format.h>

#include "quantity/quantity.h"

namespace trcost::cost {

namespace {

constexpr double kGigabyte = 1e9;  // bytes, as storage is billed

}  // namespace

double checkpoint_bytes(double params_total, double params_trainable) {
  return kWeightBytesPerParameter * params_total +
         (kCheckpointBytesPerParameter - kWeightBytesPerParameter) * params_trainable;
}

double weights_bytes(double params_total) {
  return kWeightBytesPerParameter * params_total;
}

StorageUse compute_storage(const StorageInputs& inputs) {
  const double months = inputs.wall_seconds / kSecondsPerHour / kHoursPerMonth;
  StorageUse use;
  use.dataset_gb_months = inputs.dataset_bytes / kGigabyte * months;
  use.full_gb_months = inputs.full_kept * inputs.full_checkpoint_bytes / kGigabyte * months;
  // Written at the ends of `kept` equal parts of the run, with 0, 1, ... kept - 1 of them stored
  // during these parts and all at the end.
  use.weights_gb_months =
      inputs.weights_kept > 0
          ? (inputs.weights_kept + 1) / 2 * inputs.weights_checkpoint_bytes / kGigabyte * months
          : 0;
  use.egress_gb = inputs.egress_bytes / kGigabyte;
  return use;
}

std::vector<Derivation> derive_storage(const StorageInputs& inputs, const StorageUse& use) {
  const double months = inputs.wall_seconds / kSecondsPerHour / kHoursPerMonth;
  const auto gb = [](double bytes) { return digits(bytes / kGigabyte) + " GB"; };
  const auto gb_months = [](double value) { return digits(value) + " GB-months"; };
  constexpr const char* kState =
      "bytes per parameter: 14 of full state, 2 of weights (arXiv:1910.02054)";
  std::vector<Derivation> steps;
  const auto add = [&](const char* name, const char* formula, std::string numbers, double kept,
                       const char* source) {
    if (kept <= 0) return;
    steps.push_back(
        {name, formula, fmt::format("{} x {}", numbers, digits(months)), gb_months(kept), source});
  };
  add("GB-months of the dataset", "dataset x months of the run", gb(inputs.dataset_bytes),
      use.dataset_gb_months, "a month is 730.5 hours");
  add("GB-months of full checkpoints", "kept x full checkpoint x months of the run",
      fmt::format("{} x {}", digits(inputs.full_kept), gb(inputs.full_checkpoint_bytes)),
      use.full_gb_months, kState);
  add("GB-months of weights-only checkpoints",
      "(kept + 1)/2 x weights x months of the run: written evenly over it",
      fmt::format("({} + 1)/2 x {}", digits(inputs.weights_kept),
                  gb(inputs.weights_checkpoint_bytes)),
      use.weights_gb_months, kState);
  if (use.egress_gb > 0) {
    steps.push_back({"egress", "bytes that leave", gb(inputs.egress_bytes),
                     digits(use.egress_gb) + " GB", "cost.egress"});
  }
  return steps;
}

}  // namespace trcost::cost
