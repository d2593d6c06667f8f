// SPDX-License-Identifier: Apache-2.0
// Exchange of weights and gradients between the replicas of a model, and the optimizer's update.
#pragma once

#include "performance/training/evaluation.h"

namespace trcost {

/// Exchange of weights and gradients between replicas, seconds.
struct DataExchange {
  double per_micro_batch = 0;  // exposed
  double per_step = 0;         // exposed
};

/// What a rank's compute, `forward` and `backward` seconds a micro-batch, does not hide. `units`:
/// the layers of a stage, which travel one by one.
DataExchange data_exchange(const Evaluation& at, double forward, double backward,
                           double units) noexcept;

/// Parameters that a rank updates.
double updated_parameters(const Evaluation& at) noexcept;

/// Bytes of the device's memory that its update moves; none where the host updates.
double update_bytes(const Evaluation& at) noexcept;

/// Seconds of the optimizer's update of one rank's share.
double update_seconds(const Evaluation& at) noexcept;

}  // namespace trcost
