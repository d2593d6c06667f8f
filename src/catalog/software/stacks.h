// SPDX-License-Identifier: Apache-2.0
// Training software: data/stacks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/data/sourced_values.h"
#include "catalog/layout/layout.h"
#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/choice.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// Tuning of a run's software to its model and chip.
enum class Tuning : std::uint8_t {
  showcase,   ///< record submissions and runs of the authors or the maker of the chip
  usual,      ///< runs of laboratories, clouds and users
  first_run,  ///< first runs, before any tuning
};
inline constexpr Choice<Tuning> kTunings[] = {
    {"showcase", Tuning::showcase}, {"usual", Tuning::usual}, {"first-run", Tuning::first_run}};
std::string_view tuning_name(Tuning tuning);

/// Kernels that a stack's code runs, if the run says so.
enum class Kernels : std::uint8_t {
  plain,  ///< the framework's own, one operation each
  fused,  ///< fused norms, activations and loss (Liger Kernel, Unsloth), and FlashAttention
};
inline constexpr Choice<Kernels> kKernelSets[] = {{"plain", Kernels::plain},
                                                  {"fused", Kernels::fused}};

/// Bytes that one parameter under training takes, before sharding (model.md 4.1).
struct StateBytes {
  double weights = 0;  ///< of the copy that matmuls read
  double gradients = 0;
  double optimizer = 0;  ///< master weights and both moments of Adam
  [[nodiscard]] double total() const { return weights + gradients + optimizer; }
};

/// Memory use of a software stack. The sources stand with the values in data/stacks and
/// data/assumed.
struct MemoryRecipe {
  StateBytes states;            ///< full training in 16 bits
  StateBytes adapter_states;    ///< LoRA matrices: 16 bytes per parameter (model.md 4.1)
  double logits_bytes = 0;      ///< per logit: 14 eager, 6 fused, about 0 chunked (model.md 4.4)
  double plain_logits = 0;      ///< of a plain loop
  double activation_share = 0;  ///< share of the formula's activations that the stack keeps
  double plain_share = 0;       ///< that share of runs with plain kernels
  double fused_share = 0;       ///< and of runs with fused ones
  double score_share = 0;       ///< share of materialised attention scores that the stack keeps
  double selective_share = 0;   ///< share of those that selective recomputation keeps
  bool selective_mixtures =
      true;  ///< false: selective recomputation of a mixture of experts repeats whole layers
  double adapter_input_bytes = 0;  ///< further bytes per value that an adapter reads of a token
  double replica_copies = 0;       ///< copies of the gradients for the exchange between replicas
  bool frees_gradients = false;  ///< without accumulation, gradients take freed activations' place
  double unpacked_bytes = 0;     ///< bytes per frozen parameter besides a base in 4 bits
  double update_copies = 0;      ///< copies of the weights, if AdamW updates all at once
  double low_precision_inputs = 0;  ///< bytes per saved matmul input under an 8- or 4-bit recipe
  double frozen_low_precision_bytes = 0;  ///< per frozen parameter under an 8- or 4-bit recipe
  double gate_bytes = 0;        ///< bytes that eager code keeps of a gate's activation, per value
  double unsharded_layers = 0;  ///< layers gathered at a time with sharded parameters
  double live_parameters = 0;   ///< parameters that stay gathered at least, in whole layers
  bool unsharded_embeddings = true;  ///< embedding and head stay gathered through the step
  double context_bytes = 0;          ///< context and libraries of one device
  double network_bytes = 0;          ///< communication buffers of a device that has peers
  double spread = 0;                 ///< of ln(measured / predicted) of published peaks
  double fragmentation = 0;          ///< share of activations and logits
  /// Usable share of the memory that the framework sees: 94 % of the chip (model.md 4.5), of which
  /// the driver keeps 1 %.
  double plan_share = 0;
};

/// `2025-10` of a year.
std::string month_words(double year);

/// Releases of a software that the measurements cover, in years (2025.25 is the end of March).
/// Kernels get faster from release to release on the same chip: `Stack::release_gain`.
struct StackReleases {
  double reference = 0;  ///< the release that the other constants describe
  double oldest = 0;     ///< earliest covered release
  double newest = 0;     ///< latest measured release, also used for later ones
  std::vector<std::pair<std::string, double>> names;  ///< rounds or versions that carry no date
};

/// The middle of a month that is written YYYY-MM, or YY.MM with anything after a further dot, in
/// years.
std::optional<double> release_month(std::string_view month);

/// Year of a release without the limit of `newest`.
std::optional<double> stated_year(const StackReleases& releases, std::string_view release);
/// Year of a release written as YYYY-MM, as YY.MM with anything after a further dot, or as one of
/// the stack's names; at most `newest`. Empty for anything else and for what is older than
/// `oldest`.
std::optional<double> release_year(const StackReleases& releases, std::string_view release);

/// A user's own steps that a stack was calibrated to (trcost calibrate).
struct MeasuredSteps {
  int rows = 0;                           ///< 0 for a stack of the catalog
  std::string base;                       ///< the stack that was calibrated
  std::vector<std::string> accelerators;  ///< names of the accelerators that the steps ran on
  double sigma = 0;            ///< of ln(predicted / measured) of one more step like them
  double sigma_elsewhere = 0;  ///< sigma of a step on another chip
};

/// Default kernels of fused attention: of the chip's architecture, else of all.
struct AttentionKernels {
  Attention usual = Attention::flash2;
  std::vector<std::pair<std::string, Attention>> by_architecture;
  [[nodiscard]] Attention on(std::string_view architecture) const;
};

/// Training software, for any accelerator. data/assumed/stack.json has the numbers that its file
/// leaves out. It has the abilities that its file leaves out.
struct Stack {
  std::string name;
  std::string title;
  std::string source;
  /// Dimensions that the software supports, by kDimensions. Plans keep to them. A layout set by the
  /// user is computed with a warning.
  std::array<bool, kDimensionCount> dimensions = [] {
    std::array<bool, kDimensionCount> all{};
    all.fill(true);
    return all;
  }();
  ContextKind context_kind = ContextKind::ring;
  bool partial_recompute =
      false;  ///< recomputes as many layers as memory asks for, not all or none
  /// Supported shardings, by Sharding. Plans never choose hybrid.
  std::array<bool, kShardingCount> shardings{true, true, true, true};
  AttentionKernels attention_kernels;
  MemoryRecipe memory;                  ///< memory on a device
  StackReleases releases;               ///< reference 0 if releases are not distinguished
  double release_years = 0;             ///< years of this release from the reference
  bool after_newest = false;            ///< true for a release later than the measured ones
  double release_gain = 0;              ///< ln of the kernels' gain in speed per year
  std::string tuning_source;            ///< of the gaps between tunings
  Tuning described = Tuning::showcase;  ///< tuning that the constants describe
  Tuning usual = Tuning::usual;         ///< default tuning, of most of its users
  double usual_gap = 0;                 ///< ln of a usual step's time over that of a showcase
  double first_run_gap = 0;             ///< ln of a first run's over that of a usual one
  double usual_overlap = 0;  ///< share of the showcase's hidden tensor and expert exchange
                             ///< that usual runs hide: its switches are off unless set
  [[nodiscard]] bool can(const Dimension& dimension) const {
    return dimensions[static_cast<std::size_t>(&dimension - kDimensions)];
  }
  /// Software that shards parameters also does so within a domain.
  [[nodiscard]] bool can(Sharding sharding) const {
    const Sharding within = sharding == Sharding::hybrid ? Sharding::parameters : sharding;
    return shardings[static_cast<std::size_t>(within)];
  }
  MeasuredSteps measured;         ///< steps of a calibrated stack
  double kernel_time = 0;         ///< factor on the time of every kernel
  double exchange_time = 0;       ///< factor on the time of every exchange
  double matmul = 0;              ///< factor on the chip's matmul rate
  double flash = 0;               ///< factor on the chip's attention rates
  double legacy_elementwise = 0;  ///< further traffic where attention is materialised: software of
                                  ///< before 2023, whose element-wise work is not fused
  double elementwise = 0;         ///< memory traffic relative to fully fused kernels
  double plain_elementwise = 0;   ///< factor on `elementwise` of runs with plain kernels
  double fused_elementwise = 0;   ///< and of runs with fused ones
  double plain_lora = 0;          ///< factor on `lora_traffic` of runs with plain kernels
  double kernels = 0;             ///< element-wise kernels per layer and forward pass
  /// Host time to issue a block's forward pass of a micro-batch, twice that backward: no device is
  /// faster, however small its share. Python, autograd, hooks and checks between the kernels take
  /// it.
  double block_seconds = 0;
  /// Further host time of a block of experts: the host reads the tokens per expert before it issues
  /// the rest.
  double expert_block_seconds = 0;
  /// Further host time of each expert that a rank holds, if the model's code calls them one after
  /// another.
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
  double expert_network_overlap = 0;  ///< hidden share where it crosses the network. Showcases run
                                      ///< it behind another micro-batch
  double context_imbalance = 0;  ///< share of a causal ring's uneven work that is not balanced out
  double pipeline_overlap = 0;   ///< hidden share of stage-to-stage transfers
  double stage_imbalance = 0;    ///< share of the slowest stage's surplus that delays a step
  double data_overlap = 0;       ///< share of the window that hides data-parallel exchange
  double contention = 0;         ///< compute lost per second of overlapped exchange
  /// Smallest contention of sharded weights' gathers and their gradients' scatters, by the share of
  /// ranks on other hosts. The default fits the rows of FSDP.
  double gather_contention = 0;
  double grouped_half = 0;      ///< tokens per expert with half of the matmul rate
  double expert_kernels = 0;    ///< further kernels of a mixture-of-experts layer and pass
  double selective_matmul = 0;  ///< share of the forward matmuls that selective recomputation
                                ///< repeats beside norms and activations
  /// Memory traffic of routing and permuting, relative to one read and write each.
  double expert_traffic = 0;
  /// That traffic under block-scaled recipes (mxfp8, nvfp4), which run on fused routing and
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
  double fused_dequantise = 0;    ///< that traffic with fused kernels, relative to without
};

/// The fitted numbers: how files, the refit script and documentation name them, and their ranges.
std::span<const Constant<Stack>> stack_constants();

/// Values that a stack's file may leave out: data/assumed/stack.json.
Stack assumed_stack(const DataFolder& data);
/// Reads a stack's file. Throws Error (data) for a malformed one.
std::shared_ptr<const Stack> load_stack(const JsonValue& document, const DataFolder& data);
/// The stack as of a release (release_year()). Throws Error (usage) for one that is not covered.
std::shared_ptr<const Stack> stack_at_release(const Stack& stack, std::string_view release);

}  // namespace trcost::catalog
