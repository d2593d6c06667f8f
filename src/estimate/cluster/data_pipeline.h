// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/question.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// How many times longer training takes than accelerators that always have data would, each at so
/// many tokens per second: the loader's workers beside it, a CPU core each, have to decode images
/// and clips, storage to deliver them (model.md 7). 1 where both keep up.
double data_wait(const Task& task, double tokens_per_second);

/// What reading and decoding the data has to deliver where the accelerators never wait for it
/// (model.md 7): images and bytes per second, CPU cores that decode, bytes of the dataset, and
/// whether it keeps up; the verdict only `in_words`. `wait`: Execution::data_wait of the estimate.
void add_data_pipeline(const Task& task, double wait, bool in_words, Estimate& out);

}  // namespace trcost::estimation
