// SPDX-License-Identifier: Apache-2.0
// Partition of layers into pipeline stages, and the time that stages wait for each other.
#pragma once

#include <array>
#include <cstdint>

#include "quantity/layers.h"
#include "trcost/layout.h"
#include "workload/blocks/block.h"
#include "workload/workload.h"

namespace trcost::workload {
struct Workload;
}  // namespace trcost::workload

namespace trcost::performance {

/// Layers that a pipeline partitions into stages, for time and memory alike.
struct PipelineLayers {
  std::array<double, kPlaces> layers{};  ///< of the language model, by place, none `before`
  /// Work of encoder and connector in front, in layers, by doublings of the tensor parallel degree:
  /// their small matrices lose more by it than those of the layers.
  std::array<double, 8> encoder{};
  double head = 0;  ///< work of the head, in layers

  [[nodiscard]] double count() const noexcept;
  [[nodiscard]] double encoder_at(int tp) const noexcept;
};
/// Layers of a workload, with encoder and head weighed by their FLOPs.
PipelineLayers make_pipeline_layers(const Workload& workload);

/// Numbers of layers on the stages of a pipeline.
struct StageLayers {
  double first = 0, inner = 0, last = 0;  ///< `inner`: the fullest stage in between
};

/// Partition of `layers` into `stages`. If they do not divide evenly, inner stages are full and the
/// ends have fewer, the last one first. Models are built with one layer fewer at either end: Llama
/// 3.1 405B has 7, 8 and 7 of 126 on 16 (arXiv:2407.21783, section 3.3.2), BLOOM 5, 6 and 5 of 70
/// on 12 (arXiv:2211.05100, table 3), GLM-130B 8, 9 and 8 of 70 on 8 (arXiv:2210.02414, section
/// 2.3). If more are missing, the last stage has fewer by the work of head and loss, `head` layers,
/// and at least by half of them. An end keeps one layer.
StageLayers partition_layers(double layers, double stages, double head) noexcept;

/// Partition with an encoder in front that is worth `encoder` layers. Its stage and that of the
/// head are filled up with layers to the mean. Layers are whole, so a stage is off the mean by half
/// a layer. The stage of an encoder that is worth more than the mean has no layers.
StageLayers balance_stages_with_encoder(double encoder, double layers, double stages,
                                        double head) noexcept;

/// Partition for a layout, with or without an encoder.
StageLayers partition_stages(const PipelineLayers& pipeline, const Layout& layout) noexcept;

/// Stages that differ in what they hold.
enum class PipelineStage : std::uint8_t { first, inner, last };

/// Layers of a stage by place: leading ones on the first stages, trailing ones on the last, and the
/// rest from those that are spread.
std::array<double, kPlaces> stage_layers_by_place(const PipelineLayers& pipeline,
                                                  const StageLayers& each,
                                                  PipelineStage stage) noexcept;

/// Micro-batches whose activations a stage holds, `behind` the first one, in units of all its
/// layers. 1F1B: p - behind. Interleaved: ((v - 1) g + 2 (p - 1 - behind) + 1) / v in groups of g
/// micro-batches, with g = p on the first stage p (1 + (p - 1)/(p v)) (Narayanan et al.,
/// arXiv:2104.04473, section 2.2, and arXiv:2205.05198, section 4.2.3, and Megatron-Core
/// schedules.py, get_pp_rank_microbatches). Never more than the m that exist, nor fewer than one on
/// a virtual stage.
double micro_batches_in_flight(double pp, double vp, double micro_batches,
                               double behind = 0) noexcept;

/// Micro-batches that interleaved stages work on in turn: p, or the next larger number that leaves
/// no group of fewer than p (Megatron-Core, microbatch_group_size_per_vp_stage: from p to m, and m
/// mod group is 0 or at least p). 0 if m < p.
double interleaving_group(double pp, double micro_batches) noexcept;

/// Seconds of one micro-batch on the parts that a pipeline partitions.
struct StageParts {
  double layer = 0;    ///< of one layer, forward and backward
  double head = 0;     ///< output matrix and loss, on the last stage
  double encoder = 0;  ///< on the first stage
};

struct StageTimes {
  double mean = 0;          ///< over the stages
  double slowest = 0;       ///< of a micro-batch in steady state
  StageLayers layers = {};  ///< on the stages, if there are several
};
StageTimes stage_times(const PipelineLayers& pipeline, const StageParts& parts,
                       double stages) noexcept;

/// (p - 1)/v: stage times lost while the pipeline fills and drains (Narayanan et al. 2104.04473,
/// section 2.2).
double bubble_stages(double stages, double virtual_stages) noexcept;

}  // namespace trcost::performance
