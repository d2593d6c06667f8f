// SPDX-License-Identifier: Apache-2.0
// Stored bytes of a training, and their time.
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

/// Bytes of a full checkpoint: 2 per parameter, and 12 more per trainable one.
double checkpoint_bytes(double params_total, double params_trainable);
double weights_bytes(double params_total);

struct StorageInputs {
  double dataset_bytes = 0;
  double full_checkpoint_bytes = 0;                                 ///< of one
  double weights_checkpoint_bytes = 0;                              ///< of one
  double full_kept = default_number(Field::cost_checkpoints_kept);  ///< at a time
  double weights_kept = default_number(Field::cost_weights_kept);   ///< by the end
  double wall_seconds = 0;
  double egress_bytes = 0;
};

/// GB-months over the run. 1 GB is 1e9 bytes, a month 730.5 hours.
struct StorageUse {
  double dataset_gb_months = 0;
  double full_gb_months = 0;
  double weights_gb_months = 0;  ///< mean of (kept + 1) / 2 over the run
  double egress_gb = 0;
};
StorageUse compute_storage(const StorageInputs& inputs);

/// Explains the GB-months of each kind of stored bytes, and the GB of egress.
std::vector<Derivation> derive_storage(const StorageInputs& inputs, const StorageUse& use);

}  // namespace trcost::cost
