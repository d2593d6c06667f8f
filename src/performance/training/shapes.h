// SPDX-License-Identifier: Apache-2.0
// From a block to the matmuls, attention core and memory traffic of one layer.
#pragma once

#include "performance/training/layer_cost.h"
#include "performance/training/performance.h"
#include "quantity/layers.h"
#include "workload/blocks/block.h"
#include "workload/workload.h"

namespace trcost::performance {

/// A decoder layer, dense or with experts (`count` is filled in).
LayerShape decoder_layer_shape(const Workload& workload, const Block& block);
/// A layer that attends to the image instead of the text, with its own feed-forward.
LayerShape cross_layer_shape(const Workload& workload, const Block& block);
/// A layer of the encoder; its tokens are the image's, `span` of which attend to each other: a
/// tile's where an image is cut into tiles.
LayerShape encoder_layer_shape(const Block& block, double span);

}  // namespace trcost::performance
