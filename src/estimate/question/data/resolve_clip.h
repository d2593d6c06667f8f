// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"
#include "trcost/tokens.h"

namespace trcost::estimation {

/// Pixels per second that one Xeon vCPU decodes, resizes and normalises with Pillow on
/// libjpeg-turbo: 43 to 66 million from 500x375 to 2048x1536 (model reference, section 7).
inline constexpr double kPixelsPerSecondPerCore = 50e6;

/// Sets the tokens that the model's token rule counts for an image or a clip; `noted` is the path
/// of the assumption.
void set_token_count(const Scenario& scenario, const TokenCount& count, std::string noted,
                     ResolvedWork& out, Notes& notes);

/// Resolves tokens and storage of a clip of video or audio, which replaces an image; false if
/// samples carry images. Throws Error (usage) for a model without a token rule for it, naming the
/// families that have one.
bool resolve_clip(const Scenario& scenario, const Catalog& catalog, ResolvedWork& out,
                  Notes& notes);

/// Throws Error (usage) where --video, --audio, --seconds, --fps and the image flags contradict
/// each other.
void refuse_clip_contradictions(const Scenario& scenario);

}  // namespace trcost::estimation
