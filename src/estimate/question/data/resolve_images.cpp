// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/data/resolve_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/assumed.h"
#include "estimate/question/data/resolve_clip.h"
#include "trcost/tokens.h"
#include "workload/blocks/contrastive.h"
#include "workload/vision_defaults.h"

namespace trcost::estimation {
namespace {

// JPEG: COCO train2017 is 118,287 images of about 640x480 in 18 GB (cocodataset.org/#download);
// Open Images' 1,743,042 of 1,024 pixels on the longer side are 513 GB
// (storage.googleapis.com/openimages, V4), 0.37.
constexpr double kStoredBytesPerPixel = 0.5;
// Pixels of an original from the web, as stored: 0.5 to 2 MB at kStoredBytesPerPixel (model.md 7);
// 170M of LAION-5B have 1,024 pixels and more on both sides (huggingface.co/datasets/laion/
// laion-high-resolution).
constexpr double kOriginalPixels = 2e6;

// What a connector makes of the encoder's tokens, where the family's rule is about another one.
// An audio encoder pools its own tokens.
double tokens_out(const TokenCount& count, const VisionModel& vision, Medium medium) {
  const Connector& c = vision.connector;
  const bool pooled = medium == Medium::audio;
  const auto encoder =
      static_cast<double>(pooled ? count.vision : count.vision_encoder.value_or(count.vision));
  const auto tiles = static_cast<double>(count.tiles);
  if (c.kind == ConnectorKind::perceiver || c.kind == ConnectorKind::qformer) {
    return c.latents * tiles;
  }
  if (c.kind == ConnectorKind::cross_attention) return encoder;
  return std::floor((encoder - (vision.encoder.class_token ? tiles : 0)) / c.merge);
}

PixelSize square(double side) {
  const auto pixels = static_cast<std::int64_t>(side);
  return {pixels, pixels};
}

// Whether images of another size are other tokens: false where the rule resizes all to one.
bool follows_size(const Model& model) {
  if (model.token_family.empty()) return false;
  const TokenOptions options = {.encoder = token_encoder(*model.vision)};
  constexpr std::array<PixelSize, 3> kProbes = {{{224, 224}, {896, 896}, {1792, 448}}};
  const TokenCount first = count_image_tokens(model.token_family, kProbes[0], options);
  return std::ranges::any_of(kProbes, [&](PixelSize size) {
    const TokenCount count = count_image_tokens(model.token_family, size, options);
    return count.vision != first.vision || count.vision_encoder != first.vision_encoder;
  });
}

void warn_about_fixed_size(const Scenario& scenario, const Catalog& catalog,
                           const ResolvedWork& work, PixelSize size, Notes& notes) {
  const Encoder& encoder = work.model.vision->encoder;
  if (!notes.wanted() || encoder.image <= 0 || size == square(encoder.image)) return;
  if (scenario.has(Field::data_vision_tokens_per_image)) return;
  if (follows_size(work.model)) return;
  const std::string other =
      scenario.has(Field::model_name)
          ? std::string("--vision-tokens-per-image says what another rule makes of it")
          : fmt::format(
                "--vision-encoder {} follows the size",
                catalog.assumed().native_encoder(scenario.number_or(Field::model_params, 0)).name);
  notes.warn(
      fmt::format("--image-size {0}x{1} moves what is stored and decoded, not the tokens: {2} "
                  "takes every image "
                  "in as {3}x{3}, {4} tokens; {5}",
                  size.width, size.height, encoder.name, format_exact(encoder.image),
                  format_exact(work.workload.vision_tokens_per_image), other));
}

// The size in which images go in where nobody says: the encoder's own where every image becomes the
// same tokens, a photograph where it is cut into tiles, about a megapixel where any size goes in.
PixelSize usual_size(const Model& model, Notes& notes) {
  // The class default of transformers' Qwen-VL processors caps an image at 1,003,520 pixels.
  constexpr double kNativeSide = 1024;
  constexpr PixelSize kPhotograph = {640, 480};
  const Encoder& encoder = model.vision->encoder;
  const bool tiles = encoder.image > 0 && follows_size(model);
  const bool fixed = encoder.image > 0 && !tiles;
  const PixelSize size = tiles ? kPhotograph : square(fixed ? encoder.image : kNativeSide);
  if (!notes.wanted()) return size;
  notes.add(Field::data_image_size, fmt::format("{}x{}", size.width, size.height),
            fixed   ? std::string("the encoder's own input size")
            : tiles ? fmt::format("a photograph, cut into tiles; --image-size {} is one tile",
                                  format_exact(encoder.image))
                    : "any size goes in: a photograph scaled down to about a megapixel",
            fixed   ? encoder.name
            : tiles ? "COCO, which most images of instruction mixes come from (arXiv:2310.03744, "
                      "table 7)"
                    : "huggingface/transformers qwen2_vl/image_processing_qwen2_vl.py: 1,003,520 "
                      "pixels at most");
  return size;
}

// Pixels of an image as it is stored. Contrastive sets are stored resized (LAION-400M at 256
// pixels, arXiv:2111.02114), others as their originals.
double stored_pixels(const Scenario& scenario, const ResolvedWork& work, PixelSize goes_in,
                     Notes& notes) {
  const double pixels = static_cast<double>(goes_in.width) * static_cast<double>(goes_in.height);
  if (scenario.has(Field::data_image_size) || is_contrastive(work.model)) return pixels;
  if (const auto bytes = scenario.number(Field::data_image_bytes)) {
    return *bytes / kStoredBytesPerPixel;
  }
  notes.add(Field::data_image_bytes, kOriginalPixels * kStoredBytesPerPixel,
            "originals from the web, 0.5 to 2 MB; --image-size or --image-bytes says otherwise",
            "data/model.md 7: 10M pairs are 5 to 20 TB");
  return kOriginalPixels;
}

}  // namespace

void set_token_count(const Scenario& scenario, const TokenCount& count, std::string noted,
                     ResolvedWork& out, Notes& notes) {
  const VisionModel& vision = *out.model.vision;
  Workload& work = out.workload;
  if (count.vision_encoder) {
    work.encoder_tokens_per_image = static_cast<double>(*count.vision_encoder);
  }
  const bool chosen =
      scenario.has(Field::model_connector) || scenario.has(Field::model_vision_encoder);
  const bool other_connector = chosen && vision.connector.kind != vision.encoder.connector;
  work.vision_tokens_per_image =
      other_connector ? tokens_out(count, vision, out.medium) : static_cast<double>(count.vision);
  if (count.encoder_sequence) {
    work.encoder_attention_tokens = static_cast<double>(*count.encoder_sequence);
  }
  if (!notes.wanted()) return;
  notes.add({std::move(noted), format_exact(work.vision_tokens_per_image), "tokens",
             fmt::format("token rule of {}: {}", out.model.token_family, count.rule),
             std::string(count.source)});
}

void resolve_images(const Scenario& scenario, const Catalog& catalog, ResolvedWork& out,
                    Notes& notes) {
  if (resolve_clip(scenario, catalog, out, notes)) return;
  const VisionModel& vision = *out.model.vision;
  Workload& work = out.workload;
  work.encoder_tokens_per_image = vision.encoder_tokens_per_image.value_or(0);
  work.vision_tokens_per_image = vision.tokens_per_image.value_or(0);
  const std::optional<PixelSize> size = scenario.size(Field::data_image_size);
  const PixelSize used = size ? *size : usual_size(out.model, notes);
  const double pixels = stored_pixels(scenario, out, used, notes);
  out.stored = {pixels * kStoredBytesPerPixel, pixels / kPixelsPerSecondPerCore, 1};
  const bool by_rule =
      !out.model.token_family.empty() && (size || !vision.encoder_tokens_per_image);
  if (by_rule) {
    set_token_count(
        scenario,
        count_image_tokens(out.model.token_family, used, {.encoder = token_encoder(vision)}),
        std::string(field_info(Field::data_vision_tokens_per_image).path), out, notes);
  }
  if (const auto given = scenario.number(Field::data_vision_tokens_per_image)) {
    const double before = std::max(1.0, work.vision_tokens_per_image);
    if (work.encoder_tokens_per_image <= 0) work.encoder_tokens_per_image = *given;
    work.encoder_tokens_per_image *= by_rule ? *given / before : 1;
    work.vision_tokens_per_image = *given;
  }
  if (size) warn_about_fixed_size(scenario, catalog, out, *size, notes);
}

}  // namespace trcost::estimation
