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

/// Something that the user did not say.
struct Assumption {
  std::string path;   ///< field, e.g. `data.tokens`
  std::string value;  ///< as written on the command line
  std::string unit;
  std::string why;
  std::string source;
};

/// A share of the way from dense peak to realised MFU; the shares multiply to it.
struct WaterfallTerm {
  std::string_view term;
  double share = 1;
};

/// One phase of a round: what it takes of the whole job.
struct PhaseResult {
  std::string stage;        ///< of a training in several, else empty
  std::string_view name;    ///< `generate`, `train_policy`
  std::string_view method;  ///< of its round: `pretrain`, `sft`, `ppo`
  workload::Work work{};
  double gpus = 0;
  double step_seconds = 0;    ///< of a round
  double tokens = 0;          ///< of a round
  double model_flops = 0;     ///< of a round
  double hardware_flops = 0;  ///< of a round: what learns does its recomputed layers again
  double gpu_hours = 0;  ///< of the job; with the waiting between phases they add up to its own
  /// Its share of the whole bill by the time of its accelerators, in which storage and egress are
  /// divided likewise.
  std::optional<double> cost;
  Layout layout;
  double layers = 0;                    ///< of the model, which the layout splits
  std::optional<ServingLayout> engine;  ///< of a replica that generates
};

/// A job with rollouts: what its rounds are like.
struct RolloutSummary {
  double rounds = 0;
  double responses = 0;  ///< of a round
  double generated_tokens = 0;
  double generation_share = 0;  ///< of the time of a round
  double idle_share = 0;        ///< of the engines' slots, waiting for the longest response
  double tail_share = 0;  ///< of generation, with less than a quarter of the responses in flight
  double longest_over_mean = 0;
  double sequences_per_engine = 0;
  double engine_bytes = 0;    ///< weights and reserve, on each accelerator that generates
  double kv_cache_bytes = 0;  ///< of the responses in flight, likewise
  double moving_seconds = 0;  ///< of a round, in which the learner's states go to the host and back
  std::optional<double> usd_per_round, usd_per_million_generated;
};

/// What samples carry beside text.
enum class Medium : std::uint8_t { image, video, audio };

/// One of them, and what is decoded of it: `image` and `images`, `clip` and `frames`.
std::string_view medium_word(Medium medium);
std::string_view decoded_words(Medium medium);

struct ModelSummary {
  std::string name;        ///< as asked, e.g. `10.0B vl`
  bool from_size = false;  ///< made from a parameter count alone: its name is that count
  double params_total = 0, params_active = 0, params_vision = 0, params_projector = 0;
  std::optional<double> params_trainable;  ///< unknown where stages differ
  double layers = 0, hidden = 0, heads = 0, kv_heads = 0, ffn = 0, vocab = 0;
  double dealt_layers = 0;  ///< with inserted and further ones: those that a pipeline deals
  bool operator==(const ModelSummary&) const = default;
};

/// One stage of a training that has several: what adds, and what is its own, which does not.
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
  std::string method;                    ///< which model answered and how good it is there
  std::optional<Obligation> obligation;  ///< of a reserved price
  Layout layout;
  MemoryUse memory;
};

struct TokenTotals {
  double total = 0;  ///< that the language model processes
  double text = 0;
  double vision = 0;             ///< as the language model sees them
  double vision_encoder = 0;     ///< as the encoder sees them
  bool compute_optimal = false;  ///< nobody said how many: the scaling law did
};

struct FlopTotals {
  double model = 0;     ///< whole training, model.md 2.2
  double hardware = 0;  ///< with recomputation
  double per_token = 0;
  double language = 0, vision = 0, projector = 0;
  double rule_6nd = 0;
};

struct PerformanceSummary {
  double step_seconds = 0;  ///< steady state
  double tokens_per_second_per_gpu = 0;
  double tflops_per_gpu = 0;  ///< model TFLOP/s
  double mfu = 0;             ///< against the dense peak of the precision used
  double hfu = 0;
  std::optional<double> mfu_bf16;  ///< against the bf16 dense peak, where the chip has one
  /// Share of the step that is not exposed communication. Unknown where steps are not modelled (a
  /// given MFU) or a round is of several kinds of work.
  std::optional<double> interconnect_efficiency;
  double goodput = 1;
  double production_overhead = 1;
  /// Share of the tokens that steps of this batch cost more than steps of the usual one for the
  /// same loss (batch_cost); none where the loss depends on the batch itself, as in contrastive
  /// training.
  std::optional<double> batch_token_cost;
  std::string method;                    ///< which model answered and how good it is there
  std::optional<MethodQuality> quality;  ///< unknown where stages differ
};

/// What steps take, in amounts that add over the rounds of a training. The ratios of several rounds
/// are quotients of these sums (ratios_of), never sums or means of ratios.
struct WorkTotals {
  double steps = 0;
  double step_seconds = 0;  ///< of all steps one after another
  double tokens = 0;        ///< that steps pass over
  double model_flop = 0, hardware_flop = 0;
  double peak_flop = 0;                      ///< that the accelerators could do in these steps
  std::optional<double> peak_flop_bf16 = 0;  ///< the same in bf16, on chips that have it
  double busy_seconds = 0;                   ///< accelerator-seconds of steps
  /// Of them, those that wait for exposed communication.
  std::optional<double> network_seconds = 0;
  double running_seconds = 0;              ///< with those that failures cost
  double paid_seconds = 0;                 ///< with what else production takes
  std::optional<double> batch_tokens = 0;  ///< that the usual batch would have saved
};
void add(WorkTotals& sum, const WorkTotals& more);
/// Compute-optimal where all are.
void add(TokenTotals& sum, const TokenTotals& more);
/// FLOPs per token are a quotient, left to who knows all tokens.
void add(FlopTotals& sum, const FlopTotals& more);
/// Sets the ratios; name and quality of the method stay.
void ratios_of(const WorkTotals& totals, PerformanceSummary& out);

/// What keeps training from being faster.
inline constexpr std::string_view kBoundByAccelerators = "accelerators";
inline constexpr std::string_view kBoundByLoader = "loader";
inline constexpr std::string_view kBoundByStorage = "storage";

/// What the data pipeline has to deliver.
struct PipelineResult {
  /// Of the whole cluster, wanted by the accelerators; frames of video, 30-second windows of audio.
  double images_per_second = 0;
  double images_reached_per_second = 0;  ///< as many as the slowest of the three lets through
  double bytes_per_second = 0;
  double decode_cores_per_gpu = 0;
  double dataset_bytes = 0;
  bool gpu_bound = true;
  std::string verdict;
  std::string_view bound_by = kBoundByAccelerators;  ///< which of the three sets the pace
};

/// The whole answer for one platform.
struct Estimate {
  std::shared_ptr<const performance::StepAccount>
      step;  ///< only with the derivations; none for several phases
  std::string accelerator;
  std::string accelerator_title;
  std::string system;
  std::string price_data_date;  ///< of the price book that answered
  double gpus = 0;
  Precision precision = Precision::bf16;
  bool one_precision = true;  ///< false where stages differ
  bool complete = true;
  ModelSummary model;
  bool one_model = true;  ///< false where stages differ: of theirs the names alone are here
  TokenTotals tokens;
  Medium medium = Medium::image;  ///< that the vision tokens are of
  FlopTotals flops;
  Layout layout;
  bool one_layout = true;  ///< false where stages differ: their layouts stand in `stages`
  MemoryUse memory;        ///< of the fullest stage; fits where all stages do
  WorkTotals work;
  PerformanceSummary performance;
  std::vector<WaterfallTerm> waterfall;
  double steps = 0;                  ///< whole ones; the last may be a part of one
  std::optional<double> seq_length;  ///< unknown where stages differ
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
  std::vector<Derivation> derivations;  ///< only when asked for
  std::vector<std::string> warnings;
  std::string runner_up;  ///< the second-best layout and by how much, in words
  /// What of the layout that was asked for the software stack cannot do, in words: it is computed
  /// all the same. Empty: nothing.
  std::string beyond_stack;
};

/// What an estimate leaves out for speed.
struct EstimateOptions {
  bool assumptions = true;   ///< also warnings, runner-up
  bool derivations = false;  ///< the chain of --explain
  bool range = true;
  /// Takes a line on what was tried and taken on the way; nobody listens by default.
  std::function<void(std::string_view)> trace = {};
};

/// What a measurement says of the speed.
struct Pace {
  double factor = 1;  ///< seconds of a step over the model's, on the plan that it found
  std::optional<double> wall_clock_seconds = {};  ///< of the whole run, where that was measured
};

/// Answers scenarios. Keeps what is expensive to prepare between calls, so one per thread; results
/// do not depend on what was asked before.
class Estimator {
 public:
  explicit Estimator(const Catalog& catalog, EstimateOptions options = {});
  ~Estimator();
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;

  /// One estimate per platform of `hardware.accelerator`, the five leading ones by default, in that
  /// order. Throws Error; a platform without an answer (format it lacks, model that does not fit)
  /// is an Error when it is the only one, else an entry of `failures`.
  std::vector<Estimate> run(const Scenario& scenario);
  /// One platform, into `out` whose memory is reused.
  void run_one(const Scenario& scenario, std::string_view accelerator, Estimate& out);
  /// The same cluster and layout at a measured pace: clock, bill and range are made from that; the
  /// share of the time that is steps stays the predicted one. Not of a
  /// training in stages, nor of rounds that generate.
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

/// estimate() of design.md: a pure function of scenario and catalog.
std::vector<Estimate> estimate(const Scenario& scenario, const Catalog& catalog,
                               EstimateOptions options = {});

/// The platforms that a scenario names; without `hardware.accelerator` those that are compared
/// (data/assumed/scenario.json).
std::vector<std::string> platforms_of(const Scenario& scenario, const Catalog& catalog);

/// A published model and the tokens that it was pre-trained on.
struct TokenExample {
  std::string name;
  double params = 0;  ///< of the whole model
  double tokens = 0;
  std::string source;
};

/// The same question with another number of tokens, on the same platform.
struct TokenAlternative {
  double tokens = 0;
  TokenExample example;  ///< the published model of this budget that is nearest in size
  std::string accelerator;
  double gpus = 0;
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
};

/// What the training costs with the tokens that published models saw, where nobody said how many:
/// the compute-optimal number is the least that makes sense, and a tenth to a hundredth of
/// practice. Estimates of `scenario` on the platform of `optimal`, one per budget of data/runs/
/// token_budgets.json that is clearly more than its compute-optimal tokens. Empty where tokens or
/// samples were given, in stages, where the language model does not learn as a whole, and for a
/// budget without an answer.
std::vector<TokenAlternative> token_alternatives(const Scenario& scenario, const Catalog& catalog,
                                                 const Estimate& optimal);

}  // namespace trcost
