// SPDX-License-Identifier: Apache-2.0
// Parameters, FLOPs, adapters and cache are sums over the blocks: each met by a second count.
#include <array>
#include <cstddef>
#include <cstdint>

#include "catch.h"
#include "performance/memory/memory_model.h"
#include "workload/blocks/block.h"
#include "workload/closed_form.h"
#include "workload/flops.h"
#include "workload/random_models.h"
#include "workload/trainable.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

constexpr std::uint64_t kModels = 500;

template <class Check>
void for_random_models(Check&& check) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    INFO("seed " << seed);
    random_models::Dice dice(seed);
    check(random_models::language(dice));
  }
}

double cached_values_of(const LanguageModel& m) {
  double values = 0;
  for (const Run& run : blocks_of(m)) {
    if (run.module == Module::decoder) values += run.count * cached_values(run.block.core);
  }
  return values;
}

double experts_of(const LanguageModel& m) {
  return m.moe ? m.moe->experts : 0;
}
double experts_used(const LanguageModel& m) {
  return m.moe ? m.moe->experts_per_token : 0;
}

}  // namespace

TEST_CASE("parameters of a random model are those of its layers written out", "[blocks]") {
  for_random_models([](const LanguageModel& m) {
    LanguageModel bare = m;
    bare.norms_per_layer = 0;
    const ParameterCounts counts = count_parameters(bare);
    double layers = closed_form::decoder(m, experts_of(m)).weights + m.hidden;
    if (m.mla) layers += m.layers * (m.mla->q_lora_rank + m.mla->kv_lora_rank);
    if (m.cross_attention) {
      const double vectors = 2 * m.hidden + 2 * m.head_dim + 2;
      layers += (closed_form::cross_text(m) + closed_form::cross_image(m)).weights +
                m.cross_attention->layers * vectors;
    }
    CHECK_THAT(counts.layers, WithinRel(layers, 1e-12));
    const double idle = closed_form::decoder(m, experts_of(m)).weights -
                        closed_form::decoder(m, experts_used(m)).weights;
    CHECK_THAT(counts.total - counts.active, WithinRel(idle, 1e-9) || WithinAbs(0, 1e-3));
  });
}

TEST_CASE("FLOPs of a random model are two per weight that a token passes", "[blocks]") {
  for_random_models([](const LanguageModel& m) {
    Workload workload;
    workload.language = m;
    workload.seq_length = workload.attention_length = 64;
    const ForwardFlops forward = forward_flops(workload);
    const double used = experts_used(m);
    const double passed =
        (closed_form::decoder(m, used) + closed_form::prediction(m, used)).weights;
    CHECK_THAT(forward.layers_gemm, WithinRel(2 * passed, 1e-12));
    // A window shorter than the sequence counts its first tokens whole, which the mean leaves out.
    const double seen = closed_form::visible_tokens(m.windows[0].window, 64);
    CHECK_THAT(forward.attention_core,
               WithinRel((m.layers + m.mtp_layers) * 4 * closed_form::core_width(m) * seen, 0.02));
  });
}

TEST_CASE("adapters of a random model lie on every matrix but routers and gates", "[blocks]") {
  for_random_models([](const LanguageModel& m) {
    double widths = closed_form::decoder(m, experts_of(m)).widths;
    if (m.cross_attention) {
      widths += (closed_form::cross_text(m) + closed_form::cross_image(m)).widths;
    }
    CHECK_THAT(lora_parameters(m, 16), WithinRel(16 * widths, 1e-12));
  });
}

TEST_CASE("the cache holds keys and values, or the latent they are made from", "[blocks]") {
  for_random_models([](const LanguageModel& m) {
    const double values =
        m.mla ? m.mla->kv_lora_rank + m.mla->qk_rope_head_dim : 2 * m.kv_heads * m.head_dim;
    CHECK_THAT(cached_values_of(m), WithinRel(m.layers * values, 1e-12));
  });
}

// Every layer is counted once, whatever stands beside it.
TEST_CASE("a hybrid is the sum of its kinds of layers", "[blocks]") {
  constexpr Mixer kMixers[] = {Mixer::attention, Mixer::mamba, Mixer::linear, Mixer::none};
  constexpr FeedForward kFeedForwards[] = {FeedForward::dense, FeedForward::moe, FeedForward::none};
  for_random_models([&](const LanguageModel& base) {
    LanguageModel m = base;
    m.cross_attention.reset();
    m.mtp_layers = 0;
    m.ffn = 512;
    m.moe = MixtureOfExperts{};
    m.moe->experts = 16;
    m.moe->experts_per_token = 3;
    m.moe->expert_ffn = 384;
    m.mamba = StateSpace{.heads = 32, .head_dim = 64, .groups = 4, .state = 96};
    m.linear = LinearAttention{.key_heads = 4, .key_dim = 64, .value_heads = 8, .value_dim = 96};
    Workload workload;
    workload.seq_length = workload.attention_length = 4096;
    const auto sums = [&](const LanguageModel& of) {
      workload.language = of;
      const ForwardFlops flops = forward_flops(workload);
      const ParameterCounts counts = count_parameters(of);
      return std::array{counts.layers, counts.active, flops.layers_gemm, flops.attention_core,
                        cached_values_of(of)};
    };
    LanguageModel none = m;
    none.layers = 0;
    const auto outside = sums(none);
    std::array<double, 5> separate = outside;
    LanguageModel hybrid = m;
    hybrid.layers = 0;
    for (int i = 0; i < 4; ++i) {
      const PatternPart part{kMixers[(i + static_cast<int>(m.heads)) % 4], kFeedForwards[i % 3],
                             1.0 + i};
      if (part.mixer == Mixer::none && part.ffn == FeedForward::none) continue;
      hybrid.pattern[static_cast<std::size_t>(hybrid.pattern_parts++)] = part;
      hybrid.layers += 2 * part.count;
      LanguageModel alone = m;
      alone.pattern[0] = part;
      alone.pattern_parts = 1;
      alone.layers = 2 * part.count;
      const auto sum = sums(alone);
      for (std::size_t k = 0; k < sum.size(); ++k) separate[k] += sum[k] - outside[k];
    }
    const auto together = sums(hybrid);
    for (std::size_t k = 0; k < together.size(); ++k) {
      CHECK_THAT(together[k], WithinRel(separate[k], 1e-9));
    }
  });
}
