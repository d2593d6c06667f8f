// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/question.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Factor on the time of training because accelerators wait for data, at `tokens_per_second` each:
/// loader workers, a CPU core each, decode images and clips, and storage delivers them (model.md
/// 7). 1 if both keep up.
double data_wait(const Task& task, double tokens_per_second);

/// Adds the data pipeline that accelerators need in order not to wait (model.md 7): images and
/// bytes per second, CPU cores that decode, bytes of the dataset and the bottleneck, with
/// `in_words` as a sentence too. `wait`: Execution::data_wait of the estimate.
void add_data_pipeline(const Task& task, double wait, bool in_words, Estimate& out);

}  // namespace trcost::estimation
