// SPDX-License-Identifier: Apache-2.0
#include "study/solve/answered_training.h"

#include "estimate/cluster/execution.h"

namespace trcost::study {

bool same_training(const Scenario& asked, const Estimate& answer) {
  if (!asked.stages.empty() || asked.has(Field::efficiency_mfu)) return true;
  return estimation::same_training(answer.layout.global_batch,
                                   asked.number(Field::train_global_batch),
                                   answer.performance.batch_token_cost);
}

}  // namespace trcost::study
