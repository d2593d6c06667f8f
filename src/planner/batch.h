// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"

namespace trcost::planner {

/// Tokens per step beyond which more of them save few steps: 0.0471 D^0.462 sequences of 2,048
/// tokens for D training tokens, whatever the parameters (Power Lines, arXiv:2505.13738, with an
/// exponent of 0.47 found independently in arXiv:2410.21676). Every published batch of the test of
/// this function lies below it, GPT-3's by a factor of 6, DeepSeek-V3's by a factor of 2.
double critical_batch_tokens(double training_tokens);

/// Tokens for the same loss in steps of `batch` over those in steps of `usual`, all three in the
/// same unit. Larger: (1 + B / B_crit) / (1 + B_usual / B_crit) (McCandlish et al.,
/// arXiv:1812.06162, equation 2.11). Smaller: 5 % at half of it, growing with the square of the
/// logarithm (arXiv:2607.01487: 5 % of the compute at a factor of two from the best).
double batch_cost(double batch, double usual, double critical);

/// Default sequences per step: 4 Mi tokens at 2e12 training tokens (Llama 2, arXiv:
/// 2307.09288, section 2.2), growing with tokens^0.6, which meets the 16 Mi of Llama 3.1 405B at
/// 15.6e12 (arXiv:2407.21783, section 3.4.1) and the 0.5 to 3.2 Mi of GPT-3 at 0.3e12
/// (arXiv:2005.14165, table 2.1), but not below 128 sequences or 0.5 Mi tokens, whichever is less,
/// as fine-tuning uses (LLaVA-1.5: 128 to 256 samples). `sequences` is rounded to a power of two.
struct UsualBatch {
  double seq_length = 1;
  double tokens = 0;
  double sequences = 0;
};
UsualBatch compute_usual_batch(double training_tokens, double seq_length);

/// Default sequences per step on a cluster: at least 4,096 tokens per GPU, since fewer leave most
/// GPUs without a sequence of their own, up to four times the rule and to 4 Mi tokens, which
/// published runs used at 0.27e12 to 2e12 tokens whatever the model: BLOOM (arXiv:2211.05100),
/// MT-NLG (arXiv:2201.11990) and Llama 2 7B (arXiv:2307.09288, section 2.2).
double cluster_global_batch(const UsualBatch& usual, double gpus);

}  // namespace trcost::planner
