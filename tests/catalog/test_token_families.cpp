// SPDX-License-Identifier: Apache-2.0
// The token rules that catalog entries name are rules that exist.
#include "catalog/models/model.h"
#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/tokens.h"

namespace {

// What a rule counts has to be patches of the encoder asked about, with its class token if any.
void check_patches(const std::string& family, const trcost::VisionModel& vision) {
  if (family.empty() || vision.encoder.patch <= 0) return;
  const trcost::TokenEncoder encoder = trcost::token_encoder(vision);
  const trcost::TokenCount count =
      trcost::count_image_tokens(family, {1024, 768}, {.encoder = encoder});
  REQUIRE(count.resized);
  const bool tiled = encoder.image > 0 && family != "idefics2";
  const std::int64_t step = tiled ? encoder.image : encoder.patch;  // 384 holds 27 patches of 14
  if (family != "idefics2") {  // whose convolution drops what is left over
    CHECK(count.resized->width % step == 0);
    CHECK(count.resized->height % step == 0);
  }
  if (family == "mllama") return;  // padded, all tiles in one sequence
  const std::int64_t side = encoder.image / encoder.patch;
  const std::int64_t patches =
      tiled ? side * side
            : (count.resized->width / encoder.patch) * (count.resized->height / encoder.patch);
  CHECK(*count.encoder_sequence == patches + *encoder.class_tokens);
}

}  // namespace

TEST_CASE("a token rule counts patches of the model's own encoder", "[catalog][tokens][property]") {
  const trcost::Catalog catalog;
  for (const std::string& name : catalog.names(trcost::CatalogKind::encoders)) {
    INFO("encoder " << name);
    trcost::VisionModel vision;
    vision.encoder = catalog.encoder(name);
    check_patches(vision.encoder.token_family, vision);
  }
  for (const std::string& name : catalog.names(trcost::CatalogKind::models)) {
    INFO("model " << name);
    const trcost::Model& model = catalog.model(name);
    if (model.vision) check_patches(model.token_family, *model.vision);
  }
  CHECK_THROWS_AS(trcost::count_image_tokens("qwen2-vl", {1024, 768}, {.encoder = {.patch = 16}}),
                  trcost::Error);
}

TEST_CASE("every token family named in the catalog has a rule", "[catalog][tokens]") {
  const trcost::Catalog catalog;
  for (const std::string& name : catalog.names(trcost::CatalogKind::encoders)) {
    INFO("encoder " << name);
    const std::string& family = catalog.encoder(name).token_family;
    if (!family.empty()) CHECK(trcost::token_family(family).name == family);
  }
  for (const std::string& name : catalog.names(trcost::CatalogKind::models)) {
    INFO("model " << name);
    const std::string& family = catalog.model(name).token_family;
    if (!family.empty()) CHECK(trcost::token_family(family).name == family);
  }
}
