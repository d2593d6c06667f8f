// SPDX-License-Identifier: Apache-2.0
// How loss follows parameters and tokens, and the pair that a budget of compute is best spent on.
#pragma once

namespace trcost {

/// L(N, D) = E + A/N^alpha + B/D^beta. Default: the refit of Hoffmann et al. by Epoch
/// (epoch-research/analyzing-chinchilla, data_analysis.ipynb).
struct ScalingLaw {
  double A = 482.00572;
  double B = 2085.4342;
  double E = 1.81686;
  double alpha = 0.34781;
  double beta = 0.36585;
};
struct ComputeOptimal {
  double params = 0;
  double tokens = 0;
};
/// The pair that minimises loss for `flop` = 6 N D: Hoffmann et al., arXiv 2203.15556.
ComputeOptimal compute_optimal(double flop, const ScalingLaw& law = {});
/// Tokens at which a model of `params` is compute-optimal.
double optimal_tokens(double params, const ScalingLaw& law = {});
/// Nats per token, for relative decisions only.
double scaling_loss(double params, double tokens, const ScalingLaw& law = {});
/// Tokens that bring `params` to `loss`; throws Error (no_answer) below the floor E + A/N^alpha.
double tokens_for_loss(double params, double loss, const ScalingLaw& law = {});
/// Value of repeating `unique` tokens for `epochs`, in fresh tokens (Muennighoff et al. 2305.16264,
/// R_D* = 15.387756).
double effective_tokens(double unique, double epochs);

}  // namespace trcost
