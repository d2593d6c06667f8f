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

/// What a stage keeps for its backward passes:
///   in_flight x kept + transient - on_host
/// where kept and transient are, for a share `repeated` of the layers, those of full recomputation.
struct ActivationAccount {
  double in_flight = 1;  ///< micro-batches
  double kept = 0;       ///< bytes of a micro-batch: of each layer by model.md 4.3
  double transient = 0;  ///< further ones of the layer at work
  double on_host = 0;    ///< that the host keeps instead
  double repeated = 0;
  double repeated_kept = 0, repeated_transient = 0;
  // kept = the sum over places of layers x tokens x per_token, + connector; of layers that
  // recompute in full with repeated_per_token.
  std::array<double, kPlaces> layers{}, tokens{}, per_token{}, repeated_per_token{};
  double connector = 0;
  [[nodiscard]] double bytes() const noexcept {
    const auto mix = [this](double own, double again) { return own + repeated * (again - own); };
    return in_flight * mix(kept, repeated_kept) + mix(transient, repeated_transient) - on_host;
  }
};

/// Memory of one workload on one kind of device, prepared so that a layout is arithmetic.
class MemoryModel {
 public:
  using Stage = PipelineStage;
  MemoryModel() = default;
  /// `domain`: accelerators within which hybrid sharding spreads parameters; `eager_encoder`: see
  /// materialised_encoder().
  MemoryModel(const Workload& workload, const MemoryRecipe& recipe, Precision precision,
              double capacity, double domain = 8, bool eager_encoder = false);
  /// The same for who knows what a pipeline deals, of an encoder by its time.
  MemoryModel(const Workload& workload, const DealtLayers& dealt, const MemoryRecipe& recipe,
              Precision precision, double capacity, double domain, bool eager_encoder);

  /// The fullest device of the pipeline: the first stage with its micro-batches in flight and
  /// the embedding, an inner one, or the last one with head and logits. The parts add up to the
  /// total. No allocation.
  [[nodiscard]] MemoryUse use(const Layout& layout) const noexcept;
  [[nodiscard]] MemoryUse stage(const Layout& layout, Stage stage) const noexcept;

  /// What use() has for activations, in parts.
  [[nodiscard]] ActivationAccount activations(const Layout& layout) const noexcept;

  /// Activations of a micro-batch that the first stage hands to the host and takes back.
  [[nodiscard]] double moved_activations(const Layout& layout) const noexcept;

  [[nodiscard]] const MemoryRecipe& recipe() const noexcept { return recipe_; }
  /// What a pipeline deals to its stages.
  [[nodiscard]] const DealtLayers& dealt() const noexcept { return dealt_; }

 private:
  /// Bytes of a set of parameters on one device that holds all of them.
  struct States {
    double frozen = 0, weights = 0, gradients = 0, optimizer = 0;
    void add(const States& other, double count) noexcept {
      frozen += other.frozen * count;
      weights += other.weights * count;
      gradients += other.gradients * count;
      optimizer += other.optimizer * count;
    }
  };
  /// The layers of one place, of which a stage holds as many of their mean.
  struct Layers {
    double count = 0;
    double tokens = 0;                      ///< of their stream, per sequence
    States own, routed;                     ///< of a layer without its routed experts, and of those
    std::array<ActivationBytes, 3> kept{};  ///< by Recompute; nothing where no gradient passes
    ActivationBytes most;  ///< of the layer that keeps most where nothing is made again
  };
  /// What a stage holds.
  struct Shape {
    std::array<double, kPlaces> layers{};
    double in_flight = 1;
  };
  /// Factors of a layout that all stages share.
  struct Shares;
  /// What prepares a model: the workload's folds.
  struct Preparation;

  [[nodiscard]] Shares shares(const Layout& layout) const noexcept;
  [[nodiscard]] Shape shape(const Layout& layout, const Shares& shares, Stage stage) const noexcept;
  /// The fullest stage of a pipeline.
  struct Fullest {
    MemoryUse use;
    Stage stage;
  };
  [[nodiscard]] Fullest fullest(const Layout& layout) const noexcept;
  /// Without what the host keeps.
  [[nodiscard]] ActivationAccount kept_on(const Shape& shape, const Shares& shares,
                                          bool first) const noexcept;
  [[nodiscard]] double gathered_tables(const Layout& layout, bool first, bool last) const noexcept;
  [[nodiscard]] MemoryUse stage(const Layout& layout, const Shares& shares,
                                Stage stage) const noexcept;
  [[nodiscard]] MemoryUse partly_recomputed(const Layout& layout, const Shares& kept,
                                            const Shares& repeated, Stage stage) const noexcept;
  void hold_others(const Shares& shares, double stages, MemoryUse& use) const noexcept;
  void add_up(MemoryUse& use) const noexcept;
  /// look(f), where f(stage) is what a stage of the layout holds, whatever it recomputes.
  template <class Look>
  auto with_stages(const Layout& layout, const Look& look) const noexcept;
  /// Of a micro-batch, on a stage's layers of the language model.
  [[nodiscard]] static double layer_bytes(const Shape& shape, const Shares& shares) noexcept;
  void keep_on_host(const Shape& shape, const Shares& shares, MemoryUse& use) const noexcept;

  MemoryRecipe recipe_;
  Offload offload_;
  double capacity_ = 0;  ///< bytes that a plan may fill
  double domain_ = 8;
  States others_, other_experts_;  ///< of other models, their layers dealt evenly to the stages
  bool holds_others_ = false;
  std::array<Layers, kPlaces> layers_;
  DealtLayers dealt_;
  bool experts_ = false;
  States first_;  ///< beside the layers: embedding, connector, what surrounds an encoder's layers
  States last_;   ///< head, final norm
  States head_again_;  ///< what a tied head adds where it is not on the embedding's stage
  double layer_weights_ = 0, expert_weights_ = 0, embedding_weights_ = 0;  ///< bytes when gathered
  double head_weights_ = 0;  ///< likewise; those of the embedding where it is tied
  bool tied_ = false;
  double connector_kept_ = 0;  ///< bytes per sequence, 0 where no gradient passes it
  double seq_length_ = 0, logit_bytes_ = 0;
};

}  // namespace trcost::performance
