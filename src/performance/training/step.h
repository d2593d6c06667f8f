// SPDX-License-Identifier: Apache-2.0
// Parts of the time of one step, as the step model adds them up.
#pragma once

#include "performance/memory/pipeline.h"
#include "performance/training/data_exchange.h"
#include "performance/training/layers.h"
#include "performance/training/step_model.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// Host seconds to issue a pass of a micro-batch, by what is issued.
struct HostTime {
  double layers = 0, head = 0, encoder = 0;
  double repeated = 0;  ///< forward work
  double gathers = 0;   ///< of sharded weights
  double schedule = 0;  ///< of the micro-batch
  [[nodiscard]] double total() const noexcept {
    return layers + head + encoder + repeated + gathers + schedule;
  }
};

/// A micro-batch through the whole of one replica, seconds seen from one tensor and context rank.
struct MicroBatch : ReplicaKernels {
  RepeatedTime repeated_layers, repeated_vision;
  HostTime host_forward, host_backward;
  double waiting_forward = 0, waiting_backward = 0;  ///< exposed host time

  [[nodiscard]] double repeated() const noexcept {
    return repeated_layers.seconds + repeated_vision.seconds;
  }
  [[nodiscard]] double waiting() const noexcept { return waiting_forward + waiting_backward; }
  /// Device seconds of the passes, without waiting for the host.
  [[nodiscard]] double forward() const noexcept;
  [[nodiscard]] double backward() const noexcept;
  /// Seconds of the passes as they take, which can hide an exchange.
  [[nodiscard]] double forward_pass() const noexcept { return forward() + waiting_forward; }
  [[nodiscard]] double backward_pass() const noexcept { return backward() + waiting_backward; }
};

/// Transfer to the next pipeline stage and back, per micro-batch.
struct StageTransfer {
  double bytes = 0;   ///< of one
  double stride = 1;  ///< ranks to the farthest neighbour
  double each = 0;    ///< seconds of one
  double times = 0;
  double exposed = 1;  ///< share of their seconds that nothing hides
  [[nodiscard]] double seconds() const noexcept { return times * each * exposed; }
};

/// A step with all its parts.
struct StepParts {
  MicroBatch work;
  StageParts placed;
  StageTimes stages;
  StageTransfer transfer;
  DataExchange replicas;
  HostExchange host;
  double hosts = 1;      ///< of eight accelerators
  double imbalance = 0;  ///< share of the step that stragglers and uneven sequences add
  StepTime time;
};

}  // namespace trcost::performance
