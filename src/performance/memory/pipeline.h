// SPDX-License-Identifier: Apache-2.0
// How layers spread over pipeline stages, and what waiting for one another costs.
#pragma once

#include <array>
#include <cstdint>

#include "quantity/layers.h"
#include "trcost/layout.h"
#include "workload/blocks/place.h"

namespace trcost::workload {
struct Workload;
}  // namespace trcost::workload

namespace trcost::performance {

/// What a pipeline deals to its stages, for time and memory alike.
struct DealtLayers {
  std::array<double, kPlaces> layers{};  ///< of the language model, by place; none `before`
  /// In front, with its connector: its work over that of a layer, by the doublings of the tensor
  /// parallel degree, under which its small matrices lose more than the layers'.
  std::array<double, 8> encoder{};
  double head = 0;  ///< at the end: its work over that of a layer

  [[nodiscard]] double count() const noexcept;
  [[nodiscard]] double encoder_at(int tp) const noexcept;
};
/// Work is FLOPs: of an encoder whose time nobody knows, too.
DealtLayers dealt_layers(const Workload& workload);

/// How many layers the stages of a pipeline hold.
struct StageLayers {
  double first = 0, inner = 0, last = 0;  ///< `inner`: the fullest of those between
};

/// Layers dealt to `stages`. Where they do not divide, the inner ones are full and what is missing
/// is missing at both ends, of one the last. Models are made so that one is missing at either end:
/// Llama 3.1 405B has 7, 8 and 7 of 126 on 16 (arXiv:2407.21783, section 3.3.2), BLOOM 5, 6 and 5
/// of 70 on 12 (arXiv:2211.05100, table 3), GLM-130B 8, 9 and 8 of 70 on 8 (arXiv:2210.02414,
/// section 2.3). Where more are missing, as many at the last stage as head and loss are worth,
/// `head` layers, and at least half. An end keeps one layer.
StageLayers stage_layers(double layers, double stages, double head) noexcept;

/// The same with an encoder in front, worth so many layers: beside it stand as many as bring its
/// stage to the mean, and beside the head. Layers cannot be cut, so that a stage is off the mean by
/// half of one. Beside an encoder that is worth more than the mean stands none.
StageLayers layers_behind(double encoder, double layers, double stages, double head) noexcept;

/// One or the other.
StageLayers deal(const DealtLayers& dealt, const Layout& layout) noexcept;

/// Which stage a question is about.
enum class PipelineStage : std::uint8_t { first, inner, last };

/// The layers of a stage by place, of a layout that deals `each`: leading ones from the first on,
/// those after the last from the last on, and the rest of those that are spread.
std::array<double, kPlaces> layers_on(const DealtLayers& dealt, const StageLayers& each,
                                      PipelineStage stage) noexcept;

/// Micro-batches whose activations a stage holds, `behind` the first one, in units of all its
/// layers: 1F1B p - behind; interleaved ((v - 1) g + 2 (p - 1 - behind) + 1) / v in groups of g
/// micro-batches, with g = p on the first stage p (1 + (p - 1)/(p v)); Narayanan et al.,
/// arXiv:2104.04473, section 2.2, and arXiv:2205.05198, section 4.2.3; Megatron-Core schedules.py,
/// get_pp_rank_microbatches. Never more than the m that exist, nor fewer than one on one virtual
/// stage.
double micro_batches_in_flight(double pp, double vp, double micro_batches,
                               double behind = 0) noexcept;

/// Micro-batches that interleaved stages work on in turn: p, or the next larger number that leaves
/// no group of fewer than p (Megatron-Core, microbatch_group_size_per_vp_stage: from p to m, and m
/// mod group is 0 or at least p). 0 where m < p, which no group divides.
double interleaving_group(double pp, double micro_batches) noexcept;

/// Seconds of one micro-batch on the parts that a pipeline places.
struct StageParts {
  double layer = 0;    ///< of one layer, forward and backward
  double head = 0;     ///< output matrix and loss, on the last stage
  double encoder = 0;  ///< on the first stage
};

struct StageTimes {
  double mean = 0;          ///< over the stages
  double slowest = 0;       ///< what a micro-batch takes in steady state
  StageLayers layers = {};  ///< on the stages, of more than one
};
StageTimes stage_times(const DealtLayers& dealt, const StageParts& parts, double stages) noexcept;

/// (p - 1)/v: stage times lost while the pipeline fills and drains (Narayanan et al. 2104.04473,
/// section 2.2).
double bubble_stages(double stages, double virtual_stages) noexcept;

}  // namespace trcost::performance
