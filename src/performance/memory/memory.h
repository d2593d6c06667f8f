// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "catalog/software/stacks.h"
#include "performance/training/pipeline.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"
#include "workload/workload.h"

namespace trcost::catalog {
struct Stack;
}  // namespace trcost::catalog
namespace trcost::workload {
struct Block;
}  // namespace trcost::workload

namespace trcost::performance {

/// Ranks that a state is spread over which is sharded from stage `from` on: ZeRO stages 1 to 3
/// divide the optimizer state, then gradients, then weights (Rajbhandari et al., arXiv:1910.02054,
/// section 3).
constexpr double sharers(Sharding sharding, Sharding from, double shards) noexcept {
  return sharding >= from ? shards : 1;
}

/// Ranks among which hybrid sharding spreads what `ranks` of them, `stride` apart, hold alike: the
/// largest divisor of `ranks` that lies within one domain of `domain` accelerators.
double hybrid_shards(double ranks, double stride, double domain) noexcept;

/// Bytes per token and layer that the backward pass needs, as a part that only sequence
/// parallelism divides and a part that tensor parallelism divides.
struct ActivationBytes {
  double hidden = 0;
  double split = 0;
  /// hidden / (t with sequence parallelism, else 1) + split / t
  [[nodiscard]] double per_token(double tp, bool sequence_parallel) const noexcept {
    return hidden / (sequence_parallel ? tp : 1) + split / tp;
  }
};

/// What a layer keeps for its backward pass, and how its software runs it (model.md 4.2, 4.3, 4.6).
struct LayerWidths {
  double hidden = 0;
  double mixer = 0;       ///< elements per token of q, k, v and the attention output
  double statistics = 0;  ///< heads: one 32-bit log-sum-exp per head and token of fused attention
  double scores = 0;      ///< entries per token of attention that is materialised: heads x length
  double ffn = 0;         ///< intermediate width that a token passes through
  bool gated = true;
  bool dropout = false;    ///< after either branch
  bool frozen = false;     ///< matrices that do not learn do not need their inputs
  double input_bytes = 2;  ///< of an element of a matmul's input: fewer in 8- and 4-bit recipes
  double routed = 0;       ///< experts per token, whose inputs and outputs are copied
  double branches = 2;     ///< with norms and residual of their own: a mixer, a feed-forward
};
/// Of fused attention without dropout, whose matrices learn; `image_share`: tokens of the image per
/// token, for layers that attend to it.
LayerWidths layer_widths(const Block& block, double image_share = 0) noexcept;

/// Per token, 16-bit activations of a layer of n branches:
///   none       4 n h (with dropout 5 n h) + 2 (q + k + v + o) + 6 f (plain MLP: 4 f) + 4 a,
///   selective  2 n h + ... + 4 f (plain: 2 f): norm outputs and the activation function's product
///              are made again
///   full       2 h
/// where attention is materialised 5 a s bytes of scores instead of 4 a: softmax, dropout's mask
/// and what it leaves, and selective recomputation makes these again and nothing else. A mixture of
/// experts adds 4 k h for the copies of k routed experts. With n = 2, q, k, v, o = h each and f = 4
/// h the GPT layer of Korthikanti et al., arXiv:2205.05198, table 2: none s b h (10 + 24/t + 5 a
/// s/(h t)), selective the same without 5 a s/(h t).
ActivationBytes activation_bytes(const LayerWidths& layer, Recompute recompute) noexcept;

/// Bytes per parameter of a 4-bit base: NF4 with blocks of 64 and doubly quantised scales,
/// (4 + 8/64 + 32/(64 256)) / 8; Dettmers et al., arXiv:2305.14314, section 3.
inline constexpr double kQloraBytes = (4.0 + 8.0 / 64 + 32.0 / (64 * 256)) / 8;

/// Of one logit: eager the 16-bit ones and three 32-bit tensors of their size at the peak of the
/// backward pass, 12.0 bytes beside a reference that the training loop keeps, as torch 2.5 and 2.13
/// were measured (MakazhanAlpamys/Soup, benchmarks/gate-h100-validation.md, step 16, August 2026);
/// fused 16 and 32 bit with the gradient in their place (model.md 4.4); chunked holds one part in
/// ceil(vocab / hidden) of the tokens at a time (Liger Kernel, arXiv:2410.10989, section 3.2).
double bytes_per_logit(Loss loss, double vocab, double hidden) noexcept;

/// Of a parameter that learns, under an optimizer that a user names instead of the stack's
/// (model.md 4.1); `width`: bytes of a value in the format of the matmuls.
StateBytes state_bytes(Optimizer optimizer, const StateBytes& of_stack, double width) noexcept;

/// Formats that keep 32-bit weights and activations: no separate master copy.
constexpr bool is_single(Precision precision) noexcept {
  return precision == Precision::fp32 || precision == Precision::tf32;
}

/// Bytes that AdamW in 32 bit moves for each parameter: gradients are read, moments and weights
/// read and written, 4 + 2 x 12, and 2 for the weights of the matmuls (model.md 5.1).
inline constexpr double kAdamwTraffic = 30;
/// The same of an optimizer; `of_stack` is what AdamW in 32 bit moves in the stack's own code,
/// whose losses another one shares. `width`: bytes of a value in the format of the matmuls.
double update_traffic(Optimizer optimizer, double of_stack, double width) noexcept;

/// Whether the scores of the encoder's attention ever stand in memory under a stack.
bool materialised_encoder(const Workload& workload, const Stack& stack) noexcept;

/// Gradients that stay on a device whose host updates: two buckets of 2e8 16-bit values on their
/// way out (DeepSpeed's ZeRO-3 reduce_bucket_size times two; its ZeRO-2 default is one of 5e8).
inline constexpr double kGradientBuckets = 1e9;

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
