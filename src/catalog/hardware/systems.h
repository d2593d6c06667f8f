// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json/strict_json.h"
#include "trcost/hardware.h"

namespace trcost {

/// Reads a file of data/systems. Throws Error (data) for a malformed one.
System parse_system(const JsonValue& document);

}  // namespace trcost
