// SPDX-License-Identifier: Apache-2.0
// The tables of the studies that ask more than one estimate.
#pragma once

#include "quantity/layers.h"
#include "study/diff/diff.h"
#include "study/experiments/experiments.h"
#include "study/transfer/transfer.h"
#include "text/column.h"

namespace trcost::study {

const Columns<TransferReport>& transfer_columns();
const Columns<DiffReport>& diff_columns();
const Columns<ExperimentReport>& experiment_columns();

inline constexpr Subject<TransferReport> kTransfer = {"transfer", transfer_columns, "targets"};
inline constexpr Subject<DiffReport> kDiff = {"difference", diff_columns, "differences"};
inline constexpr Subject<ExperimentReport> kExperiments = {"experiments", experiment_columns,
                                                           "platforms/experiments"};

}  // namespace trcost::study
