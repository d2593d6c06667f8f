// SPDX-License-Identifier: Apache-2.0
// Bytes that a training keeps, and for how long.
#pragma once

#include <vector>

#include "quantity/layers.h"
#include "trcost/bill.h"
#include "trcost/scenario.h"

namespace trcost::cost {

/// Full training state: bf16 weights, fp32 master weights and two Adam moments (model-state
/// arithmetic of Rajbhandari et al., arXiv:1910.02054, without gradients).
inline constexpr double kCheckpointBytesPerParameter = 14;
inline constexpr double kWeightBytesPerParameter = 2;  ///< bf16

/// Bytes of a full checkpoint: everything at 2 bytes, what learns at 12 more.
double checkpoint_bytes(double params_total, double params_trainable);
double weights_bytes(double params_total);

struct StorageInputs {
  double dataset_bytes = 0;
  double full_checkpoint_bytes = 0;                                 ///< of one
  double weights_checkpoint_bytes = 0;                              ///< of one
  double full_kept = default_number(Field::cost_checkpoints_kept);  ///< at a time
  /// By the end, written evenly over the run.
  double weights_kept = default_number(Field::cost_weights_kept);
  double wall_seconds = 0;
  double egress_bytes = 0;
};

/// GB-months over the run; 1 GB = 1e9 bytes, a month 730.5 hours.
struct StorageUse {
  double dataset_gb_months = 0;
  double full_gb_months = 0;
  double weights_gb_months = 0;  ///< mean of (kept + 1) / 2 over the run
  double egress_gb = 0;
};
StorageUse compute_storage(const StorageInputs& inputs);

/// GB-months of each kind of bytes that is kept, and GB that leave.
std::vector<Derivation> derive_storage(const StorageInputs& inputs, const StorageUse& use);

}  // namespace trcost::cost
