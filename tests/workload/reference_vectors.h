// SPDX-License-Identifier: Apache-2.0
// The exact vectors of tests/vectors.json, and the models that their inputs describe.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "workload/workload.h"

namespace reference {

/// All vectors as JSON; read once.
const nlohmann::json& all();
/// The vector of that name; fails the test when there is none.
const nlohmann::json& find(std::string_view name);
/// Vectors whose name starts with `prefix`.
std::vector<const nlohmann::json*> with_prefix(std::string_view prefix);
/// The one number of a vector.
double number(std::string_view name);

/// The decoder of a `params/NAME` vector, and of the names that other vectors use.
trcost::LanguageModel language(std::string_view name);
trcost::LanguageModel language_of(const nlohmann::json& inputs);

/// A text workload that learns in full.
trcost::Workload text_workload(const trcost::LanguageModel& language, double seq_length);

trcost::Encoder clip_l_336();
trcost::Encoder siglip_so400m_384();

}  // namespace reference
