// SPDX-License-Identifier: Apache-2.0
// A model as serving sees it: the same weights and attention as everywhere else, counted again.
#include <string>

#include "catalog/models/model.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "trcost/error.h"
#include "workload/served_model.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

// Scores that the tokens of a prompt compute, one token after another.
double mean_visible(const LanguageModel& m, int prompt) {
  double sum = 0;
  for (int position = 1; position <= prompt; ++position) {
    for (int i = 0; i < m.window_count; ++i) {
      const auto [share, window] = m.windows[static_cast<std::size_t>(i)];
      sum += share * (window > 0 && window < position ? window : position);
    }
  }
  return sum / prompt;
}

}  // namespace

TEST_CASE("an engine holds every weight of every model that generates", "[serving]") {
  int models = 0, seeing = 0;
  for (const std::string& name : test_catalog().names(CatalogKind::models)) {
    const Model model = test_catalog().model(name);
    if (!model.language.output_head || model.language.bidirectional) continue;
    INFO(name);
    const ServedModel s = served_model(model);
    const ParameterCounts counts = count_parameters(model);
    const double held = s.attention_params + s.dense_params + s.expert_params + s.image_params +
                        s.head_params * (s.tied ? 1 : 2);
    // Norms, biases and positions are left out, modules that predict further tokens too.
    CHECK_THAT(held, WithinRel(counts.total, 0.02));
    CHECK(held <= counts.total * (1 + 1e-9));
    ++models;
    if (model.vision) ++seeing;
  }
  CHECK(models > 100);
  CHECK(seeing > 20);
}

TEST_CASE("a prompt attends to what its windows let it see", "[serving]") {
  constexpr int kPrompt = 6000;
  int windowed = 0;
  for (const std::string& name : test_catalog().names(CatalogKind::models)) {
    const Model model = test_catalog().model(name);
    const LanguageModel& m = model.language;
    if (!m.output_head || m.bidirectional) continue;
    const ServedModel s = served_model(model);
    if (s.sparse() || s.cores.size() == 0) continue;
    INFO(name);
    double of_one = 0;  // FLOPs of scores and values per token that is seen
    for (const ServedCore& each : s.cores) of_one += each.layers * attention_flops(each.core, 1);
    const double seen = prefill_core_flops(s, kPrompt) / of_one;
    CHECK_THAT(seen, WithinRel(mean_visible(m, kPrompt), 1e-3));
    if (m.windows[0].window > 0 || m.window_count > 1) ++windowed;
  }
  CHECK(windowed > 5);
}

TEST_CASE("what has no head is not served", "[serving]") {
  CHECK_THROWS_AS(served_model(test_catalog().model("clip-vit-l-14-336")), Error);
}

// Gemma 2 (arXiv:2408.00118, table 1): every other layer sees 4,096 tokens; 42 layers of 8
// key-value heads of 256 and 16 heads. Half of the layers keep what a window forgets in the other
// half.
TEST_CASE("each layer keeps, reads and computes what its own window lets it see", "[serving]") {
  const ServedModel m = served_model(test_catalog().model("gemma-2-9b"));
  constexpr double kToken = 2 * 8 * 256 * 2, kContext = 8192, kWindow = 4096;
  CHECK(cache_bytes_per_token(m, 2) == 42 * kToken);
  CHECK(kept_cache_bytes(m, kContext, 2) == 21 * kToken * (kContext + kWindow));
  CHECK(read_cache_bytes(m, kContext, 2) == kept_cache_bytes(m, kContext, 2));
  CHECK(decode_core_flops(m, kContext) == 21 * 4 * 16 * 256 * (kContext + kWindow));
  CHECK(kept_cache_bytes(m, kWindow, 2) == 42 * kToken * kWindow);
}

// DeepSeek-V3.2 (arXiv:2512.02556, section 2.1; config.json): 61 layers keep a latent of 512 and a
// key of 64, and an 8-bit key of 128 for the indexer, which lets 2,048 tokens be seen.
TEST_CASE("an indexer reads all of its keys and attention what it chose of the cache",
          "[serving]") {
  const ServedModel m = served_model(test_catalog().model("deepseek-v3.2"));
  constexpr double kContext = 10000;
  CHECK(m.sparse());
  CHECK(kept_cache_bytes(m, kContext, 2) == 61 * kContext * (576 * 2 + 128));
  CHECK(read_cache_bytes(m, kContext, 2) == 61 * (2048 * 576 * 2 + kContext * 128));
  CHECK(read_cache_bytes(m, 2048, 2) == 61 * 2048 * 576 * 2);
}

TEST_CASE("key-value heads share the cache out, and beyond them ranks hold copies", "[serving]") {
  const ServedModel m = served_model(test_catalog().model("llama-3.1-70b"));
  CHECK(cache_shards(m, 4) == 4);
  CHECK(cache_shards(m, 16) == 8);
  CHECK(cache_shards(served_model(test_catalog().model("deepseek-v3")), 8) == 1);
}

TEST_CASE("a format's bytes go by part, and head, embedding and encoder keep 16 bits",
          "[serving]") {
  const ServedModel dense = served_model(test_catalog().model("llama-3.1-8b"));
  const PartBytes bytes = part_bytes(dense, *parse_weight_format("fp8"));
  CHECK(bytes.attention == 1);
  CHECK(bytes.dense == 1);
  // 128,256 x 4,096 in the embedding and in the head.
  const double head = 128256.0 * 4096;
  CHECK(unread_bytes(dense) == 2 * head);
  CHECK_THAT(weight_bytes(dense, *parse_weight_format("fp8")),
             WithinRel(dense.attention_params + dense.dense_params + 4 * head, 1e-12));
}
