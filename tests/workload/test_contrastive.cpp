// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/contrastive.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

/// Forward FLOPs of one pair.
double text_flops(const Workload& w) {
  const ForwardFlops f = forward_flops(w, false);
  return (f.layers_gemm + f.attention_core + f.head) * w.seq_length;
}

}  // namespace

TEST_CASE("FLOPs of CLIP's towers as profiled", "[workload][contrastive]") {
  // github.com/mlfoundations/open_clip docs/model_profile.csv, ViT-L-14: image 162.03, text 13.3.
  const Catalog catalog;
  const Workload w = contrastive_workload(catalog.model("clip-vit-l-14"), 32768);
  CHECK(w.seq_length == 77);
  CHECK_THAT(forward_flops(w).encoder, WithinRel(162.03e9, 0.01));
  CHECK_THAT(text_flops(w), WithinRel(13.3e9, 0.01));
  CHECK(forward_flops(w).head == 0);
}

TEST_CASE("encoders as timm profiles them, in GMAC", "[workload][contrastive]") {
  const Catalog catalog;
  // timm results/benchmark-infer tables and model cards, 2 FLOPs per multiply-add; they count the patch
  // embedding too, 2.7 % of a ViT-B/32.
  const std::pair<const char*, double> published[] = {
      {"clip-vit-b-32", 4.41},      {"clip-vit-b-16", 17.58},  {"clip-vit-l-14-224", 81.08},
      {"clip-vit-l-14-336", 191.1}, {"clip-vit-h-14", 167.40}, {"clip-vit-bigg-14", 483.95},
      {"eva-clip-g-14", 267.18},    {"eva02-clip-l-14-336", 191.1}};
  for (const auto& [name, gmac] : published) {
    INFO(name);
    const Encoder& e = catalog.encoder(name);
    CHECK_THAT(encoder_forward_flops(e, e.tokens_per_image) / 2e9, WithinRel(gmac, 0.03));
  }
}

TEST_CASE("contrastive training costs three forward passes of both towers",
          "[workload][contrastive]") {
  const Catalog catalog;
  for (const char* name : {"clip-vit-b-32", "clip-vit-h-14", "siglip-so400m-14-384"}) {
    INFO(name);
    const Workload w = contrastive_workload(catalog.model(name), 32768);
    const ForwardFlops forward = forward_flops(w);
    const TrainingFlops f = training_flops(w);
    CHECK_THAT(f.encoder() * w.seq_length, WithinRel(3 * forward.encoder, 1e-12));
    CHECK_THAT(f.total(), WithinRel(3 * (f.language_forward + f.encoder_forward +
                                         f.connector_forward), 1e-12));
    // Projections and similarities are small beside the towers.
    CHECK(f.connector() < 0.1 * f.total());
    CHECK(count_trainable(w).total == count_parameters(catalog.model(name)).total);
  }
}

TEST_CASE("a larger batch compares more pairs", "[workload][contrastive]") {
  const Catalog catalog;
  const Model& model = catalog.model("clip-vit-b-32");
  const double small = forward_flops(contrastive_workload(model, 1024)).connector;
  const double large = forward_flops(contrastive_workload(model, 2048)).connector;
  CHECK(large - small == 2 * 1024 * 512.0);
  CHECK_THROWS_AS(contrastive_workload(catalog.model("llava-1.5-7b"), 1024), Error);
  CHECK_THROWS_AS(contrastive_workload(catalog.model("llama-3.1-8b"), 1024), Error);
}
