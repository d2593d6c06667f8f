// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "json/strict_json.h"
#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::scenario {

/// Reads a user's defaults: the fields of a scenario by their paths (`"cost": {"region": ..}` or
/// `"cost.region"`) or their flags (`"region"`, `"--region"`), each once, no stages. Throws Error
/// (data) with a did-you-mean.
Scenario defaults_from_json(std::string_view json, std::string_view origin);

/// Throws if `scenario` has more than kMostTrainingStages stages.
void check_stage_count(std::size_t stages, const JsonValue& scenario);

/// The value of a field that is set, as JSON.
std::string value_json(const Scenario& scenario, const FieldInfo& info);

}  // namespace trcost::scenario
