// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "catalog/efficiency.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"
#include "workload/workload.h"

namespace trcost {

struct Stack;
struct Block;

/// Ranks that a state is spread over which is sharded from stage `from` on: ZeRO stages 1 to 3 divide
/// the optimizer state, then gradients, then weights (Rajbhandari et al., arXiv:1910.02054, section 3).
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

/// A layer of the GPT kind with materialised attention, dropout and GELU:
/// none s b h (10 + 24/t + 5 a s/(h t)), selective the same without 5 a s/(h t), full 2 s b h;
/// Korthikanti et al., arXiv:2205.05198, table 2. Per token, 16-bit activations.
ActivationBytes classic_activation_bytes(double hidden, double heads, double seq_length,
                                         Recompute recompute) noexcept;

/// What a layer with fused attention keeps (model.md 4.3).
struct LayerWidths {
  double hidden = 0;
  double mixer = 0;             ///< elements per token of q, k, v and the attention output
  double statistics = 0;        ///< heads: one 32-bit log-sum-exp per head and token
  double ffn = 0;               ///< intermediate width that a token passes through
  bool gated = true;
  double routed = 0;            ///< experts per token, whose inputs and outputs are copied
  double branches = 2;          ///< of the residual stream: a mixer, a feed-forward
};
LayerWidths layer_widths(const Block& block) noexcept;

/// none 8 h + 2 (q + k + v + o) + 4 a + 6 f (plain MLP: 4 f), selective 4 h + ... + 4 f (norm
/// outputs and the gated product made again; plain: 2 f), full 2 h; mixture of experts adds
/// 4 k h for the copies of k routed experts; a layer of one branch keeps half of the norms' inputs
/// and outputs. Per token, 16-bit activations; model.md 4.3.
ActivationBytes fused_activation_bytes(const LayerWidths& layer, Recompute recompute) noexcept;

/// Micro-batches whose activations the first stage holds, in units of all its layers: 1F1B
/// min(m, p); interleaved p (1 + (p - 1)/(p v)); Narayanan et al., arXiv:2104.04473, section 2.2,
/// and arXiv:2205.05198, section 4.2.3. Never more than the m that exist.
double micro_batches_in_flight(double pp, double vp, double micro_batches) noexcept;

/// An encoder's activations per image: all layers when it learns, T L (16 h + 4 f) (gated: 6 f); one
/// layer at a time when it is frozen; T L 2 h and one layer with full recomputation; model.md 4.6.
double encoder_activation_bytes(const Encoder& encoder, double tokens, bool trained,
                                Recompute recompute) noexcept;

/// Bytes per parameter of a 4-bit base: NF4 with blocks of 64 and doubly quantised scales,
/// (4 + 8/64 + 32/(64 256)) / 8; Dettmers et al., arXiv:2305.14314, section 3.
inline constexpr double kQloraBytes = (4.0 + 8.0 / 64 + 32.0 / (64 * 256)) / 8;

/// Of one logit: eager 16 and 32 bit and their gradient, fused without a second 32-bit copy (model.md
/// 4.4); chunked holds one part in ceil(vocab / hidden) of the tokens at a time (Liger Kernel,
/// arXiv:2410.10989, section 3.2).
double bytes_per_logit(Loss loss, double vocab, double hidden) noexcept;

/// Gradients that stay on a device whose host updates: two buckets of 2e8 16-bit values on their way
/// out (DeepSpeed's ZeRO-3 reduce_bucket_size times two; its ZeRO-2 default is one of 5e8).
inline constexpr double kGradientBuckets = 1e9;

/// Memory of one workload on one kind of device, prepared so that a layout is arithmetic.
class MemoryModel {
 public:
  MemoryModel() = default;
  /// `domain`: accelerators within which hybrid sharding spreads parameters.
  MemoryModel(const Workload& workload, const MemoryRecipe& recipe, Precision precision,
              double capacity, double domain = 8);

  /// The fullest device of the pipeline: the first stage with its micro-batches in flight and
  /// the embedding, an inner one, or the last one with head and logits. The parts add up to the
  /// total. No allocation.
  [[nodiscard]] MemoryUse use(const Layout& layout) const noexcept;
  /// Which stage a question is about.
  enum class Stage { first, inner, last };
  [[nodiscard]] MemoryUse stage(const Layout& layout, Stage stage) const noexcept;

  /// Activations of a micro-batch that the first stage hands to the host and takes back.
  [[nodiscard]] double moved_activations(const Layout& layout) const noexcept;

  [[nodiscard]] const MemoryRecipe& recipe() const noexcept { return recipe_; }

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
  /// What a stage holds.
  struct Shape {
    double dense_layers = 0;
    double moe_layers = 0;
    double in_flight = 1;
  };
  /// Factors of a layout that all stages share.
  struct Shares;

  [[nodiscard]] Shares shares(const Layout& layout) const noexcept;
  [[nodiscard]] Shape shape(const Layout& layout, Stage stage) const noexcept;
  [[nodiscard]] MemoryUse stage(const Layout& layout, const Shares& shares,
                                Stage stage) const noexcept;
  [[nodiscard]] States states(double params, double learning, Training training,
                              double linear) const;
  [[nodiscard]] MemoryUse partly_recomputed(const Layout& layout, const Shares& kept,
                                            const Shares& repeated, Stage stage) const noexcept;
  void add_up(MemoryUse& use) const noexcept;
  /// look(f), where f(stage) is what a stage of the layout holds, whatever it recomputes.
  template <class Look>
  auto with_stages(const Layout& layout, const Look& look) const noexcept;
  [[nodiscard]] static double layer_bytes(const Shape& shape, const Shares& shares) noexcept;
  void keep_on_host(const Shape& shape, const Shares& shares, MemoryUse& use) const noexcept;
  void prepare_activations(const Workload& workload, Precision precision);
  void prepare_states(const Workload& workload);
  void prepare_vision(const Workload& workload, const TrainableCounts& trainable);

  MemoryRecipe recipe_;
  Offload offload_;
  double capacity_ = 0;  ///< bytes that a plan may fill
  double domain_ = 8;
  double resident_bytes_ = 0;  ///< of other models, on all devices together
  double layers_ = 0, dense_layers_ = 0, mtp_layers_ = 0;
  double head_layers_ = 0;  ///< the head, in layers
  States dense_layer_, moe_layer_, expert_layer_;
  States first_;        ///< embedding, encoder, connector
  States last_;         ///< head and modules that predict further tokens
  States head_again_;   ///< what a tied head adds where it is not on the embedding's stage
  double layer_weights_ = 0, expert_weights_ = 0, embedding_weights_ = 0;  ///< bytes when gathered
  bool encoder_learns_ = false;
  std::array<ActivationBytes, 3> dense_activations_, moe_activations_;  ///< by Recompute, mean
  ActivationBytes dense_transient_, moe_transient_;  ///< of the layer that keeps most
  std::array<double, 3> encoder_activations_{};                         ///< per sequence
  double seq_length_ = 0, logit_bytes_ = 0;
  double frozen_bytes_ = 2;  ///< per frozen parameter
  double value_scale_ = 1;  ///< 2 where values are kept in 32 bits
};

}  // namespace trcost
