// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "estimate/question/work/notes.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Fills in, in `adapted`, the fields that a post-training method implies and the software that
/// contrastive, vision-language and large mixture-of-experts runs usually take. False if nothing
/// changes.
bool usual_recipe(const Scenario& asked, const Catalog& catalog, std::string_view accelerator,
                  Notes& notes, Scenario& adapted);

/// Whether a scenario fine-tunes on samples, of adapters or of the whole model.
bool trains_on_samples(const Scenario& scenario);

}  // namespace trcost::estimation
