// SPDX-License-Identifier: Apache-2.0
// Number and kind of accelerators of a recipe.
#pragma once

#include "quantity/layers.h"
#include "recipe/files/facts.h"
#include "recipe/workings.h"

namespace trcost::recipe {

/// Sets `hardware.gpus` and `hardware.accelerator` from the launcher, the job or the degrees of
/// parallelism, or asks for them. Two places that disagree are named.
void find_gpus(Workings& workings);

/// Sets provider and region of the cloud that a job names, as far as trcost has prices of them.
void find_cloud(Workings& workings);

/// Accelerators of a job of Kubernetes: replicas x GPUs of each role, as `job_gpus`.
void note_kubernetes(const Facts& facts, Workings& workings);

}  // namespace trcost::recipe
