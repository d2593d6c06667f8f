// SPDX-License-Identifier: Apache-2.0
// Other spellings of the words of choice fields.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::scenario {

/// The word of the table that `typed` stands for: spelled alike but for case, hyphens, underscores
/// and blanks, or a synonym. Empty if there is none.
std::string choice_of_word(const FieldInfo& info, std::string_view typed);

/// Advice for a word that is no choice but names something that trcost can do. Empty for other
/// words.
std::string_view advice_on_word(Field field, std::string_view typed);

}  // namespace trcost::scenario
