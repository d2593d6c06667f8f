// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "trcost/estimate.h"

namespace trcost {

class JsonWriter;

/// The member `failures` of a document: the platforms without an answer, and why.
void write_failures(JsonWriter& writer, std::span<const Estimator::Failure> failures);

}  // namespace trcost
