// SPDX-License-Identifier: Apache-2.0
#include "quantity/portable_math.h"
#include "trcost/tokens.h"

namespace trcost {

// N* = G (C/6)^(beta/(alpha+beta)), D* = C / (6 N*), G = (alpha A / (beta B))^(1/(alpha+beta)).
// Source: Hoffmann et al., arXiv 2203.15556, equation 4.
ComputeOptimal compute_optimal(double flop, const ScalingLaw& law) {
  const double sum = law.alpha + law.beta;
  const double g = portable_pow(law.alpha * law.A / (law.beta * law.B), 1 / sum);
  ComputeOptimal best;
  best.params = g * portable_pow(flop / 6, law.beta / sum);
  best.tokens = flop / (6 * best.params);
  return best;
}

// The inverse of the above in N: C/6 = (N/G)^((alpha+beta)/beta), D = C / (6 N).
double optimal_tokens(double params, const ScalingLaw& law) {
  const double sum = law.alpha + law.beta;
  const double g = portable_pow(law.alpha * law.A / (law.beta * law.B), 1 / sum);
  return portable_pow(params / g, sum / law.beta) / params;
}

}  // namespace trcost
