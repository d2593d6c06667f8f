// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/bill.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"
#include "trcost/scenario.h"
#include "trcost/uncertainty.h"

namespace trcost {

namespace performance {
struct StepAccount;
}  // namespace performance
namespace workload {
enum class Work : std::uint8_t;
}  // namespace workload

/// A default that trcost applied because the scenario left the field unset.
struct Assumption {
  std::string path;   ///< field, e.g. `data.tokens`
  std::string value;  ///< as written on the command line
  std::string unit;
  std::string why;
  std::string source;
};

/// One factor between dense peak and realised MFU. The factors multiply to it.
struct WaterfallTerm {
  std::string_view term;
  double share = 1;
};

/// One phase of a round with its share of the whole job.
struct PhaseResult {
  std::string stage;        ///< empty for a training of one stage
  std::string_view name;    ///< `generate`, `train_policy`
  std::string_view method;  ///< of its round: `pretrain`, `sft`, `ppo`
  workload::Work work{};
  double gpus = 0;
  double step_seconds = 0;    ///< of a round
  double tokens = 0;          ///< of a round
  double model_flops = 0;     ///< of a round
  double hardware_flops = 0;  ///< of a round, with recomputation
  double gpu_hours = 0;       ///< of the job, which with waiting they sum to
  /// Cost of this phase: the bill split in proportion to GPU-hours.
  std::optional<double> cost;
  Layout layout;
  double layers = 0;                    ///< of the model, partitioned by the layout
  std::optional<ServingLayout> engine;  ///< of a replica that generates
};

/// The rounds of a job with rollouts.
struct RolloutSummary {
  double rounds = 0;
  double responses = 0;  ///< of a round
  double generated_tokens = 0;
  double generation_share = 0;  ///< of the time of a round
  double idle_share = 0;        ///< of the engines' slots, waiting for the longest response
  double tail_share = 0;  ///< of generation, with fewer than a quarter of the responses in flight
  double longest_over_mean = 0;
  double sequences_per_engine = 0;
  double engine_bytes = 0;    ///< weights and reserve, on each accelerator that generates
  double kv_cache_bytes = 0;  ///< of the responses in flight, on each of them
  double moving_seconds = 0;  ///< of a round, to copy the learner's states to the host and back
  std::optional<double> usd_per_round, usd_per_million_generated;
};

/// Media that samples carry besides text.
enum class Medium : std::uint8_t { image, video, audio };

/// Words for one medium and for its decoded parts: `image` and `images`, `clip` and `frames`.
std::string_view medium_word(Medium medium);
std::string_view decoded_words(Medium medium);

/// Names and sizes of the model.
struct ModelSummary {
  std::string name;        ///< e.g. `10.0B vl`
  bool from_size = false;  ///< shaped from a parameter count, which is its name
  double params_total = 0, params_active = 0, params_vision = 0, params_projector = 0;
  std::optional<double> params_trainable;  ///< unknown if stages differ
  double layers = 0, hidden = 0, heads = 0, kv_heads = 0, ffn = 0, vocab = 0;
  double dealt_layers = 0;  ///< partitioned by a pipeline, inserted layers included
  bool operator==(const ModelSummary&) const = default;
  /// Whether a token uses a part of the parameters only, as in a mixture of experts.
  [[nodiscard]] bool sparse() const {
    return params_active > 0 && params_active < 0.999 * params_total;
  }
};

/// One stage of a training that has several.
struct StageResult {
  std::string name;
  double gpus = 0;
  double tokens = 0;
  double flops = 0;
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  double step_seconds = 0;
  double mfu = 0;
  ModelSummary model;
  std::string method;                    ///< time model and its error
  std::optional<Obligation> obligation;  ///< of a reserved price
  Layout layout;
  MemoryUse memory;
};

/// Tokens of a training.
struct TokenTotals {
  double total = 0;  ///< processed by the language model
  double text = 0;
  double vision = 0;             ///< in the language model
  double vision_encoder = 0;     ///< in the encoder
  bool compute_optimal = false;  ///< chosen by the scaling law
  bool published = false;        ///< as many as the model was trained on
};

/// FLOPs of a training.
struct FlopTotals {
  double model = 0;     ///< whole training, model.md 2.2
  double hardware = 0;  ///< with recomputation
  double per_token = 0;
  double language = 0, vision = 0, projector = 0;
  double rule_6nd = 0;
};

/// Speed of a training.
struct PerformanceSummary {
  double step_seconds = 0;  ///< steady state
  double tokens_per_second_per_gpu = 0;
  double tflops_per_gpu = 0;  ///< model TFLOP/s
  double mfu = 0;             ///< against the dense peak of the precision used
  double hfu = 0;
  std::optional<double> mfu_bf16;  ///< of the bf16 dense peak, if the chip has one
  /// Share of the step that is not exposed communication. Unknown if steps are not modelled (a
  /// given MFU) or a round has several kinds of work.
  std::optional<double> interconnect_efficiency;
  double goodput = 1;
  double production_overhead = 1;
  /// Extra tokens, as a share, that this batch takes for the same loss as the usual batch. Empty if
  /// the loss depends on the batch itself, as in contrastive training.
  std::optional<double> batch_token_cost;
  std::string method;                    ///< time model and its error
  std::optional<MethodQuality> quality;  ///< unknown if stages differ
};

/// Amounts of the steps, which add over the rounds of a training. Ratios of several rounds are
/// quotients of these sums.
struct WorkTotals {
  double steps = 0;
  double step_seconds = 0;  ///< of all steps in sequence
  double tokens = 0;        ///< of all steps
  double model_flop = 0, hardware_flop = 0;
  double peak_flop = 0;                      ///< of the accelerators at peak during these steps
  std::optional<double> peak_flop_bf16 = 0;  ///< at the bf16 peak, if the chip has one
  double busy_seconds = 0;                   ///< accelerator-seconds of steps
  /// Accelerator-seconds of exposed communication, part of busy_seconds.
  std::optional<double> network_seconds = 0;
  double running_seconds = 0;              ///< with time lost to failures
  double paid_seconds = 0;                 ///< with production overhead
  std::optional<double> batch_tokens = 0;  ///< saved by the usual batch
};

/// Bottlenecks of training.
inline constexpr std::string_view kBoundByAccelerators = "accelerators";
inline constexpr std::string_view kBoundByLoader = "loader";
inline constexpr std::string_view kBoundByStorage = "storage";

/// Demand on the data pipeline.
struct PipelineResult {
  /// Images per second that the whole cluster could take, or frames of video, or 30-second windows
  /// of audio.
  double images_per_second = 0;
  double images_reached_per_second = 0;  ///< at the pace of the bottleneck
  double bytes_per_second = 0;
  double decode_cores_per_gpu = 0;
  double dataset_bytes = 0;
  bool gpu_bound = true;
  std::string verdict;
  std::string_view bound_by = kBoundByAccelerators;  ///< the bottleneck
};

/// The whole answer for one platform.
struct Estimate {
  /// Account of the step, with derivations and for a run of one phase.
  std::shared_ptr<const performance::StepAccount> step;
  std::string accelerator;
  std::string accelerator_title;
  std::string system;
  std::string price_data_date;  ///< of the price book
  double gpus = 0;
  Precision precision = Precision::bf16;
  bool one_precision = true;  ///< false where stages differ
  bool complete = true;
  ModelSummary model;
  bool one_model = true;  ///< false if stages differ, then only names are set
  TokenTotals tokens;
  Medium medium = Medium::image;  ///< of the vision tokens
  FlopTotals flops;
  Layout layout;
  bool one_layout = true;  ///< false if stages differ, see `stages`
  MemoryUse memory;        ///< of the fullest stage, fits if all stages do
  WorkTotals work;
  PerformanceSummary performance;
  std::vector<WaterfallTerm> waterfall;
  double steps = 0;                  ///< rounded up
  std::optional<double> seq_length;  ///< unknown if stages differ
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  EnergyResult energy;
  CostResult cost;
  RangeResult range;
  std::optional<PipelineResult> pipeline;
  std::vector<StageResult> stages;
  std::vector<PhaseResult> phases;  ///< one for a plain run
  std::optional<RolloutSummary> rollout;
  std::vector<Assumption> assumptions;
  std::vector<Derivation> derivations;  ///< with EstimateOptions::derivations
  std::vector<std::string> warnings;
  std::string runner_up;  ///< the second-best layout and how much slower it is
  /// Requested layout features that the stack does not support, empty if none. They are computed
  /// all the same.
  std::string beyond_stack;
};

/// Parts of an estimate that can be left out for speed.
struct EstimateOptions {
  bool assumptions = true;   ///< with warnings and runner-up
  bool derivations = false;  ///< the chain of --explain
  bool range = true;
  /// Receives a line per choice of layout and price. Empty by default.
  std::function<void(std::string_view)> trace = {};
};

/// A measured speed.
struct Pace {
  double factor = 1;  ///< measured seconds of a step over those of the time model
  std::optional<double> wall_clock_seconds = {};  ///< of the whole run, if measured
};

/// Answers scenarios and caches slow parts between calls, so one per thread. Results do not depend
/// on earlier calls.
class Estimator {
 public:
  explicit Estimator(const Catalog& catalog, EstimateOptions options = {});
  ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  /// Returns one estimate per platform of `hardware.accelerator`, by default the five leading ones,
  /// in that order. Throws Error. A platform without an answer (lacking format, model that does not
  /// fit) is an Error if it is the only one, else an entry of `failures`.
  std::vector<Estimate> run(const Scenario& scenario);
  /// Estimates one platform into `out`, whose memory is reused.
  void run_one(const Scenario& scenario, std::string_view accelerator, Estimate& out);
  /// Estimates clock, bill and range of the predicted layout at a measured pace. The share of the
  /// time that is steps stays the predicted one. Not for a training in stages or with rollouts.
  void run_paced(const Scenario& scenario, std::string_view accelerator, const Pace& pace,
                 Estimate& out);

  struct Failure {
    std::string accelerator;
    std::string message;
    std::string hint;
  };
  [[nodiscard]] const std::vector<Failure>& failures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The total that is exceeded with a chance of 1 - `share`, as a lognormal through the median and
/// the nearer end of the range. The total itself at 0.5. Empty if it is not known.
std::optional<double> total_at(const Estimate& estimate, double share);

/// Estimates a scenario, as a pure function of scenario and catalog.
std::vector<Estimate> estimate(const Scenario& scenario, const Catalog& catalog,
                               EstimateOptions options = {});

/// The platforms of a scenario, or the compared ones (data/assumed/scenario.json) if
/// `hardware.accelerator` is not set.
std::vector<std::string> platforms_of(const Scenario& scenario, const Catalog& catalog);

/// A published model and the tokens that it was pre-trained on.
struct TokenExample {
  std::string name;
  double params = 0;  ///< of the whole model
  double tokens = 0;
  std::string source;
};

/// The scenario with another number of tokens, on the same platform.
struct TokenAlternative {
  double tokens = 0;
  TokenExample example;  ///< the published model of this budget that is nearest in size
  std::string accelerator;
  double gpus = 0;
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
};

/// The published model nearest in size that saw clearly more tokens than the compute-optimal ones
/// of `optimal`. Empty where token_alternatives() is empty for lack of a budget.
std::optional<TokenExample> token_example(const Scenario& scenario, const Catalog& catalog,
                                          const Estimate& optimal);

/// The training that a catalog model got, as its makers published it.
struct PublishedHours {
  double gpu_hours = 0;
  std::string accelerator;  ///< as published: `H100 SXM 80GB`
  std::string source;
};

/// The published GPU-hours of the model of `estimate`, which trains on its own number of tokens.
/// Empty for other numbers of tokens and for models whose GPU-hours are not published.
std::optional<PublishedHours> published_hours(const Catalog& catalog, const Estimate& estimate);

/// The error on new sources, which were predicted before they joined the data.
struct UnseenError {
  double sources = 0;
  double median = 0;        ///< of |predicted / measured - 1|
  double tenth_factor = 1;  ///< exceeded by one source in ten
};

/// The error on new sources of the kind of `estimate`. Empty for a stack that is calibrated to
/// the user's own steps.
std::optional<UnseenError> unseen_error(const Catalog& catalog, const Estimate& estimate);

/// Estimates `scenario` with the tokens of published models, on the platform of `optimal`, since
/// compute-optimal tokens are a tenth to a hundredth of practice. One per budget of data/runs/
/// token_budgets.json that is clearly larger and has an answer. Empty if tokens or samples are
/// given, for stages, and if the language model is not trained as a whole.
std::vector<TokenAlternative> token_alternatives(const Scenario& scenario, const Catalog& catalog,
                                                 const Estimate& optimal);

}  // namespace trcost
