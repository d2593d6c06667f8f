// SPDX-License-Identifier: Apache-2.0
// The law that compute_optimal() has its minimum of, written out.
#pragma once

#include <cmath>

#include "trcost/tokens.h"

/// L(N, D) = E + A/N^alpha + B/D^beta, nats per token (Hoffmann et al., arXiv 2203.15556, equation
/// 2).
inline double scaling_loss(double params, double tokens, const trcost::ScalingLaw& law = {}) {
  return law.E + law.A / std::pow(params, law.alpha) + law.B / std::pow(tokens, law.beta);
}
