// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/data/sourced_values.h"
#include "quantity/choice.h"
#include "quantity/layers.h"
#include "trcost/hardware.h"

namespace trcost::catalog {

/// Models of a family of measured rows.
enum class ModelFamily : std::uint8_t { any, dense, moe, vision, contrastive };
inline constexpr Choice<ModelFamily> kModelFamilies[] = {{"any", ModelFamily::any},
                                                         {"dense", ModelFamily::dense},
                                                         {"moe", ModelFamily::moe},
                                                         {"vision", ModelFamily::vision},
                                                         {"contrastive", ModelFamily::contrastive}};
/// Kind of training of a family of measured rows.
enum class TaskFamily : std::uint8_t { any, pretrain, finetune };
inline constexpr Choice<TaskFamily> kTaskFamilies[] = {{"any", TaskFamily::any},
                                                       {"pretrain", TaskFamily::pretrain},
                                                       {"finetune", TaskFamily::finetune}};

/// Errors of predictions for a family of measured rows whose whole source was left out of the fit
/// (data/efficiency/residuals.csv, written by tests/calibration/refit.py).
struct ResidualFamily {
  std::optional<std::string> architecture;  ///< empty: of any
  std::optional<std::string> stack;
  ModelFamily model = ModelFamily::any;
  TaskFamily task = TaskFamily::any;
  int rows = 0;
  double groups = 0;  ///< independent experiments
  /// Effective number of sources. Several of one vendor count little.
  double sources = 0;
  /// Spread of ln(predicted/measured): its 68 % quantile, or its 80 % quantile over 1.28 of
  /// vision-language runs.
  double sigma = 0;
  double median_error = 0;  ///< median |predicted/measured - 1|
  std::string words;        ///< the family for people
};

/// Efficiency of an accelerator in training: shares of its specification that it reaches with any
/// software. Fitted to published measurements (tests/calibration/refit.py), or by rule from the
/// specification. data/assumed/chip.json has the numbers that its own file leaves out.
struct Efficiency {
  std::string accelerator;
  bool measured = false;  ///< fitted to rows of this chip; false: by rule, wider range
  std::string source;     ///< the measurements, or the rule, in words
  /// Share of the dense peak that a large matmul reaches inside a training step.
  std::array<double, kPrecisionCount> matmul{};
  double ramp_seconds = 0;    ///< start and drain of one matmul: the size curve
  double batched_matmul = 0;  ///< share of peak of the per-head matmuls of standard attention
  /// Share of the 16-bit peak of the fastest fused attention, head dim 128, long sequence.
  double flash_forward = 0;
  double flash_backward = 0;
  double flash2_forward = 0;  ///< share for FlashAttention 2, at most that of the fastest
  double flash2_backward = 0;
  double flash_head_half = 0;     ///< head dim with half of the ideal rate: e(d) = d / (d + half)
  double flash_length_half = 0;   ///< tokens of a sequence with half of the ideal rate
  double memory = 0;              ///< share of the memory bandwidth that streaming kernels reach
  double link = 0;                ///< share of the innermost tier's bandwidth
  double link_half_bytes = 0;     ///< payload of a collective at half of that: the size curve
  double network = 0;             ///< share of the bandwidth of the tiers outside of it
  double kernel_gap_seconds = 0;  ///< idle time between two queued kernels
  double usual_gap = 0;  ///< ln of further time of a young chip's usual runs, on top of its stack's
  std::vector<ResidualFamily> residuals;  ///< residuals of its architecture, and those of any
};

/// The fitted numbers: how files, the refit script and documentation name them, and their ranges.
std::span<const Constant<Efficiency>> efficiency_constants();

/// Looks up a chip of the catalog by name. Throws Error (usage) for an unknown one.
using AcceleratorLookup = std::function<const Accelerator&(std::string_view)>;

/// All families of measured rows.
std::vector<ResidualFamily> load_residuals(const DataFolder& data);
/// Reads the chip's own file, its sibling's constants or the rule filling what it leaves out. Keeps
/// those of `residuals` that concern the chip.
std::shared_ptr<const Efficiency> load_efficiency(const Accelerator& accelerator,
                                                  const DataFolder& data,
                                                  const std::vector<ResidualFamily>& residuals,
                                                  const AcceleratorLookup& find_accelerator);

/// Constants of a chip without measurements: `assumed`, with matmuls by rule: 0.7 of the best
/// measured rate where one is published, else 0.55 of the dense peak (model.md 5.2).
Efficiency efficiency_by_rule(const Accelerator& accelerator, Efficiency assumed);

/// Constants of a chip whose file names `kin` as its sibling: those of `kin`. If measurements of
/// matmuls alone are published for both, the matmul shares are scaled by the ratio of the shares of
/// peak that these reach. Formats that `kin` lacks go by rule.
Efficiency efficiency_alike(const Accelerator& accelerator, const Accelerator& kin,
                            Efficiency of_kin);

}  // namespace trcost::catalog
