// SPDX-License-Identifier: Apache-2.0

#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "trcost/tokens.h"

namespace trcost {
namespace {

// Repetitions after which the value of a token has decayed to 1/e of the sum it can reach.
// Source: Muennighoff et al., arXiv 2305.16264, fitted in huggingface/datablations README.
constexpr double kRepetitionScale = 15.387756;

}  // namespace

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

double scaling_loss(double params, double tokens, const ScalingLaw& law) {
  return law.E + law.A / portable_pow(params, law.alpha) + law.B / portable_pow(tokens, law.beta);
}

// D = (B / (L - E - A/N^alpha))^(1/beta); no number of tokens reaches the floor E + A/N^alpha.
double tokens_for_loss(double params, double loss, const ScalingLaw& law) {
  const double floor = law.E + law.A / portable_pow(params, law.alpha);
  if (!(loss > floor)) {
    throw Error(ErrorKind::no_answer,
                "no number of tokens brings this model below a loss of " + std::to_string(floor),
                "ask for a higher loss or a larger model");
  }
  return portable_pow(law.B / (loss - floor), 1 / law.beta);
}

// D' = U + U R* (1 - exp(-R / R*)), R = epochs - 1 repetitions. Source: arXiv 2305.16264, eq. 5.
double effective_tokens(double unique, double epochs) {
  if (epochs <= 1) return unique * epochs;
  return unique + unique * kRepetitionScale * (1 - portable_exp((1 - epochs) / kRepetitionScale));
}

}  // namespace trcost
