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

}  // namespace trcost::estimation
