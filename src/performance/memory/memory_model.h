// SPDX-License-Identifier: Apache-2.0
// Memory of one workload on one kind of device.
#pragma once

#include <array>

#include "performance/memory/memory.h"
#include "performance/memory/pipeline.h"
#include "quantity/layers.h"
#include "trcost/layout.h"
#include "workload/workload.h"

namespace trcost::performance {

/// Activations of a stage, in bytes: in_flight x kept + transient - on_host. For a share `repeated`
/// of the layers, kept and transient are those of full recomputation.
struct ActivationAccount {
  double in_flight = 1;  ///< micro-batches
  double kept = 0;       ///< of a micro-batch, by model.md 4.3
  double transient = 0;  ///< further bytes of the layer at work
  double on_host = 0;    ///< bytes offloaded to the host
  double repeated = 0;
  double repeated_kept = 0, repeated_transient = 0;
  // kept = sum over places of layers x tokens x per_token + connector, with repeated_per_token for
  // layers that recompute in full.
  std::array<double, kPlaces> layers{}, tokens{}, per_token{}, repeated_per_token{};
  double connector = 0;
  [[nodiscard]] double bytes() const noexcept {
    const auto mix = [this](double own, double full) { return own + repeated * (full - own); };
    return in_flight * mix(kept, repeated_kept) + mix(transient, repeated_transient) - on_host;
  }
};

/// Memory of one workload on one kind of device. Evaluating a layout is arithmetic without
/// allocation.
class MemoryModel {
 public:
  using Stage = PipelineStage;
  MemoryModel() = default;
  /// `domain`: accelerators among which hybrid sharding spreads parameters. `eager_encoder`: result
  /// of materialised_encoder().
  MemoryModel(const Workload& workload, const MemoryRecipe& recipe, Precision precision,
              double capacity, double domain = 8, bool eager_encoder = false);
  /// Overload for precomputed pipeline layers, whose encoder is weighed by its time.
  MemoryModel(const Workload& workload, const PipelineLayers& pipeline, const MemoryRecipe& recipe,
              Precision precision, double capacity, double domain, bool eager_encoder);

  /// Memory of the fullest stage: the first with its micro-batches in flight and the embedding, an
  /// inner one, or the last with head and logits. The parts add up to the total.
  [[nodiscard]] MemoryUse use(const Layout& layout) const noexcept;
  [[nodiscard]] MemoryUse stage(const Layout& layout, Stage stage) const noexcept;

  /// Parts of the activations in use().
  [[nodiscard]] ActivationAccount activations(const Layout& layout) const noexcept;

  /// Bytes of a micro-batch's activations that the first stage copies to the host and back.
  [[nodiscard]] double moved_activations(const Layout& layout) const noexcept;
  /// Bytes of weights that the first stage copies from the host in a pass.
  [[nodiscard]] double moved_weights(const Layout& layout) const noexcept;

  [[nodiscard]] const MemoryRecipe& recipe() const noexcept { return recipe_; }
  /// Layers that a pipeline partitions into stages.
  [[nodiscard]] const PipelineLayers& pipeline_layers() const noexcept { return pipeline_layers_; }

 private:
  /// Bytes of a set of parameters before partitioning and sharding.
  struct States {
    double frozen = 0, weights = 0, gradients = 0, optimizer = 0;
    void add(const States& other, double count) noexcept {
      frozen += other.frozen * count;
      weights += other.weights * count;
      gradients += other.gradients * count;
      optimizer += other.optimizer * count;
    }
  };
  /// Mean of the layers of one place.
  struct Layers {
    double count = 0;
    double tokens = 0;                      ///< per sequence
    States own, routed;                     ///< of a layer without routed experts, and of those
    std::array<ActivationBytes, 3> kept{};  ///< by Recompute. Zero if no gradient passes
    ActivationBytes most;                   ///< of the layer that keeps most without recomputation
  };
  /// Layers and micro-batches of a stage.
  struct Shape {
    std::array<double, kPlaces> layers{};
    double in_flight = 1;
  };
  /// Factors of a layout that all stages share.
  struct Shares;
  /// Fills a model from a workload.
  struct Preparation;

  /// Recomputation as the software does it.
  [[nodiscard]] Recompute repeated(Recompute asked) const noexcept {
    const bool whole = experts_ && !recipe_.selective_mixtures;
    return whole && asked == Recompute::selective ? Recompute::full : asked;
  }
  [[nodiscard]] Shares shares(const Layout& layout) const noexcept;
  [[nodiscard]] Shape shape(const Layout& layout, const Shares& shares, Stage stage) const noexcept;
  /// The fullest stage of a pipeline.
  struct Fullest {
    MemoryUse use;
    Stage stage;
  };
  [[nodiscard]] Fullest fullest(const Layout& layout) const noexcept;
  /// Activations of a stage before offloading.
  [[nodiscard]] ActivationAccount stage_activations(const Shape& shape, const Shares& shares,
                                                    bool first) const noexcept;
  [[nodiscard]] double gathered_tables(const Layout& layout, bool first, bool last) const noexcept;
  [[nodiscard]] double scattered_gradients(const Layout& layout, const Shares& shares,
                                           double logits, bool first, bool last) const noexcept;
  [[nodiscard]] MemoryUse stage(const Layout& layout, const Shares& shares,
                                Stage stage) const noexcept;
  [[nodiscard]] MemoryUse partly_recomputed(const Layout& layout, const Shares& kept,
                                            const Shares& repeated, Stage stage) const noexcept;
  void add_auxiliary_models(const Shares& shares, double stages, MemoryUse& use) const noexcept;
  void set_total(MemoryUse& use) const noexcept;
  /// Returns visit(f), where f(stage) is the MemoryUse of a stage.
  template <class Visit>
  auto with_stages(const Layout& layout, const Visit& visit) const noexcept;
  /// Activation bytes of a micro-batch on a stage's layers of the language model.
  [[nodiscard]] static double layer_bytes(const Shape& shape, const Shares& shares) noexcept;
  struct StageStates {
    States dense, routed;
    [[nodiscard]] double frozen(const Shares& shares) const noexcept;
    [[nodiscard]] double learning(const Shares& shares) const noexcept;
  };
  [[nodiscard]] StageStates stage_states(const Shape& shape, bool first, bool last) const noexcept;
  /// Weights of a stage that its device holds at a time if the host stores them.
  [[nodiscard]] static double resident_weights(const Shape& shape, double weights) noexcept;
  void offload_to_host(const Shape& shape, const Shares& shares, MemoryUse& use) const noexcept;

  MemoryRecipe recipe_;
  Offload offload_;
  double capacity_ = 0;  ///< bytes that a plan may fill
  double domain_ = 8;
  States auxiliary_,
      auxiliary_experts_;  ///< other models, spread evenly over the stages
  bool has_auxiliary_models_ = false;
  std::array<Layers, kPlaces> layers_;
  PipelineLayers pipeline_layers_;
  bool experts_ = false;
  States first_;                ///< embedding, connector, encoder without its layers
  States last_;                 ///< head, final norm
  States tied_head_;            ///< tied head on a stage without the embedding
  double gathered_layers_ = 0;  ///< at a time, with sharded parameters
  double layer_weights_ = 0, expert_weights_ = 0, embedding_weights_ = 0;  ///< bytes when gathered
  double head_weights_ = 0;  ///< bytes when gathered, of the embedding if tied
  double layer_gradients_ = 0, expert_gradients_ = 0, head_gradients_ = 0;  ///< before sharding
  bool tied_ = false;
  double connector_kept_ = 0;  ///< bytes per sequence, 0 if no gradient passes it
  double seq_length_ = 0;
  double logit_bytes_ = 0, logit_gradient_ = 0;  ///< of a token, the latter in 16 bits
};

}  // namespace trcost::performance
