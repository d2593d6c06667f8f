// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Tokens: those that an image, a video or an audio clip becomes in a vision-language or audio
/// model, and those that a model of some size is best trained on.
///
/// Each family follows the arithmetic of its released preprocessor to the token, rounding and
/// released limits included. Every family counts twice: the tokens its encoder computes, padding
/// and class tokens included, and the tokens that the language model sees.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trcost/numbers.h"

namespace trcost {

using ImageSize = PixelSize;

/// Largest image accepted. 178,956,970 pixels is where Pillow, which the released preprocessors
/// open images with, refuses a file (twice `Image.MAX_IMAGE_PIXELS` = 2^30 / 4 / 3).
inline constexpr std::int64_t kMostImagePixels = 178'956'970;

/// Image detail of the GPT-4V rule.
enum class ImageDetail : std::uint8_t { low, high };

/// Software that takes the frames of a video: the processor of the release in transformers, or the
/// authors' qwen-vl-utils.
enum class VideoPipeline : std::uint8_t { processor, vl_utils };

/// Encoder of a token rule, in pixels and patches, 0 for unknown. In `TokenFamily::defaults` it is
/// the released encoder, in a request the encoder of the model. A rule follows it if the released
/// models differ in it, else refuses an encoder with another patch, so that it never counts patches
/// that are not there.
struct TokenEncoder {
  std::int64_t patch = 0;    ///< side of a patch
  std::int64_t image = 0;    ///< side of the square, or of a tile, that the encoder takes
  std::int64_t longest = 0;  ///< native resolution: longest side that goes in
  std::int64_t merge = 0;    ///< merge x merge patches become one token of the language model
  std::optional<std::int64_t> class_tokens = {};  ///< tokens beside the patches
};

/// Settings of a token rule. In a request they are the user's. In `TokenFamily::defaults` the
/// settings that the rule has hold their released values, and the others are empty.
struct TokenOptions {
  std::optional<std::int64_t> min_pixels = {};  ///< pixels of the resized image, at least
  std::optional<std::int64_t> max_pixels = {};  ///< pixels of the resized image, at most
  std::optional<std::int64_t> max_tiles = {};   ///< tiles (crops), the overview image not counted
  std::optional<std::int64_t> patch = {};       ///< side of an encoder patch in pixels
  std::optional<ImageDetail> detail = {};
  std::optional<VideoPipeline> video_pipeline = {};
  TokenEncoder encoder = {};
};

/// One family of token rules.
struct TokenFamily {
  std::string_view name = {};   ///< as in `--family`
  std::string_view title = {};  ///< the models it covers
  bool image = false;
  bool video = false;
  bool audio = false;
  TokenOptions defaults = {};        ///< the settings this rule has, with the released values
  std::string_view rule = {};        ///< the rule in one line (images, or audio)
  std::string_view video_rule = {};  ///< the rule for video, empty where there is none
  std::string_view audio_rule = {};  ///< the rule for audio, if `rule` is that for images
  double fps = 2;                    ///< frames per second that the release takes of a video
  std::string_view source = {};      ///< where the rule was read
};

/// Token count of one input.
struct TokenCount {
  /// Tokens that the encoder computes, padding included, empty if the encoder is not published.
  std::optional<std::int64_t> vision_encoder;
  /// Image, video or audio tokens that the language model (or its cross-attention) sees, without
  /// text separators.
  std::int64_t vision = 0;
  /// Pieces that are encoded separately: tiles with the overview image, frame pairs of a video,
  /// 30-second windows of audio. 1 if an image goes in whole.
  std::int64_t tiles = 0;
  /// Tokens that attend to each other in the encoder's full attention (the longest sequence).
  std::optional<std::int64_t> encoder_sequence;
  /// Frames taken from a video.
  std::optional<std::int64_t> frames;
  /// Text tokens between the frames of a video: timestamps with their marks. Empty if the rule has
  /// none.
  std::optional<std::int64_t> text;
  /// Pixels that go in after resizing and padding: the canvas that tiles are cut from, or one
  /// frame.
  std::optional<ImageSize> resized;
  std::string_view rule = {};
  std::string_view source = {};
};

/// All families in the order of the documentation.
std::span<const TokenFamily> token_families();

/// The family called `name`. Throws `Error` that lists the families and the nearest name.
const TokenFamily& token_family(std::string_view name);

/// Counts one image. Throws `Error` when the family has no image rule, when the image has no
/// pixels or more than `kMostImagePixels`, when an option is not one of the rule's, or when the
/// released preprocessor itself refuses the image (an aspect ratio above 200 in Qwen's).
TokenCount count_image_tokens(std::string_view family, ImageSize size,
                              const TokenOptions& options = {});

namespace catalog {
struct VisionModel;
}  // namespace catalog
/// The encoder of a model, for the rule that counts its tokens.
TokenEncoder token_encoder(const catalog::VisionModel& vision);

/// Counts a video clip of `seconds` sampled at `fps` frames per second. Throws as the image rule
/// does, and when seconds or fps are not above 0. The clip is taken to hold the frames asked for.
TokenCount count_video_tokens(std::string_view family, ImageSize size, double seconds, double fps,
                              const TokenOptions& options = {});

/// Counts an audio clip of `seconds`. Throws when the family has no audio rule or the clip is too
/// short for one token.
TokenCount count_audio_tokens(std::string_view family, double seconds,
                              const TokenOptions& options = {});

/// Loss as a function of parameters and tokens: L(N, D) = E + A/N^alpha + B/D^beta. Default: the
/// refit of Hoffmann et al. by Epoch (epoch-research/analyzing-chinchilla, data_analysis.ipynb).
struct ScalingLaw {
  double A = 482.00572;
  double B = 2085.4342;
  double E = 1.81686;
  double alpha = 0.34781;
  double beta = 0.36585;
};
struct ComputeOptimal {
  double params = 0;
  double tokens = 0;
};
/// The pair that minimises loss for `flop` = 6 N D: Hoffmann et al., arXiv 2203.15556.
ComputeOptimal compute_optimal(double flop, const ScalingLaw& law = {});
/// Tokens at which a model of `params` is compute-optimal.
double optimal_tokens(double params, const ScalingLaw& law = {});

}  // namespace trcost
