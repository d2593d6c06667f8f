// SPDX-License-Identifier: Apache-2.0
// From architecture to the matmuls, attention cores and memory traffic of one layer.
#pragma once

#include "trcost/efficiency.h"
#include "trcost/layer_cost.h"
#include "trcost/workload.h"

namespace trcost {

/// The decoder layer with the dense feed-forward, and the one with experts (`count` is filled in).
LayerShape dense_layer_shape(const Workload& workload);
LayerShape expert_layer_shape(const Workload& workload);
/// A layer that attends to the image instead of the text, with its own feed-forward.
LayerShape cross_layer_shape(const Workload& workload);
/// A layer of the encoder; its tokens are the image's, `span` of which attend to each other: a tile's
/// where an image is cut into tiles.
LayerShape encoder_layer_shape(const Encoder& encoder, double span);

}  // namespace trcost
