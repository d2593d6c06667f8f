// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Resolves tokens in encoder and language model, and storage, of an image or of the clip of video
/// or audio that replaces it. Warns of a given size that the encoder does not follow. Throws Error
/// (usage) for a clip that the model has no token rule for, naming the families that have one.
void resolve_images(const Scenario& scenario, const Catalog& catalog, ResolvedWork& out,
                    Notes& notes);

/// Throws Error (usage) where --video, --audio, --seconds, --fps and the image flags contradict
/// each other.
void refuse_clip_contradictions(const Scenario& scenario);

}  // namespace trcost::estimation
