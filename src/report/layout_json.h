// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/json_writer.h"
#include "trcost/layout.h"

namespace trcost {

/// The object `layout` of a cluster of `gpus` for a model of `layers`: the same members as in an
/// estimate, so that a layout is one wherever it is printed.
void write_layout(JsonWriter& json, const Layout& layout, double gpus, double layers);

}  // namespace trcost
