// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "catalog/models/model.h"
#include "catalog/runs/runs.h"
#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Resolves the architecture: a catalog model, a file, or a shape made from parameters, with a
/// vision encoder for vl. Throws Error (usage) for contradictions.
Model resolve_model(const Scenario& scenario, const Catalog& catalog, Notes& notes);

/// The modality that a scenario specifies; empty if it specifies none.
std::optional<Modality> modality_of(const Scenario& scenario);

/// Whether a scenario is of a vision-language model. A pair of contrastive towers is none.
bool is_vision_language(const Scenario& scenario, const Catalog& catalog);

/// Names and sizes of the model for reports.
ModelSummary describe_model(const ResolvedWork& work);

}  // namespace trcost::estimation
