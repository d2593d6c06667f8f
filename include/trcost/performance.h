// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "trcost/hardware.h"
#include "trcost/layer_cost.h"
#include "trcost/workload.h"

namespace trcost {

struct Efficiency;
struct Stack;

/// How parameters and optimizer state are spread over the data-parallel ranks.
enum class Sharding : std::uint8_t {
  none,        ///< DDP: replicated
  optimizer,   ///< ZeRO-1, Megatron's distributed optimizer
  gradients,   ///< ZeRO-2
  parameters,  ///< ZeRO-3, FSDP
};
enum class Recompute : std::uint8_t { none, selective, full };

std::string_view sharding_name(Sharding sharding);
std::string_view recompute_name(Recompute recompute);

/// One way to lay a training step over the cluster. All degrees are at least 1.
struct Layout {
  int tp = 1;  ///< tensor parallel
  int pp = 1;  ///< pipeline parallel
  int vp = 1;  ///< virtual pipeline: stages per rank
  int cp = 1;  ///< context parallel
  int ep = 1;  ///< expert parallel, within dp x cp (and tp)
  int dp = 1;  ///< data parallel: gpus / (tp pp cp)
  double micro_batch = 1;   ///< sequences per micro-batch and replica
  double global_batch = 1;  ///< sequences per step
  Sharding sharding = Sharding::optimizer;
  Recompute recompute = Recompute::none;
  bool sequence_parallel = true;

  [[nodiscard]] double gpus() const { return static_cast<double>(tp) * pp * cp * dp; }
  /// Micro-batches per replica and step.
  [[nodiscard]] double micro_batches() const { return global_batch / (micro_batch * dp); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Bytes on the fullest device; the parts sum to `total`.
struct MemoryUse {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;
  double logits = 0;
  double overhead = 0;  ///< context, communication buffers, fragmentation
  double total = 0;
  double capacity = 0;
  bool fits = false;    ///< total within the planned share of capacity
};

/// Where the time of a step goes, in the order of the waterfall. Exposed time only.
enum class StepTerm : std::uint8_t {
  matmul_peak,     ///< model FLOPs at dense peak: the useful time
  kernel,          ///< matmuls below peak
  attention,       ///< attention cores beyond their time at peak
  elementwise,     ///< norms, activations, quantisation, launches
  recompute,       ///< forward work done again
  vision,          ///< the encoder's work beyond its time at peak
  tensor_parallel,
  context_parallel,
  expert_parallel,
  pipeline_bubble,
  pipeline_transfer,
  data_parallel,
  optimizer,
  imbalance,       ///< stragglers, uneven ranks, padding
};
inline constexpr int kStepTermCount = 14;
std::string_view step_term_name(StepTerm term);
/// Whether the network is responsible for the term.
bool is_network_term(StepTerm term);

/// Predicted steady-state time of one optimizer step.
struct StepTime {
  double seconds = 0;                            ///< sum of `terms`
  std::array<double, kStepTermCount> terms{};    ///< seconds
  double model_flops = 0;                        ///< per step, whole cluster (model.md 2.2, 2.3)
  double hardware_flops = 0;                     ///< with recomputation
};

/// A chip in its network with everything that step time and memory depend on.
struct Platform {
  const Accelerator* accelerator = nullptr;
  const System* system = nullptr;
  const Efficiency* efficiency = nullptr;
  const Stack* stack = nullptr;
  Precision precision = Precision::bf16;
};

/// Per-layer costs prepared once for a workload on a platform; evaluating a layout is arithmetic
/// without allocation.
class StepModel {
 public:
  StepModel(const Workload& workload, const Platform& platform);

  /// Time of one step of `layout` (model.md 5.1). Valid whether or not it fits.
  [[nodiscard]] StepTime step(const Layout& layout) const noexcept;
  /// Memory of the worst pipeline stage (model.md 4).
  [[nodiscard]] MemoryUse memory(const Layout& layout) const noexcept;

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const Platform& platform() const { return platform_; }

 private:
  Workload workload_;
  Platform platform_;
  StepCosts costs_;
};

/// The name of the method and how good it is near a scenario, from the residuals of the published
/// rows nearest to it.
struct MethodQuality {
  std::string_view name;      ///< e.g. `analytic`
  double sigma = 0;           ///< standard deviation of ln(predicted/measured)
  double median_error = 0;    ///< median |predicted/measured - 1|
  int rows = 0;               ///< published rows behind it
  std::string_view family;    ///< which rows, in words
};

}  // namespace trcost
