// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "catalog/hardware/efficiency.h"
#include "catalog/software/stacks.h"
#include "performance/memory/memory.h"
#include "performance/training/layer_cost.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"
#include "workload/workload.h"

namespace trcost::performance {

struct StepAccount;
struct StepParts;

/// Where the time of a step goes, in the order of the waterfall. Exposed time only.
enum class StepTerm : std::uint8_t {
  matmul_peak,  ///< model FLOPs at dense peak: the useful time
  kernel,       ///< matmuls below peak
  attention,    ///< attention cores beyond their time at peak
  elementwise,  ///< norms, activations, quantisation, launches
  host,         ///< waiting for the host that issues the kernels
  recompute,    ///< forward work done again
  vision,       ///< the encoder's work beyond its time at peak
  tensor_parallel,
  context_parallel,
  expert_parallel,
  pipeline_bubble,
  pipeline_transfer,
  data_parallel,
  optimizer,
  offload,    ///< exchange with the host's memory, and the host's update
  imbalance,  ///< stragglers, uneven ranks
  tuning,     ///< what the same software loses where nobody has tuned it
  padding,    ///< tokens that fill sequences up
};
inline constexpr int kStepTermCount = 18;
std::string_view step_term_name(StepTerm term);
/// Whether the network is responsible for the term.
bool is_network_term(StepTerm term);

/// Predicted steady-state time of one optimizer step.
struct StepTime {
  double seconds = 0;                          ///< sum of `terms`
  std::array<double, kStepTermCount> terms{};  ///< seconds
  double model_flops = 0;                      ///< per step, whole cluster (model.md 2.2, 2.3)
  double hardware_flops = 0;                   ///< with recomputation
};

/// A chip in its network with everything that step time and memory depend on.
struct Platform {
  const Accelerator* accelerator = nullptr;
  const System* system = nullptr;
  const Efficiency* efficiency = nullptr;
  const Stack* stack = nullptr;
  Precision precision = Precision::bf16;
  double slowdown = 1;  ///< of a step against what the stack's constants describe: see Tuning
  double issued =
      1;  ///< share of a block's host time that this run takes: see Stack::block_seconds
  /// Bytes/s each way to the host's memory that copies reach; none where nothing is offloaded.
  std::optional<double> host_bandwidth = {};
  Overlap overlap = kUsuallyHidden;  ///< how much of what the stack can hide this run hides
  std::shared_ptr<const System> stated =
      {};  ///< `system`, where its network is as the question has it
};

/// Sets what tuning changes: the seconds of a step over those that the stack's constants describe,
/// the exchange that is hidden, and how much of the kernels the host issues one by one. First runs
/// lose what usual ones lose, and more.
void set_tuning(Platform& platform, Tuning tuning);

/// Per-layer costs prepared once for a workload on a platform; evaluating a layout is arithmetic
/// without allocation.
class StepModel {
 public:
  StepModel(const Workload& workload, const Platform& platform);

  /// Time of one step of `layout` (model.md 5.1). Valid whether or not it fits.
  [[nodiscard]] StepTime step(const Layout& layout) const noexcept;
  /// What step() added up, for who recomputes it by hand.
  [[nodiscard]] StepAccount account(const Layout& layout) const;
  /// step() of a workload of which nothing learns: `sequences` forward, micro-batch by micro-batch,
  /// with the layout's degrees and sharding.
  [[nodiscard]] StepTime forward(Layout layout, double sequences) const noexcept {
    layout.recompute = Recompute::none;
    layout.recompute_layers = 0;
    layout.global_batch = sequences;
    return step(layout);
  }
  /// Memory of the worst pipeline stage (model.md 4).
  [[nodiscard]] MemoryUse memory(const Layout& layout) const noexcept {
    return memory_.use(layout);
  }

  /// What a pipeline deals to its stages.
  [[nodiscard]] const DealtLayers& dealt() const noexcept { return costs_.dealt; }
  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const Platform& platform() const { return platform_; }

 private:
  static StepCosts prepare(const Workload& workload, const Platform& platform);
  /// What a pipeline deals, with an encoder's worth from its seconds.
  static DealtLayers deal_by_time(const StepCosts& costs, const Workload& workload,
                                  const Platform& platform) noexcept;
  /// step() with the parts that it adds up.
  [[nodiscard]] StepParts evaluate(const Layout& layout) const noexcept;

  Workload workload_;
  Platform platform_;
  StepCosts costs_;
  MemoryModel memory_{workload_,
                      costs_.dealt,
                      platform_.stack->memory,
                      platform_.precision,
                      platform_.accelerator->memory_bytes,
                      platform_.system->usable_per_domain,
                      materialised_encoder(workload_, *platform_.stack)};
};

}  // namespace trcost::performance
