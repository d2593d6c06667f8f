// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cost/energy.h"
#include "cost/storage.h"
#include "estimate/question/question.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Inputs of the energy of an estimate.
EnergyInputs energy_inputs(const Question& question, const Estimate& estimate);

/// Inputs of the storage of an estimate.
StorageInputs storage_inputs(const Question& question, const Estimate& estimate);

/// Fills energy and cost of an estimate whose GPU-hours are known.
void add_money(const Question& question, Estimate& out);

/// Warns if spot, with the work that its interruptions lose, costs more than on-demand.
void warn_about_spot(const Question& question, const UsefulTime& useful, Notes& notes);

}  // namespace trcost::estimation
