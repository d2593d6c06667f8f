// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "trcost/error.h"
#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// --- Idefics2: SigLIP at native resolution, a perceiver of 64 latents --------------------------

constexpr std::int64_t kIdefics2Patch = 14;
constexpr std::int64_t kIdefics2Latents = 64;
constexpr std::int64_t kShortestEdge = 378;
constexpr std::int64_t kLongestEdge = 980;

// Longest side cut to 980 keeping the ratio (truncated), then both sides raised to at least 378.
// transformers idefics2/image_processing_idefics2.py, get_resize_output_image_size.
ImageSize idefics2_resize(ImageSize size) {
  const double ratio = aspect_ratio(size);
  if (size.width >= size.height && size.width > kLongestEdge) {
    size = {kLongestEdge, truncated(static_cast<double>(kLongestEdge) / ratio)};
  } else if (size.height > size.width && size.height > kLongestEdge) {
    size = {truncated(static_cast<double>(kLongestEdge) * ratio), kLongestEdge};
  }
  return {std::max(size.width, kShortestEdge), std::max(size.height, kShortestEdge)};
}

// split_image of the same file: cut at half of each side, rounded down.
std::array<ImageSize, 4> quarters(ImageSize size) {
  if (std::min(size.width, size.height) < 2) {
    throw Error(ErrorKind::data, "idefics2 cannot cut an image one pixel thin into quarters",
                "use an image of at least 2x2 pixels, or --max-tiles 1");
  }
  const std::int64_t left = size.width / 2;
  const std::int64_t top = size.height / 2;
  const std::int64_t right = size.width - left;
  const std::int64_t bottom = size.height - top;
  return {{{left, top}, {right, top}, {left, bottom}, {right, bottom}}};
}

// The image and, with splitting (released), its four quarters, each resized and padded to the
// largest of them, 14-pixel patches of a strided convolution; 64 latents each.
// idefics2/image_processing_idefics2.py, pad, for a batch of this image alone;
// processing_idefics2.py.
TokenCount idefics2(ImageSize size, const TokenOptions& options) {
  const bool split = *options.max_tiles != 1;
  if (split && *options.max_tiles != 4) {
    throw Error(ErrorKind::usage, "idefics2 cuts an image into 4 quarters or not at all",
                "4 (as released) or 1", "--max-tiles");
  }
  const ImageSize whole = idefics2_resize(size);
  ImageSize padded = whole;
  if (split) {
    for (const ImageSize quarter : quarters(size)) {
      const ImageSize resized = idefics2_resize(quarter);
      padded = {std::max(padded.width, resized.width), std::max(padded.height, resized.height)};
    }
  }
  TokenCount count;
  count.tiles = split ? 5 : 1;
  count.vision = count.tiles * kIdefics2Latents;
  count.encoder_sequence = (padded.width / kIdefics2Patch) * (padded.height / kIdefics2Patch);
  count.vision_encoder = count.tiles * *count.encoder_sequence;
  count.resized = padded;
  return count;
}

// --- Idefics3 and SmolVLM: fixed tiles with pixel shuffle ---------------------------------------

// Longest side scaled to `longest` (up as well as down), the other truncated and made even; both
// at least 1. idefics3/image_processing_idefics3.py, _resize_output_size_rescale_to_max_len.
ImageSize rescale_to_longest(ImageSize size, std::int64_t longest) {
  const double ratio = aspect_ratio(size);
  const auto even = [](std::int64_t side) { return std::max<std::int64_t>(side + side % 2, 1); };
  if (size.width >= size.height) {
    return {longest, even(truncated(static_cast<double>(longest) / ratio))};
  }
  return {even(truncated(static_cast<double>(longest) * ratio)), longest};
}

// Both sides up to a multiple of the tile, the shorter from the longer by the ratio.
// resize_for_vision_encoder of the same file.
ImageSize round_up_to_tiles(ImageSize size, std::int64_t side) {
  const double ratio = aspect_ratio(size);
  const auto up = [side](std::int64_t length) {
    return std::max<std::int64_t>(ceil_div(length, side), 1) * side;
  };
  if (size.width >= size.height) {
    const std::int64_t width = up(size.width);
    return {width, up(truncated(static_cast<double>(width) / ratio))};
  }
  const std::int64_t height = up(size.height);
  return {up(truncated(static_cast<double>(height) * ratio)), height};
}

// Tiles of the resized image and one overview image when there is more than one tile.
TokenCount count_tiles(ImageSize size, const TokenEncoder& encoder) {
  constexpr std::int64_t kLongestTiles = 4;  // size.longest_edge of all released models
  const ImageSize resized =
      round_up_to_tiles(rescale_to_longest(size, kLongestTiles * encoder.image), encoder.image);
  const std::int64_t tiles = (resized.width / encoder.image) * (resized.height / encoder.image);
  const std::int64_t grid = grid_side(encoder);
  TokenCount count;
  count.tiles = tiles > 1 ? tiles + 1 : tiles;
  count.vision = count.tiles * (grid * grid / (encoder.merge * encoder.merge));
  count.encoder_sequence = grid * grid;
  count.vision_encoder = count.tiles * grid * grid;
  count.resized = resized;
  return count;
}

TokenCount idefics3(ImageSize size, const TokenOptions& options) {
  return count_tiles(size, options.encoder);
}

constexpr TokenEncoder kIdefics3Encoder = {.patch = 14, .image = 364, .merge = 2};

// SmolVLM 2.2B: SigLIP so400m, 14-pixel patches; 256M and 500M: SigLIP base, 16-pixel patches,
// tiles of 512 and a pixel shuffle of 4 x 4. Released preprocessor_config.json and config.json.
constexpr TokenEncoder kSmolvlmEncoder = {.patch = 14, .image = 384, .merge = 3};
constexpr TokenEncoder kSmallSmolvlmEncoder = {.patch = 16, .image = 512, .merge = 4};

TokenCount smolvlm(ImageSize size, const TokenOptions& options) {
  if (options.encoder.patch == 14) return count_tiles(size, kSmolvlmEncoder);
  if (options.encoder.patch == 16) return count_tiles(size, kSmallSmolvlmEncoder);
  throw Error(ErrorKind::usage, "SmolVLM is released with patches of 14 and of 16 pixels only",
              "14 (2.2B) or 16 (256M, 500M)", "--patch");
}

// One tile per frame, at most 64 frames. smolvlm/video_processing_smolvlm.py, sample_frames; fps 1
// and max_frames 64 of the released video_sampling.
TokenCount smolvlm_video(const VideoClip& clip, const TokenOptions& options) {
  constexpr std::int64_t kMostFrames = 64;
  const bool small = options.encoder.patch == 16;
  const TokenEncoder& encoder = small ? kSmallSmolvlmEncoder : kSmolvlmEncoder;
  const std::int64_t grid = grid_side(encoder);
  TokenCount frame;
  frame.tiles = 1;
  frame.vision = grid * grid / (encoder.merge * encoder.merge);
  frame.vision_encoder = grid * grid;
  frame.encoder_sequence = grid * grid;
  frame.resized = ImageSize{encoder.image, encoder.image};
  const std::int64_t wanted = truncated(std::nearbyint(clip.seconds * clip.fps));
  return repeat_frame(frame, std::clamp<std::int64_t>(wanted, 1, kMostFrames));
}

}  // namespace

std::span<const Family> idefics_families() {
  static const std::array families = {
      Family{.info = {.name = "idefics2",
                      .title = "Idefics2",
                      .image = true,
                      .defaults = {.max_tiles = 4, .encoder = {.patch = kIdefics2Patch}},
                      .rule = "the image and its 4 quarters, sides 378 to 980, padded to the "
                              "largest; 14-pixel patches, 64 latents each",
                      .source = "huggingface/transformers idefics2/image_processing_idefics2.py, "
                                "idefics2/processing_idefics2.py"},
             .image = idefics2},
      Family{.info = {.name = "idefics3",
                      .title = "Idefics3",
                      .image = true,
                      .defaults = {.encoder = kIdefics3Encoder},
                      .rule = "longest side scaled to 1456, both sides up to tiles of 364, and an "
                              "overview; 676 encoder tokens and 169 after pixel shuffle per tile",
                      .source = "huggingface/transformers idefics3/image_processing_idefics3.py"},
             .follows_encoder = true,
             .image = idefics3},
      Family{.info = {.name = "smolvlm",
                      .title = "SmolVLM and SmolVLM2 (2.2B; --patch 16 for 256M and 500M)",
                      .image = true,
                      .video = true,
                      .defaults = {.patch = 14, .encoder = kSmolvlmEncoder},
                      .rule = "longest side scaled to 4 tiles of 384 (512 with --patch 16), both "
                              "sides up to tiles, and an overview; 81 (64) tokens per tile",
                      .video_rule = "one tile per frame, seconds x fps frames, at most 64",
                      .fps = 1,
                      .source = "huggingface/transformers smolvlm/image_processing_smolvlm.py; "
                                "released preprocessor_config.json"},
             .follows_encoder = true,
             .image = smolvlm,
             .video = smolvlm_video}};
  return families;
}

}  // namespace trcost::workload::tokens
