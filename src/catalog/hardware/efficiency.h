// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/models/model.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"

namespace trcost::catalog {

/// How well a run's software is fitted to its model and chip.
enum class Tuning : std::uint8_t {
  showcase,   ///< as its authors, the maker of the chip or a record submission shows it
  usual,      ///< as laboratories, clouds and users run it
  first_run,  ///< as it starts, before anyone has looked for what it loses
};
std::string_view tuning_name(Tuning tuning);

/// Bytes that one parameter under training takes, before sharding (model.md 4.1).
struct StateBytes {
  double weights = 0;  ///< of the copy that matmuls read
  double gradients = 0;
  double optimizer = 0;  ///< master weights and both moments of Adam
  [[nodiscard]] double total() const { return weights + gradients + optimizer; }
};

/// How a software stack uses memory. Sources beside the values in data/stacks and data/assumed.
struct MemoryRecipe {
  StateBytes states;            ///< full training in 16 bits
  StateBytes adapter_states;    ///< LoRA matrices: 16 bytes per parameter (model.md 4.1)
  double logits_bytes = 0;      ///< per logit: 14 eager, 6 fused, about 0 chunked (model.md 4.4)
  double activation_share = 0;  ///< of the formula's activations that the stack really keeps
  double score_share = 0;       ///< likewise of materialised scores of attention
  double selective_share = 0;   ///< of that again, what selective recomputation keeps
  double unpacked_bytes = 0;    ///< per frozen parameter beside a base in 4 bits
  double update_copies = 0;     ///< of the weights, made where AdamW updates all at once
  double low_precision_inputs = 0;  ///< bytes per saved matmul input under an 8- or 4-bit recipe
  double frozen_low_precision_bytes = 0;  ///< per frozen parameter under an 8- or 4-bit recipe
  double unsharded_layers = 0;            ///< layers gathered at a time with sharded parameters
  bool unsharded_embeddings = true;       ///< embedding and head stay gathered through the step
  double context_bytes = 0;               ///< context and libraries of one device
  double network_bytes = 0;               ///< communication buffers of a device that has peers
  double fragmentation = 0;               ///< of what the allocator moves: activations and logits
  /// Of what the framework sees, that a plan may fill: 94 % of the chip (model.md 4.5), of which
  /// the driver keeps one in a hundred.
  double plan_share = 0;
};

/// Which models a family of measured rows is of.
enum class ModelFamily : std::uint8_t { any, dense, moe, vision, contrastive };
/// Which kind of training.
enum class TaskFamily : std::uint8_t { any, pretrain, finetune };
/// Whether the layout was published, or is planned anew.
enum class LayoutFamily : std::uint8_t { any, known, planned };

/// How far predictions lay from a family of measured rows when their whole source was left out of
/// the fit (data/efficiency/residuals.csv, written by tests/calibration/refit.py).
struct ResidualFamily {
  std::optional<std::string> architecture;  ///< empty: of any
  std::optional<std::string> stack;
  ModelFamily model = ModelFamily::any;
  TaskFamily task = TaskFamily::any;
  LayoutFamily layout = LayoutFamily::any;
  int rows = 0;
  double groups = 0;  ///< independent experiments
  /// How many sources they effectively are: one vendor's count little.
  double sources = 0;
  double sigma = 0;         ///< spread of ln(predicted/measured): its 68 % quantile
  double median_error = 0;  ///< median |predicted/measured - 1|
  std::string words;        ///< the family for people
};

/// What an accelerator reaches of its specification in training, whatever the software. Fitted to
/// published measurements (tests/calibration/refit.py), or by rule from the specification. A number
/// that no file of its own gives is that of data/assumed/chip.json.
struct Efficiency {
  std::string accelerator;
  bool measured = false;  ///< fitted to rows of this chip; false: by rule, wider range
  std::string source;     ///< the measurements, or the rule, in words
  /// Share of the dense peak that a large matmul reaches inside a training step.
  std::array<double, kPrecisionCount> matmul{};
  double ramp_seconds = 0;    ///< start and drain of one matmul: the size curve
  double batched_matmul = 0;  ///< share of peak of the per-head matmuls of standard attention
  /// Of the fastest fused attention, share of the 16-bit peak, head dim 128, long sequence.
  double flash_forward = 0;
  double flash_backward = 0;
  double flash2_forward = 0;  ///< the same of FlashAttention 2; at most that of the fastest
  double flash2_backward = 0;
  double flash_head_half = 0;     ///< head dim with half of the ideal rate: e(d) = d / (d + half)
  double flash_length_half = 0;   ///< tokens, likewise for the length of a sequence
  double memory = 0;              ///< share of the memory bandwidth that streaming kernels reach
  double link = 0;                ///< share of the innermost tier's bandwidth
  double link_half_bytes = 0;     ///< payload of a collective at half of that: the size curve
  double network = 0;             ///< share of the bandwidth of the tiers outside of it
  double kernel_gap_seconds = 0;  ///< idle time between two queued kernels
  double usual_gap = 0;           ///< of a young chip, on top of its stack's
  std::vector<ResidualFamily> residuals;  ///< of its architecture, and those of any
};

/// `2025-10` of a year.
std::string month_words(double year);

/// Which releases of a software the measurements cover, in years (2025.25 is the end of March).
/// Kernels get faster from release to release on the same chip: `Stack::release_gain`.
struct StackReleases {
  double reference = 0;  ///< the release that the other constants describe
  double oldest = 0;     ///< earlier ones are not covered
  double newest = 0;     ///< later ones are taken to be like this one
  std::vector<std::pair<std::string, double>> names;  ///< rounds or versions that carry no date
};

/// The middle of a month that is written YYYY-MM, or YY.MM with anything after a further dot, in
/// years.
std::optional<double> release_month(std::string_view month);

/// Year of a release as it is stated: release_year() before it is taken as `newest`.
std::optional<double> stated_year(const StackReleases& releases, std::string_view release);
/// Year of a release written as YYYY-MM, as YY.MM with anything after a further dot, or as one of
/// the stack's names; at most `newest`. Empty for anything else and for what is older than
/// `oldest`.
std::optional<double> release_year(const StackReleases& releases, std::string_view release);

/// What a stack was calibrated to (trcost calibrate): a user's own steps.
struct MeasuredSteps {
  int rows = 0;                           ///< 0: the stack is no one's own
  std::string base;                       ///< the stack that was calibrated
  std::vector<std::string> accelerators;  ///< that the steps ran on, by their names
  double sigma = 0;            ///< of ln(predicted / measured) of one more step like them
  double sigma_elsewhere = 0;  ///< the same on another chip
};

/// What fused attention is where nobody says: of the chip's architecture, else of all.
struct AttentionKernels {
  Attention usual = Attention::flash2;
  std::vector<std::pair<std::string, Attention>> by_architecture;
  [[nodiscard]] Attention on(std::string_view architecture) const;
};

/// What the training software adds, whatever the accelerator. A number that its file leaves out is
/// that of data/assumed/stack.json; an ability that it leaves out it has.
struct Stack {
  std::string name;
  std::string title;
  std::string source;
  /// What the software can do, for who chooses a layout, by kDimensions; a layout that was asked
  /// for is computed all the same, and a warning says so.
  std::array<bool, kDimensionCount> dimensions = [] {
    std::array<bool, kDimensionCount> all{};
    all.fill(true);
    return all;
  }();
  ContextKind context_kind = ContextKind::ring;
  bool partial_recompute =
      false;  ///< recomputes as many layers as memory asks for, not all or none
  /// By Sharding; hybrid is never chosen.
  std::array<bool, kShardingCount> shardings{true, true, true, true};
  AttentionKernels attention_kernels;
  MemoryRecipe memory;        ///< what it keeps on a device
  StackReleases releases;     ///< empty (reference 0) where releases are not told apart
  double release_years = 0;   ///< of this release, from the reference
  bool after_newest = false;  ///< this release is later than those that measurements cover
  double release_gain = 0;    ///< ln of the kernels' gain in speed per year
  Tuning described = Tuning::showcase;  ///< whose runs the constants describe
  Tuning usual = Tuning::usual;         ///< what most of its users get: the default
  double usual_gap = 0;                 ///< ln of a usual step's time over that of a showcase
  double first_run_gap = 0;             ///< ln of a first run's over that of a usual one
  double usual_overlap = 0;  ///< share of the showcase's hidden tensor and expert exchange
                             ///< that usual runs hide: its switches are off unless set
  [[nodiscard]] bool can(const Dimension& dimension) const {
    return dimensions[static_cast<std::size_t>(&dimension - kDimensions)];
  }
  /// What shards parameters does so within a domain too.
  [[nodiscard]] bool can(Sharding sharding) const {
    const Sharding within = sharding == Sharding::hybrid ? Sharding::parameters : sharding;
    return shardings[static_cast<std::size_t>(within)];
  }
  MeasuredSteps measured;         ///< of a stack that was calibrated to a user's own steps
  double kernel_time = 0;         ///< factor on the time of every kernel
  double exchange_time = 0;       ///< factor on the time of every exchange
  double matmul = 0;              ///< factor on the chip's matmul rate
  double flash = 0;               ///< factor on the chip's attention rates
  double legacy_elementwise = 0;  ///< further traffic where attention is materialised: software of
                                  ///< before 2023, whose element-wise work is not fused
  double elementwise = 0;         ///< memory traffic relative to fully fused kernels
  double kernels = 0;             ///< element-wise kernels per layer and forward pass
  /// Host time to issue a block's forward pass of a micro-batch, twice that backward: no device is
  /// faster, however small its share. Python, autograd, hooks and checks between the kernels take
  /// it.
  double block_seconds = 0;
  /// More of a block of experts: the host reads how many tokens each got before it issues the rest.
  double expert_block_seconds = 0;
  /// The same of each expert that a rank holds, where the model's code calls one after another.
  double expert_loop_seconds = 0;
  double showcase_issued = 0;  ///< share of all three that showcases take: CUDA graphs issue
                               ///< the rest
  double collective_dispatch_seconds = 0;  ///< host time to issue one collective
  double micro_batch_seconds = 0;  ///< host time per micro-batch and pass: schedule, loss, logging
  /// Further host time of vision-language code to gather a block's sharded weights, per block and
  /// pass.
  double vision_gather_seconds = 0;
  /// Processes per accelerator that decode and prepare images: the cores of a training node, 2 x 56
  /// for 8 (DGX H100), 2 x 64 for 8 (DGX A100).
  double loader_workers = 0;
  double step_seconds = 0;            ///< fixed cost of a step: optimizer launch, clipping, logging
  double tensor_overlap = 0;          ///< hidden share of tensor-parallel exchange
  double expert_overlap = 0;          ///< hidden share of the all-to-all inside of a domain
  double expert_network_overlap = 0;  ///< the same where it crosses the network: showcases run it
                                      ///< behind another micro-batch where it would show
  double context_imbalance = 0;  ///< share of a causal ring's uneven work that is not balanced out
  double pipeline_overlap = 0;   ///< hidden share of stage-to-stage transfers
  double stage_imbalance = 0;    ///< share of the slowest stage's surplus that delays a step
  double data_overlap = 0;       ///< share of the window that hides data-parallel exchange
  double contention = 0;         ///< compute lost per second of overlapped exchange
  /// The same, at least, of sharded weights' gathers and their gradients' scatters, by the share of
  /// ranks on other hosts; where a file says nothing, as the rows of FSDP show.
  double gather_contention = 0;
  double grouped_half = 0;      ///< tokens per expert with half of the matmul rate
  double expert_kernels = 0;    ///< further kernels of a mixture-of-experts layer and pass
  double selective_matmul = 0;  ///< share of the forward matmuls that selective recomputation
                                ///< repeats beside norms and activations
  /// Traffic of routing, permuting, relative to one read and write each.
  double expert_traffic = 0;
  /// The same under block-scaled recipes (mxfp8, nvfp4), which run on fused routing and
  /// quantisation.
  double expert_traffic_block = 0;
  bool eager_encoders = false;  ///< encoders of a fixed size materialise their attention's scores
  /// A token crosses the network once per node, not once per expert.
  bool expert_dedup = true;
  double gradient_bytes = 0;      ///< per parameter, exchanged between data-parallel ranks
  double optimizer_bytes = 0;     ///< memory traffic of the update per local parameter
  double straggler = 0;           ///< time lost per doubling of the nodes
  double lora_traffic = 0;        ///< traffic of the adapters relative to unfused kernels
  double dequantise_traffic = 0;  ///< traffic of 4-bit weights relative to one read and one write
};

template <class T>
struct Constant;  // catalog/constants.h

/// What the server of a chip draws and costs: the same of data/assumed/server.json.
std::span<const Constant<Accelerator>> server_facts();
/// The fitted numbers: how files, the refit script and documentation name them, and their ranges.
std::span<const Constant<Efficiency>> efficiency_constants();
std::span<const Constant<Stack>> stack_constants();

/// Constants of a chip without measurements: `assumed`, with matmuls by rule: 0.7 of the best
/// measured rate where one is published, else 0.55 of the dense peak (model.md 5.2).
Efficiency efficiency_by_rule(const Accelerator& accelerator, Efficiency assumed);

/// Constants of a chip whose file names `kin` as its sibling: those of `kin`, its matmuls by the
/// ratio of what each reaches of its own peak in measurements of matmuls alone, where both are
/// published, and by rule in formats that `kin` lacks.
Efficiency efficiency_alike(const Accelerator& accelerator, const Accelerator& kin,
                            Efficiency of_kin);

}  // namespace trcost::catalog
