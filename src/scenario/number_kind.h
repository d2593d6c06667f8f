// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantity/layers.h"
#include "trcost/numbers.h"
#include "trcost/scenario.h"

namespace trcost::scenario {

/// The parser of a numeric field's kind.
constexpr NumberKind number_kind(FieldKind kind) {
  switch (kind) {
    case FieldKind::count:
      return NumberKind::count;
    case FieldKind::integer:
      return NumberKind::integer;
    case FieldKind::bytes:
      return NumberKind::bytes;
    case FieldKind::duration:
      return NumberKind::duration;
    case FieldKind::money:
      return NumberKind::money;
    case FieldKind::fraction:
      return NumberKind::fraction;
    default:
      return NumberKind::number;
  }
}

/// `from 1 to 1e20 tokens`, `above 0 and at most 1`.
std::string allowed_range(const FieldInfo& info);

}  // namespace trcost::scenario
