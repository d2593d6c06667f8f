// SPDX-License-Identifier: Apache-2.0
#include "scenario/choices.h"

#include <cstddef>

namespace trcost::scenario {

PriceClass price_class_of(ProviderClass provider_class) {
  constexpr PriceClass kClasses[] = {
#define TRCOST_PROVIDER_CLASS(id, word, prices) PriceClass::prices,
#include "scenario/provider_classes.def"
#undef TRCOST_PROVIDER_CLASS
  };
  return kClasses[static_cast<std::size_t>(provider_class)];
}

double commitment_years(Commitment commitment) {
  constexpr double kYears[] = {
#define TRCOST_COMMITMENT(id, word, years) years,
#include "scenario/commitments.def"
#undef TRCOST_COMMITMENT
  };
  return kYears[static_cast<std::size_t>(commitment)];
}

}  // namespace trcost::scenario
