// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Resolves the tokens of an image or clip in encoder and language model, and its storage. Warns
/// of a given size that the encoder does not follow.
void resolve_images(const Scenario& scenario, const Catalog& catalog, ResolvedWork& out,
                    Notes& notes);

}  // namespace trcost::estimation
