// SPDX-License-Identifier: Apache-2.0
// The words of choice fields as people write them.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::scenario {

/// The word of the table that `typed` stands for: spelled alike but for case, hyphens, underscores
/// and blanks, or a common other name for it. Empty where there is none.
std::string choice_of_word(const FieldInfo& info, std::string_view typed);

/// What to write instead of a word that is no choice but asks for something that can be had; empty
/// where there is nothing to say.
std::string_view advice_on_word(Field field, std::string_view typed);

}  // namespace trcost::scenario
