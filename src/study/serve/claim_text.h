// SPDX-License-Identifier: Apache-2.0
// A claim as it is written, and the conditions of its reference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/serving.h"

namespace trcost::study {

enum class ClaimKind : std::uint8_t { dollars, cheaper, per_megawatt, per_gpu, software, revenue };

struct ClaimText {
  ClaimKind kind = ClaimKind::dollars;
  double value = 0;       ///< dollars per million tokens, factor, or dollars spent
  double earned = 0;      ///< dollars of revenue
  std::string reference;  ///< chip that the factor is over, or empty
  std::string engine;     ///< of the reference in a claim about software, or empty
};

/// Reads a claim. Throws Error (usage) that names the forms.
ClaimText read_claim(std::string_view text);

/// Sets the reference's own conditions, such as `h200 gpus=8 price=1.41 precision=fp8`. Drafting is
/// off unless it is among them. Throws Error (usage) that names the keys.
void set_conditions(std::string_view text, const Catalog& catalog, ServingQuestion& question);

}  // namespace trcost::study
