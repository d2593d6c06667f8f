// SPDX-License-Identifier: Apache-2.0
#include "trcost/storage.h"

#include <fmt/format.h>

#include "trcost/quantity.h"

namespace trcost {

double checkpoint_bytes(double params_total, double params_trainable) {
  return kWeightBytesPerParameter * params_total +
         (kCheckpointBytesPerParameter - kWeightBytesPerParameter) * params_trainable;
}

double weights_bytes(double params_total) {
  return kWeightBytesPerParameter * params_total;
}

StorageUse compute_storage(const StorageInputs& inputs) {
  constexpr double kGigabyte = 1e9;
  const double months = inputs.wall_seconds / kSecondsPerHour / kHoursPerMonth;
  StorageUse use;
  use.dataset_gb_months = inputs.dataset_bytes / kGigabyte * months;
  use.full_gb_months = inputs.full_kept * inputs.full_checkpoint_bytes / kGigabyte * months;
  // Written at the ends of `kept` equal parts of the run: 0, 1, ... kept - 1 lie there, and the
  // last is there at the end; on average half of them.
  use.weights_gb_months =
      inputs.weights_kept > 0
          ? (inputs.weights_kept + 1) / 2 * inputs.weights_checkpoint_bytes / kGigabyte * months
          : 0;
  use.egress_gb = inputs.egress_bytes / kGigabyte;
  return use;
}

Derivation derive_storage(const StorageInputs& inputs, const StorageUse& use) {
  const double months = inputs.wall_seconds / kSecondsPerHour / kHoursPerMonth;
  return {
      "storage", "(dataset + kept x full checkpoint + (kept + 1)/2 x weights) x months",
      fmt::format("({:.4g} + {:.4g} x {:.4g} + ({:.4g} + 1)/2 x {:.4g}) GB x {:.4g}",
                  inputs.dataset_bytes / 1e9, inputs.full_kept, inputs.full_checkpoint_bytes / 1e9,
                  inputs.weights_kept, inputs.weights_checkpoint_bytes / 1e9, months),
      fmt::format("{:.6g} GB-months, {:.6g} GB leave",
                  use.dataset_gb_months + use.full_gb_months + use.weights_gb_months,
                  use.egress_gb),
      "14 bytes per parameter of full state, 2 of weights (arXiv:1910.02054)"};
}

}  // namespace trcost
