// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/serving.h"

namespace trcost::study {

/// Speeds per user over which a claim is judged. Empty if the question sets a concurrency.
std::vector<double> claim_speeds(const ServingQuestion& question, const Catalog& catalog);

}  // namespace trcost::study
