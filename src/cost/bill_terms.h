// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"

namespace trcost::cost {

/// What is asked of a bill beside the run and its prices.
struct BillTerms {
  double experiments = 0;  ///< compute beside the final run, as a multiple of it
  double evaluation = 0;
  double epochs = 1;
  double text_bytes_per_token = 0;
  double full_kept = 0;  ///< checkpoints that continue a run
  double weights_kept = 0;
  double egress_bytes = 0;
  double term_hours = 0;          ///< that a reserved price binds for
  bool storage_included = false;  ///< storage is part of the total when the user speaks of it
  [[nodiscard]] double beyond() const { return experiments + evaluation; }
};

}  // namespace trcost::cost
