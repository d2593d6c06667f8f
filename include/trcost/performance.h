// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "trcost/hardware.h"
#include "trcost/layer_cost.h"
#include "trcost/layout.h"
#include "trcost/memory.h"
#include "trcost/workload.h"

namespace trcost {

struct Efficiency;
struct Stack;

/// How well a run's software is fitted to its model and chip.
enum class Tuning : std::uint8_t {
  showcase,   ///< as its authors, the maker of the chip or a record submission shows it
  usual,      ///< as laboratories, clouds and users run it
  first_run,  ///< as it starts, before anyone has looked for what it loses
};
std::string_view tuning_name(Tuning tuning);
std::optional<Tuning> parse_tuning(std::string_view word);

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
  imbalance,       ///< stragglers, uneven ranks
  tuning,          ///< what the same software loses where nobody has tuned it
  padding,         ///< tokens that fill sequences up
};
inline constexpr int kStepTermCount = 16;
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
  double slowdown = 1;  ///< of a step against what the stack's constants describe: see Tuning
  Overlap overlap = {};  ///< how much of what the stack can hide this run hides
};

/// Per-layer costs prepared once for a workload on a platform; evaluating a layout is arithmetic
/// without allocation.
class StepModel {
 public:
  StepModel(const Workload& workload, const Platform& platform);

  /// Time of one step of `layout` (model.md 5.1). Valid whether or not it fits.
  [[nodiscard]] StepTime step(const Layout& layout) const noexcept;
  /// Memory of the worst pipeline stage (model.md 4).
  [[nodiscard]] MemoryUse memory(const Layout& layout) const noexcept {
    return memory_.use(layout);
  }

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] const MemoryModel& memory_model() const { return memory_; }

 private:
  Workload workload_;
  Platform platform_;
  StepCosts costs_;
  MemoryModel memory_{workload_, memory_recipe(platform_.stack), platform_.precision,
                      platform_.accelerator->memory_bytes,
                      platform_.system->usable_per_domain};
};

/// The name of the method and how good it is near a scenario, from the residuals of the published
/// rows nearest to it.
struct MethodQuality {
  std::string_view name;      ///< e.g. `analytic`
  double sigma = 0;           ///< standard deviation of ln(predicted/measured)
  double median_error = 0;    ///< median |predicted/measured - 1|
  int rows = 0;               ///< published rows behind it
  std::string_view family;    ///< which rows, in words
  bool measured = false;      ///< the chip has rows of its own
};

}  // namespace trcost
