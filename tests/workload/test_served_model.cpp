// SPDX-License-Identifier: Apache-2.0
// A model as serving sees it: the same weights and attention as everywhere else, counted again.
#include <string>

#include "catalog/model.h"
#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "workload/served_model.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

const Catalog& catalog() {
  static const Catalog shared;
  return shared;
}

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
  for (const std::string& name : catalog().names(CatalogKind::models)) {
    const Model model = catalog().model(name);
    if (!model.language.output_head || model.language.bidirectional) continue;
    INFO(name);
    const ServedModel s = served_model(model);
    const ParameterCounts counts = count_parameters(model);
    const double held = s.attention_params + s.dense_params + s.expert_params + s.image_params +
                        s.head_params * (s.tied ? 1 : 2);
    // Norms, biases and positions are left out, modules that predict further tokens too.
    CHECK_THAT(held, WithinRel(counts.total - counts.mtp, 0.02));
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
  for (const std::string& name : catalog().names(CatalogKind::models)) {
    const Model model = catalog().model(name);
    const LanguageModel& m = model.language;
    if (!m.output_head || m.bidirectional) continue;
    const ServedModel s = served_model(model);
    if (s.chosen > 0 || s.prefill_flops == 0) continue;
    INFO(name);
    const double seen = prefill_core_flops(s, kPrompt) / s.prefill_flops;
    CHECK_THAT(seen, WithinRel(mean_visible(m, kPrompt), 1e-3));
    if (m.windows[0].window > 0 || m.window_count > 1) ++windowed;
  }
  CHECK(windowed > 5);
}

TEST_CASE("what has no head is not served", "[serving]") {
  CHECK_THROWS_AS(served_model(catalog().model("clip-vit-l-14-336")), Error);
}
