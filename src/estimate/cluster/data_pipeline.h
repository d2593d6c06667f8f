// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/question.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// JPEG: COCO train2017 is 118,287 images of about 640x480 in 18 GB (cocodataset.org/#download);
/// Open Images' 1,743,042 of 1,024 pixels on the longer side are 513 GB
/// (storage.googleapis.com/openimages, V4), 0.37.
inline constexpr double kStoredBytesPerPixel = 0.5;

/// Decoding, resizing and normalising with Pillow on libjpeg-turbo, one Xeon vCPU: 43 to 66 million
/// pixels per second from 500x375 to 2048x1536 (model reference, section 7).
inline constexpr double kPixelsPerSecondPerCore = 50e6;

/// How many times longer training takes than accelerators that always have data would, each at so
/// many tokens per second: the loader's workers beside it, a CPU core each, have to decode images
/// and clips, storage to deliver them (model.md 7). 1 where both keep up.
double data_wait(const Task& task, double tokens_per_second);

/// What reading and decoding the data has to deliver where the accelerators never wait for it
/// (model.md 7): images and bytes per second, CPU cores that decode, bytes of the dataset, and
/// whether it keeps up; the verdict only `in_words`. `wait`: Execution::data_wait of the estimate.
void add_data_pipeline(const Task& task, double wait, bool in_words, Estimate& out);

}  // namespace trcost::estimation
