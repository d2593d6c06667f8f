// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "performance/training/step_model.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// What a search may choose: every degree that is empty. Those given are honoured.
struct PlanRequest : Degrees {
  double gpus = 1;
  /// Sequences per step; empty: about `batch_hint`, weighed against what another batch costs in
  /// tokens (batch_cost). A given batch is rounded only where no good layout divides it: compare
  /// Layout::global_batch and say so.
  std::optional<double> global_batch;
  double batch_hint = 1;
  /// Sequences, critical_batch_tokens() of the training; empty where its tokens are unknown: 8
  /// times `batch_hint`, as published batches lie beside it.
  std::optional<double> critical_batch;
  /// Only batches within this share of `batch_hint`, where none is given.
  std::optional<double> batch_range;
  std::optional<double> micro_batch;
  std::optional<Sharding> sharding;
  std::optional<Recompute> recompute;
  std::optional<ContextKind> context_kind;  ///< empty: the stack's
  std::optional<int> recompute_layers;      ///< see Layout::recompute_layers
  bool sequence_parallel = true;
  /// Share of the capacity that a plan leaves free, unless nothing that does so fits.
  double memory_margin = 0;
  /// Take the layout with the least memory where none fits, instead of an Error.
  bool allow_too_large = false;

  /// Whether every degree is given (one beside tp and pp, and ep, may follow from the rest): then
  /// the layout is computed even where it does not fit, and what is left open only chosen so that
  /// it does, if possible. All that multiply to the GPUs (Dimension::of_gpus) may make fewer, and
  /// the rest stay idle.
  [[nodiscard]] bool complete() const;
  /// The GPUs that the degrees given leave at work.
  [[nodiscard]] double gpus_at_work() const;
  bool operator==(const PlanRequest&) const = default;
};

/// `pp 2, sharding optimizer`: what of a request its stack cannot do; empty: nothing.
std::string beyond_stack(const PlanRequest& request, const Stack& stack);

/// A chosen layout with what the performance floor says of it.
struct Plan {
  Layout layout;
  StepTime time;
  MemoryUse memory;
  /// Best layout with another (tp, pp, cp, ep, sharding, recompute) that takes no less time.
  std::optional<Layout> runner_up;
  double runner_up_seconds = 0;
  double evaluated = 0;   ///< layouts whose step was computed
  double considered = 0;  ///< layouts that were ranked for it, at most kMostConsidered
};

/// A search ranks no more layouts than this, and so takes a fraction of a second whatever it is
/// asked: structures that come later, with more stages and more ranks per sequence, are left out.
inline constexpr double kMostConsidered = 100'000;

/// Nobody who says tp, pp and dp and no virtual stages means them, as published layouts do.
void assume_no_virtual_stages(PlanRequest& request);

/// The layout with the most tokens per second that fits (model.md 5.4): every (tp, pp, vp, cp, ep,
/// micro-batch, sharding, recompute) that divides the model and the cluster. Ties go to the simpler
/// layout, so the result is deterministic. Throws Error (usage) where the given degrees do not
/// multiply to the GPUs or do not divide model or batch, naming which; Error (no_answer) where
/// nothing fits, with the smallest number of GPUs that would.
Plan plan(const StepModel& model, const PlanRequest& request);

/// As plan(), nothing where no layout fits.
std::optional<Plan> fitting_plan(const StepModel& model, const PlanRequest& request);

/// As plan(), on as many of the GPUs as train fastest: 1,001 divide into no good layout, 1,000 of
/// them do. More than half work, unless the batch is given; some stay idle only where that is
/// clearly faster, or where nothing fits on all. Layout::gpus() says how many work. With a
/// data-parallel or every degree given it is plan().
Plan plan_with_idle(const StepModel& model, const PlanRequest& request);

/// The smallest number of GPUs, in whole nodes beyond one node, for which a layout fits; empty if
/// none up to `most`.
std::optional<double> smallest_cluster(const StepModel& model, const PlanRequest& request,
                                       double most);

/// Tokens per step beyond which more of them save few steps: 0.0471 D^0.462 sequences of 2,048
/// tokens for D training tokens, whatever the parameters (Power Lines, arXiv:2505.13738, with an
/// exponent of 0.47 found independently in arXiv:2410.21676). Every published batch of the test of
/// this function lies below it, GPT-3's by a factor of 6, DeepSeek-V3's by a factor of 2.
double critical_batch_tokens(double training_tokens);

/// What training in steps of `batch` costs beside steps of `usual`, as a factor on the tokens for
/// the same loss; all three in the same unit. Larger: (1 + B / B_crit) / (1 + B_usual / B_crit)
/// (McCandlish et al., arXiv:1812.06162, equation 2.11). Smaller: 5 % at half of it, with the
/// square of the logarithm (arXiv:2607.01487: a loss of 5 % of the compute a factor of two beside
/// the best).
double batch_cost(double batch, double usual, double critical);

/// Sequences per step where nobody said: 4 Mi tokens at 2e12 training tokens (Llama 2, arXiv:
/// 2307.09288, section 2.2), growing with tokens^0.6, which meets the 16 Mi of Llama 3.1 405B at
/// 15.6e12 (arXiv:2407.21783, section 3.4.1) and the 0.5 to 3.2 Mi of GPT-3 at 0.3e12 (arXiv:
/// 2005.14165, table 2.1); not below 128 sequences or 0.5 Mi tokens, whichever is less, as
/// fine-tuning uses (LLaVA-1.5: 128 to 256 samples). `sequences` is rounded to a power of two.
struct UsualBatch {
  double seq_length = 1;
  double tokens = 0;
  double sequences = 0;
};
UsualBatch compute_usual_batch(double training_tokens, double seq_length);

/// The same on a cluster of so many GPUs: at least 4,096 tokens for each, since fewer leave most of
/// them without a sequence of their own; up to four times the rule and to 4 Mi tokens, which
/// published runs used at 0.27e12 to 2e12 tokens whatever the model: BLOOM (arXiv:2211.05100),
/// MT-NLG (arXiv:2201.11990) and Llama 2 7B (arXiv:2307.09288, section 2.2).
double cluster_global_batch(const UsualBatch& usual, double gpus);

}  // namespace trcost::planner
