// SPDX-License-Identifier: Apache-2.0
// Models of random shape, the same on every machine.
#pragma once

#include <cstdint>

#include "catalog/models/model.h"

namespace random_models {

// Whole numbers in [low, high].
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  double roll(std::uint64_t low, std::uint64_t high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(low + (state_ >> 33) % (high - low + 1));
  }
  bool coin() { return roll(0, 1) == 1; }

 private:
  std::uint64_t state_;
};

inline trcost::MixtureOfExperts experts(Dice& dice, double layers) {
  trcost::MixtureOfExperts moe;
  moe.experts = dice.roll(4, 256);
  moe.experts_per_token = dice.roll(1, 4);
  moe.expert_ffn = 64 * dice.roll(1, 100);
  moe.shared_ffn = dice.coin() ? 64 * dice.roll(1, 100) : 0;
  moe.shared_gate = dice.coin();
  moe.dense_layers = dice.roll(0, static_cast<std::uint64_t>(layers) - 1);
  return moe;
}

inline trcost::LanguageModel language(Dice& dice) {
  trcost::LanguageModel m;
  m.layers = dice.roll(2, 80);
  m.head_dim = 16 * dice.roll(2, 16);
  m.kv_heads = dice.roll(1, 8);
  m.heads = m.kv_heads * dice.roll(1, 8);
  m.hidden = 64 * dice.roll(4, 128);
  m.ffn = dice.roll(0, 3) == 0 ? 0 : 64 * dice.roll(1, 400);
  m.vocab = 32000;
  m.mlp = dice.coin() ? trcost::Mlp::gated : trcost::Mlp::plain;
  m.windows[0] = {1, dice.coin() ? dice.roll(1, 5000) : 0};
  m.window_count = 1;
  m.mtp_layers = dice.roll(0, 2);
  if (dice.coin()) {
    m.mla = trcost::LatentAttention{};
    m.mla->q_lora_rank = dice.coin() ? dice.roll(64, 2048) : 0;
    m.mla->kv_lora_rank = dice.roll(64, 1024);
    m.mla->qk_nope_head_dim = dice.roll(16, 256);
    m.mla->qk_rope_head_dim = dice.roll(16, 128);
    m.mla->v_head_dim = dice.roll(16, 256);
  }
  if (dice.coin()) m.moe = experts(dice, m.layers);
  if (dice.coin()) {
    m.cross_attention = trcost::CrossAttention{};
    m.cross_attention->layers = dice.roll(1, 20);
    m.cross_attention->ffn = dice.coin() ? 64 * dice.roll(1, 400) : 0;
    m.cross_attention->key_width = dice.coin() ? dice.roll(1, 400000) : 0;
  }
  return m;
}

}  // namespace random_models
