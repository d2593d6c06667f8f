// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "performance/exchange/collectives.h"
#include "performance/memory/memory_model.h"
#include "performance/memory/pipeline.h"
#include "performance/training/kernels.h"
#include "performance/training/layer_shape.h"
#include "performance/training/platform.h"
#include "performance/training/step_time.h"
#include "quantity/layers.h"
#include "trcost/layout.h"
#include "workload/flops.h"
#include "workload/workload.h"

namespace trcost::performance {

struct PayloadSeconds;
struct StepAccount;
struct StepParts;

/// Costs of a workload on a platform that no layout changes.
struct StepCosts {
  std::vector<LayerShape> own;  ///< the decoder's own layers, each kind with its count
  LayerShape cross, encoder;
  DeviceCosts device;
  Fabric fabric;
  Overlap overlap;
  PipelineLayers pipeline_layers;
  double encoder_tokens = 0;   ///< per sequence
  double connector_flops = 0;  ///< per sequence, all passes
  double model_flops = 0;      ///< per sequence, all passes
  double forward_flops = 0;    ///< per sequence, of the layers that full recomputation repeats
  double core_flops = 0;       ///< per sequence, of their attention cores
  double vision_flops = 0;     ///< per sequence, all passes of encoder and connector
  double trainable_dense = 0;  ///< trainable parameters without routed experts
  double trainable_expert = 0;
  double update_traffic = 0;  ///< bytes of memory that the update of a parameter moves
  double update_flops_dense = 0, update_flops_expert = 0;  ///< of an update of all, Muon's
  double parameters_dense = 0;
  double parameters_expert = 0;
  double head_count = 1;          ///< 1, and 1 more per multi-token-prediction module
  bool language_backward = true;  ///< gradients pass through the language model
  bool head_wgrad = true;
  bool encoder_backward = false;
  bool materialised = false;
  bool encoder_materialised = false;
  double gather_seconds = 0;  ///< Stack::vision_gather_seconds, 0 without vision
  double dequantise = 0;
  double gather_width = 2;    ///< bytes of an updated weight on the way
  double dense_width = 2;     ///< bytes of a dense weight that is gathered for a pass, mean of all
  double expert_width = 2;    ///< bytes of a weight of a routed expert
  double gradient_width = 2;  ///< bytes of a gradient on the way
  Offload offload;
};

/// Kernels and exchange within the layers of a micro-batch on one replica. They depend on tp, cp,
/// ep, etp, the micro-batch, and the kinds of sequence and context parallelism alone.
struct ReplicaKernels {
  LayerTime layers, vision, head;
  double connector = 0;
  double routing = 0;  ///< seconds of a forward pass that route tokens to experts
};

/// Step time and memory of a workload on a platform. Evaluating a layout is arithmetic without
/// allocation.
class StepModel {
 public:
  StepModel(const Workload& workload, const Platform& platform);

  /// Time of one step of `layout` (model.md 5.1), whether or not it fits.
  [[nodiscard]] StepTime step(const Layout& layout) const noexcept;
  /// step() with the kernels() of the layout and the `payloads` of its degrees.
  [[nodiscard]] StepTime step(const Layout& layout, const ReplicaKernels& kernels,
                              PayloadSeconds& payloads) const noexcept;
  [[nodiscard]] ReplicaKernels kernels(const Layout& layout) const noexcept;
  /// Parts of step() in detail, for --explain.
  [[nodiscard]] StepAccount account(const Layout& layout) const;
  /// step() with the parts that it adds up.
  [[nodiscard]] StepParts evaluate(const Layout& layout, const ReplicaKernels& kernels,
                                   PayloadSeconds& payloads) const noexcept;
  /// Exposed seconds of one micro-batch's transfers between the stages of a pipeline.
  [[nodiscard]] double stage_transfer_seconds(const Layout& layout) const noexcept;
  /// Seconds of a step's exchange between replicas that passes of one replica, `forward` and
  /// `backward` seconds a micro-batch, leave exposed, and of the update.
  [[nodiscard]] double update_and_exchange_seconds(const Layout& layout, double forward,
                                                   double backward,
                                                   PayloadSeconds& payloads) const noexcept;
  /// step() of a frozen workload: a forward pass over `sequences` with the layout's degrees and
  /// sharding.
  [[nodiscard]] StepTime forward(Layout layout, double sequences) const noexcept {
    layout.recompute = Recompute::none;
    layout.recompute_layers = 0;
    layout.global_batch = sequences;
    return step(layout);
  }
  /// Factor by which stragglers, uneven ranks, missing tuning and padding lengthen a step on `gpus`
  /// accelerators.
  [[nodiscard]] double lengthening(double gpus) const noexcept;
  /// Memory of the worst pipeline stage (model.md 4).
  [[nodiscard]] MemoryUse memory(const Layout& layout) const noexcept {
    return memory_.use(layout);
  }

  /// Layers that a pipeline partitions into stages.
  [[nodiscard]] const PipelineLayers& pipeline_layers() const noexcept {
    return costs_.pipeline_layers;
  }
  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const Platform& platform() const { return platform_; }

 private:
  static StepCosts prepare(const Workload& workload, const Platform& platform);
  /// Pipeline layers with the encoder weighed by its seconds instead of its FLOPs.
  static PipelineLayers partition_layers_by_time(const StepCosts& costs, const Workload& workload,
                                                 const Platform& platform) noexcept;
  /// Share of a step that stragglers and uneven ranks add.
  [[nodiscard]] double imbalance(double gpus) const noexcept;

  Workload workload_;
  Platform platform_;
  StepCosts costs_;
  MemoryModel memory_{workload_,
                      costs_.pipeline_layers,
                      memory_recipe(platform_),
                      platform_.precision,
                      platform_.accelerator->memory_bytes,
                      platform_.system->usable_per_domain,
                      materialised_encoder(workload_, *platform_.stack)};
};

}  // namespace trcost::performance
