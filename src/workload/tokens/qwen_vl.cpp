// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "trcost/error.h"
#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

constexpr std::int64_t kQwenMerge = 2;      // 2 x 2 patches become one language-model token
constexpr std::int64_t kTemporalPatch = 2;  // two frames become one encoder frame
constexpr double kMaxRatio = 200;

// Frames of a clip and pixels of one frame, in tokens of factor x factor pixels.
// QwenLM/Qwen3-VL qwen-vl-utils/src/qwen_vl_utils/vision_process.py: FPS_MIN_FRAMES,
// FPS_MAX_FRAMES, VIDEO_MIN_TOKEN_NUM, VIDEO_MAX_TOKEN_NUM, MODEL_SEQ_LEN.
constexpr double kMinFrames = 4;
constexpr double kMaxFrames = 768;
constexpr std::int64_t kFrameMinTokens = 128;
constexpr std::int64_t kFrameMaxTokens = 768;
constexpr double kClipTokens = 128000 * 0.9;

std::int64_t floor_to(double n, std::int64_t factor) {
  return static_cast<std::int64_t>(std::floor(n / static_cast<double>(factor))) * factor;
}

std::int64_t ceil_to(double n, std::int64_t factor) {
  return static_cast<std::int64_t>(std::ceil(n / static_cast<double>(factor))) * factor;
}

void check_ratio(ImageSize size) {
  const auto longer = static_cast<double>(std::max(size.width, size.height));
  const auto shorter = static_cast<double>(std::min(size.width, size.height));
  if (longer / shorter > kMaxRatio) {
    throw Error(ErrorKind::data,
                "Qwen's preprocessors refuse an aspect ratio above 200, and this image exceeds it",
                "crop the image, or choose another family");
  }
}

// Sides rounded to multiples of factor; where their product leaves [min, max] pixels, both are
// scaled by sqrt(pixels / limit) and rounded down (up at the lower limit).
// transformers qwen2_vl/image_processing_qwen2_vl.py, smart_resize. There a side under half a
// factor rounds to 0 and so falls under the lower limit; the video code of vision_process.py keeps
// such a side at one factor, which is what `least` is for.
ImageSize smart_resize(ImageSize size, std::int64_t factor, double min_pixels, double max_pixels,
                       std::int64_t least) {
  check_ratio(size);
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  ImageSize out{std::max(least, round_to(size.width, factor)),
                std::max(least, round_to(size.height, factor))};
  const auto pixels = static_cast<double>(out.width * out.height);
  if (pixels > max_pixels) {
    const double beta = std::sqrt(height * width / max_pixels);
    out = {std::max(factor, floor_to(width / beta, factor)),
           std::max(factor, floor_to(height / beta, factor))};
  } else if (pixels < min_pixels) {
    const double beta = std::sqrt(min_pixels / (height * width));
    out = {ceil_to(width * beta, factor), ceil_to(height * beta, factor)};
  }
  return out;
}

[[noreturn]] void refuse_short_audio(const std::string& family) {
  throw Error(ErrorKind::data, "this clip is too short for one token of " + family,
              "use at least 0.03 seconds", "--seconds");
}

TokenCount count_frames(ImageSize resized, std::int64_t factor, std::int64_t groups) {
  const std::int64_t merged = (resized.width / factor) * (resized.height / factor);
  TokenCount count;
  count.encoder_sequence = merged * kQwenMerge * kQwenMerge;
  count.vision_encoder = *count.encoder_sequence * groups;
  count.vision = merged * groups;
  count.tiles = groups;
  count.resized = resized;
  return count;
}

template <std::int64_t kFactor>
TokenCount image(ImageSize size, const TokenOptions& options) {
  const ImageSize resized = smart_resize(size, kFactor, static_cast<double>(*options.min_pixels),
                                         static_cast<double>(*options.max_pixels), 0);
  return count_frames(resized, kFactor, 1);
}

// Text between the frame pairs of Qwen3-VL: "<12.5 seconds>" and the marks of start and end. The
// tokenizer splits digits. transformers qwen3_vl/processing_qwen3_vl.py, replace_video_token.
std::int64_t timestamp_tokens(std::int64_t pairs, double seconds) {
  constexpr std::int64_t kMarks = 2, kWords = 5;  // `<`, `.`, a digit, ` seconds`, `>`
  std::int64_t tokens = 0;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const double middle = seconds * (static_cast<double>(pair) + 0.5) /
                          static_cast<double>(std::max<std::int64_t>(pairs, 1));
    std::int64_t digits = 1;
    for (double rest = middle; rest >= 10; rest /= 10) ++digits;
    tokens += kMarks + kWords + digits;
  }
  return tokens;
}

// Frames taken: seconds * fps within 4 .. 768, then even.
// vision_process.py, smart_nframes, for a clip that holds at least that many frames.
std::int64_t frames_of(const VideoClip& clip) {
  const double wanted = clip.seconds * clip.fps;
  const double frames = std::min(std::max(wanted, kMinFrames), kMaxFrames);
  return static_cast<std::int64_t>(std::floor(frames / kTemporalPatch)) * kTemporalPatch;
}

// Pixels of one frame: at most 768 tokens' worth, and at most its share of 0.9 x 128,000 tokens
// for the whole clip, but never below 1.05 x the minimum of 128 tokens' worth.
// vision_process.py, fetch_video. --min-pixels and --max-pixels bound one frame, as its
// "min_pixels" and "max_pixels" do; a larger "max_pixels" than the share is cut to the share.
template <std::int64_t kFactor>
TokenCount utils_video(const VideoClip& clip, const TokenOptions& options) {
  constexpr std::int64_t kArea = kFactor * kFactor;
  const std::int64_t frames = frames_of(clip);
  const std::int64_t min_pixels = options.min_pixels.value_or(kFrameMinTokens * kArea);
  const double share =
      kClipTokens * static_cast<double>(kArea) / static_cast<double>(frames) * kTemporalPatch;
  const double cap = std::max(std::min(static_cast<double>(kFrameMaxTokens * kArea), share),
                              std::floor(static_cast<double>(min_pixels) * 1.05));
  const double max_pixels =
      options.max_pixels ? std::min(static_cast<double>(*options.max_pixels), cap) : cap;
  if (static_cast<double>(min_pixels) > max_pixels) {
    throw Error(ErrorKind::usage, "the least pixels of a video frame exceed the most",
                "raise --max-pixels or lower --min-pixels; a frame has at least 128 tokens unless "
                "--min-pixels says otherwise");
  }
  const ImageSize resized =
      smart_resize(clip.frame, kFactor, static_cast<double>(min_pixels), max_pixels, kFactor);
  TokenCount count = count_frames(resized, kFactor, frames / kTemporalPatch);
  count.frames = frames;
  return count;
}

// Frames of the released processors: seconds * fps within 4 .. 768. An odd last one is repeated.
std::int64_t processor_frames(const VideoClip& clip) {
  const double wanted = std::floor(clip.seconds * clip.fps);
  return truncated(std::min(std::max(wanted, kMinFrames), kMaxFrames));
}

// A limit on the pixels of all frames together, as frames x height x width.
// transformers qwen3_vl/video_processing_qwen3_vl.py, smart_resize. Released
// video_preprocessor_config.json: shortest_edge 4096, longest_edge 25165824.
TokenCount clip_budget_video(const VideoClip& clip, const TokenOptions& options) {
  constexpr std::int64_t kFactor = 32;
  const std::int64_t frames = processor_frames(clip);
  const ImageSize resized = resize_clip(clip.frame, frames, kFactor,
                                        static_cast<double>(options.min_pixels.value_or(4096)),
                                        static_cast<double>(options.max_pixels.value_or(25165824)));
  TokenCount count = count_frames(resized, kFactor, ceil_div(frames, kTemporalPatch));
  count.frames = frames;
  return count;
}

// Each frame within the limits of an image: video_processing_qwen2_vl.py with the released sizes.
TokenCount frame_budget_video(const VideoClip& clip, const TokenOptions& options) {
  constexpr std::int64_t kFactor = 28;
  const std::int64_t frames = processor_frames(clip);
  const ImageSize resized =
      smart_resize(clip.frame, kFactor, static_cast<double>(options.min_pixels.value_or(3136)),
                   static_cast<double>(options.max_pixels.value_or(12845056)), 0);
  TokenCount count = count_frames(resized, kFactor, ceil_div(frames, kTemporalPatch));
  count.frames = frames;
  return count;
}

constexpr std::string_view kUtilsRule =
    "qwen-vl-utils: seconds x fps frames within 4..768, even; two frames per token layer; a frame "
    "at most 768 tokens, a clip at most 0.9 x 128,000";
constexpr std::string_view kClipRule =
    "released processor: seconds x fps frames within 4..768, two per token layer; frames x height "
    "x width at most 25165824 pixels";
constexpr std::string_view kFrameRule =
    "released processor: seconds x fps frames within 4..768, two per token layer; a frame at most "
    "12845056 pixels";

bool uses_utils(const TokenOptions& options) {
  return options.video_pipeline == VideoPipeline::vl_utils;
}

TokenCount video_28(const VideoClip& clip, const TokenOptions& options) {
  TokenCount count =
      uses_utils(options) ? utils_video<28>(clip, options) : frame_budget_video(clip, options);
  count.rule = uses_utils(options) ? kUtilsRule : kFrameRule;
  return count;
}

TokenCount video_32(const VideoClip& clip, const TokenOptions& options) {
  TokenCount count =
      uses_utils(options) ? utils_video<32>(clip, options) : clip_budget_video(clip, options);
  count.rule = uses_utils(options) ? kUtilsRule : kClipRule;
  count.text = timestamp_tokens(count.tiles, clip.seconds);
  return count;
}

// Qwen3-Omni reads frames with qwen-vl-utils' limits and without timestamps.
TokenCount omni_video_32(const VideoClip& clip, const TokenOptions& options) {
  return utils_video<32>(clip, options);
}

// 100 mel frames per second, a convolution and a pooling of stride 2: 25 tokens per second. The
// feature extractor takes 300 s. transformers qwen2_5_omni/processing_qwen2_5_omni.py; released
// preprocessor_config.json (chunk_length 300).
TokenCount omni_25_audio(double seconds) {
  constexpr double kLongest = 300;
  const std::int64_t convolved = (mel_frames(std::min(seconds, kLongest)) + 1) / 2;
  TokenCount count;
  count.vision = convolved / 2;
  if (count.vision == 0) refuse_short_audio("qwen2.5-omni");
  count.vision_encoder = convolved;
  count.encoder_sequence = std::min<std::int64_t>(convolved, 100);  // blocks of 2 s
  count.tiles = 1;
  return count;
}

// Three convolutions of stride 2 over every 100 mel frames: 13 tokens per second.
// transformers qwen3_omni_moe/processing_qwen3_omni_moe.py, _get_feat_extract_output_lengths.
TokenCount omni_3_audio(double seconds) {
  const std::int64_t mels = mel_frames(seconds);
  const std::int64_t rest = mels % 100;
  const auto halved = [](std::int64_t n) { return n > 0 ? (n - 1) / 2 + 1 : 0; };
  TokenCount count;
  count.vision = halved(halved(halved(rest))) + mels / 100 * 13;
  if (count.vision == 0) refuse_short_audio("qwen3-omni");
  count.vision_encoder = count.vision;
  count.encoder_sequence = std::min<std::int64_t>(count.vision, 104);  // windows of 8 s
  count.tiles = 1;
  return count;
}

// Released preprocessor_config.json of each family: Qwen2-VL and Qwen2.5-VL 3136 .. 12845056,
// Qwen3-VL 65536 .. 16777216 (the class default of transformers, 1003520, is ten times smaller).
constexpr std::string_view kQwenSource =
    "huggingface/transformers qwen2_vl/image_processing_qwen2_vl.py (smart_resize), "
    "qwen3_vl/video_processing_qwen3_vl.py; QwenLM/Qwen3-VL qwen_vl_utils/vision_process.py; "
    "released preprocessor_config.json and video_preprocessor_config.json";
constexpr std::string_view kRule28 =
    "sides rounded to multiples of 28 (halves to even), 3136 to 12845056 pixels as released, "
    "14-pixel patches, 2x2 merged";
constexpr std::string_view kRule32 =
    "sides rounded to multiples of 32 (halves to even), 65536 to 16777216 pixels as released, "
    "16-pixel patches, 2x2 merged";

// The READMEs of Qwen2-VL and Qwen2.5-VL read videos with qwen-vl-utils.
Family qwen_28(std::string_view name, std::string_view title) {
  return {.info = {.name = name,
                   .title = title,
                   .image = true,
                   .video = true,
                   .defaults = {.min_pixels = 3136,
                                .max_pixels = 12845056,
                                .video_pipeline = VideoPipeline::vl_utils,
                                .encoder = {.patch = 14, .merge = kQwenMerge}},
                   .rule = kRule28,
                   .video_rule = kUtilsRule,
                   .source = kQwenSource},
          .image = image<28>,
          .video = video_28};
}

Family qwen_32(std::string_view name, std::string_view title) {
  return {.info = {.name = name,
                   .title = title,
                   .image = true,
                   .video = true,
                   .defaults = {.min_pixels = 65536,
                                .max_pixels = 16777216,
                                .video_pipeline = VideoPipeline::processor,
                                .encoder = {.patch = 16, .merge = kQwenMerge}},
                   .rule = kRule32,
                   .video_rule = kClipRule,
                   .source = kQwenSource},
          .image = image<32>,
          .video = video_32};
}

Family omni_25() {
  Family out = qwen_28("qwen2.5-omni", "Qwen2.5-Omni");
  out.info.audio = true;
  out.info.audio_rule =
      "100 mel frames per second, convolution and pooling of stride 2: 25 tokens per second, cut "
      "off at 300 s";
  out.info.source =
      "huggingface/transformers qwen2_5_omni/processing_qwen2_5_omni.py, "
      "qwen2_vl/image_processing_qwen2_vl.py; released preprocessor_config.json";
  out.audio = omni_25_audio;
  return out;
}

Family omni_3() {
  Family out = qwen_32("qwen3-omni", "Qwen3-Omni");
  out.info.audio = true;
  out.info.defaults.min_pixels = 3136;
  out.info.defaults.max_pixels = 12845056;
  out.info.defaults.video_pipeline = {};
  out.info.rule =
      "sides rounded to multiples of 32 (halves to even), 3136 to 12845056 pixels as released, "
      "16-pixel patches, 2x2 merged";
  out.info.video_rule = kUtilsRule;
  out.info.audio_rule =
      "100 mel frames per second, three convolutions of stride 2 over each second: 13 tokens per "
      "second";
  out.info.source =
      "huggingface/transformers qwen3_omni_moe/processing_qwen3_omni_moe.py, "
      "qwen2_vl/image_processing_qwen2_vl.py; released preprocessor_config.json";
  out.video = omni_video_32;
  out.audio = omni_3_audio;
  return out;
}

}  // namespace

ImageSize resize_clip(ImageSize size, std::int64_t frames, std::int64_t factor, double min_pixels,
                      double max_pixels) {
  if (std::min(size.width, size.height) < factor) {
    const auto up = [&](std::int64_t side) {
      return static_cast<double>(factor) / static_cast<double>(side);
    };
    const double scale = std::max(up(size.height), up(size.width));
    size = {truncated(static_cast<double>(size.width) * scale),
            truncated(static_cast<double>(size.height) * scale)};
  }
  check_ratio(size);
  const auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
  ImageSize out{round_to(size.width, factor), round_to(size.height, factor)};
  const auto pixels =
      static_cast<double>(round_to(frames, kTemporalPatch) * out.width * out.height);
  const double all = static_cast<double>(frames) * height * width;
  if (pixels > max_pixels) {
    const double beta = std::sqrt(all / max_pixels);
    out = {std::max(factor, floor_to(width / beta, factor)),
           std::max(factor, floor_to(height / beta, factor))};
  } else if (pixels < min_pixels) {
    const double beta = std::sqrt(min_pixels / all);
    out = {ceil_to(width * beta, factor), ceil_to(height * beta, factor)};
  }
  return out;
}

std::span<const Family> qwen_vl_families() {
  static const std::array families = {qwen_28("qwen2-vl", "Qwen2-VL"),
                                      qwen_28("qwen2.5-vl", "Qwen2.5-VL"),
                                      qwen_32("qwen3-vl", "Qwen3-VL"),
                                      qwen_32("qwen3.5", "Qwen3.5"),
                                      omni_25(),
                                      omni_3()};
  return families;
}

}  // namespace trcost::workload::tokens
