// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/data/resolve_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "catalog/assumed.h"
#include "quantity/layers.h"
#include "trcost/error.h"
#include "trcost/tokens.h"
#include "workload/default_model.h"
#include "workload/workload.h"

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
// Pixels per second that one Xeon vCPU decodes, resizes and normalises with Pillow on
// libjpeg-turbo: 43 to 66 million from 500x375 to 2048x1536 (model reference, section 7).
constexpr double kPixelsPerSecondPerCore = 50e6;
// FPS of Qwen's vision_process.py, as in `trcost tokens`.
constexpr double kUsualFps = 2;
// A window of Whisper's front end (arXiv:2212.04356, section 2.2).
constexpr double kUsualAudioSeconds = 30;
// H.264 with its sound: Panda-70M's 167,000 hours of 360p (640x360) are 36 TB
// (snap-research/Panda-70M dataset_dataloading README and video2dataset/configs/panda70m.yaml).
constexpr double kVideoBytesPerPixelSecond = 36e12 / (167e3 * 3600 * 640 * 360);
// FLAC of 16 kHz: LibriSpeech's train-clean-360 are 23.0 GB (huggingface.co/datasets/k2-fsa/
// LibriSpeech) of 363.6 hours (Panayotov et al., ICASSP 2015, table 1).
constexpr double kAudioBytesPerSecond = 23e9 / (363.6 * 3600);
// One core that takes ten frames out of H.264 of 480x270 and 30 frames per second, seeks and the
// frames since the last key frame included: 109 ms evenly spread, 259 at random places
// (meta-pytorch/torchcodec pull request 330, num_threads=1), as the geometric mean. Larger frames
// cost at least what their pixels do.
constexpr double kFrameSeconds = 0.0168;
// Log-mel features on a CPU, one clip after another: 1.5 s for eight padded to 30 s
// (huggingface/transformers issue 29901).
constexpr double kWindowSeconds = 1.5 / 8;

// Tokens of the language model after a connector that the family's rule is not about. An audio
// encoder pools its own tokens.
double connector_tokens(const TokenCount& count, const VisionModel& vision, Medium medium) {
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

// Sets the tokens that the model's token rule counts for an image or a clip. `noted`: path of the
// assumption.
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
  work.vision_tokens_per_image = other_connector ? connector_tokens(count, vision, out.medium)
                                                 : static_cast<double>(count.vision);
  if (count.encoder_sequence) {
    work.encoder_attention_tokens = static_cast<double>(*count.encoder_sequence);
  }
  if (!notes.wanted()) return;
  notes.add({std::move(noted), format_exact(work.vision_tokens_per_image), "tokens",
             fmt::format("token rule of {}: {}", out.model.token_family, count.rule),
             std::string(count.source)});
}

double pixel_count(PixelSize size) {
  return static_cast<double>(size.width) * static_cast<double>(size.height);
}

// A clip of the scenario.
struct Clip {
  Medium medium = Medium::audio;
  PixelSize frame;
  double seconds = 0;
  double fps = 0;
};

TokenCount count_clip_tokens(const Clip& clip, const Model& model, double seconds) {
  if (clip.medium == Medium::audio) return count_audio_tokens(model.token_family, seconds);
  return count_video_tokens(model.token_family, clip.frame, seconds, clip.fps,
                            {.encoder = token_encoder(*model.vision)});
}

bool has_rule(const TokenFamily& family, Medium medium) {
  return medium == Medium::audio ? family.audio : family.video;
}

void refuse_without_rule(const Model& model, Medium medium, const AssumedChoices& assumed) {
  if (!model.token_family.empty() && has_rule(token_family(model.token_family), medium)) return;
  const bool audio = medium == Medium::audio;
  std::string able;
  for (const TokenFamily& family : token_families()) {
    if (!has_rule(family, medium)) continue;
    able += fmt::format("{}{}", able.empty() ? "" : ", ", family.name);
  }
  const std::string rule = model.token_family.empty()
                               ? std::string("no token rule is known for its encoder")
                               : "token rule " + model.token_family;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} has no rule for {} ({})", model.name, audio ? "audio" : "video", rule),
      fmt::format("the token families {} have one: name a model or a --vision-encoder of "
                  "theirs, like {}",
                  able, (audio ? assumed.audio_encoder : assumed.vision_encoders.back()).name),
      audio ? "--audio" : "--video");
}

Clip resolve_clip_fields(const Scenario& scenario, Notes& notes) {
  Clip clip;
  if (const auto frame = scenario.size(Field::data_video)) {
    clip = {Medium::video, *frame, 0, scenario.number_or(Field::data_fps, kUsualFps)};
    if (!scenario.has(Field::data_fps)) notes.fallback(Field::data_fps, kUsualFps);
  }
  clip.seconds = scenario.number_or(Field::data_seconds, kUsualAudioSeconds);
  if (!scenario.has(Field::data_seconds)) notes.fallback(Field::data_seconds, kUsualAudioSeconds);
  return clip;
}

// A rule that cuts clips off would silently make long ones as cheap as short ones.
void warn_about_cut(const Clip& clip, const Model& model, const TokenCount& count, Notes& notes) {
  constexpr double kLongest = 1e6;
  constexpr double kShorter = 0.99;
  if (!notes.wanted()) return;
  const bool cut = count_clip_tokens(clip, model, kLongest).vision == count.vision &&
                   count_clip_tokens(clip, model, clip.seconds * kShorter).vision == count.vision;
  if (!cut) return;
  notes.warn(
      fmt::format("--seconds {}: the rule of {} takes {} tokens of a clip at most, which "
                  "shorter ones have too. Several samples of shorter clips would count all",
                  format_exact(clip.seconds), model.token_family, count.vision));
}

StoredMedia stored_clip(const Clip& clip, const TokenCount& count) {
  if (clip.medium == Medium::audio) {
    const auto windows = static_cast<double>(count.tiles);
    return {clip.seconds * kAudioBytesPerSecond, windows * kWindowSeconds, windows};
  }
  const double pixels = pixel_count(clip.frame);
  const auto frames = static_cast<double>(count.frames.value_or(1));
  return {clip.seconds * pixels * kVideoBytesPerPixelSecond,
          frames * std::max(kFrameSeconds, pixels / kPixelsPerSecondPerCore), frames};
}

void note_stored(const Scenario& scenario, const ResolvedWork& out, Notes& notes) {
  if (scenario.has(Field::data_image_bytes) || !notes.wanted()) return;
  const bool audio = out.medium == Medium::audio;
  notes.add(Field::data_image_bytes, out.stored.bytes,
            audio ? "a clip of 16 kHz FLAC, 17.6 kB/s"
                  : "a clip of 0.26 bytes per pixel of a frame "
                    "and second",
            audio
                ? "LibriSpeech train-clean-360: 363.6 hours in 23 GB"
                : "Panda-70M: 167,000 hours of 360p in 36 TB (github.com/snap-research/Panda-70M)");
}

[[noreturn]] void refuse_flag(Field field, std::string_view is_for, std::string_view hint) {
  const std::string_view flag = field_info(field).flag;
  throw Error(ErrorKind::usage, fmt::format("{} is for {}", flag, is_for), std::string(hint),
              std::string(flag));
}

// Resolves tokens and storage of a clip. False if samples carry images.
bool resolve_clip(const Scenario& scenario, const Catalog& catalog, ResolvedWork& out,
                  Notes& notes) {
  if (!scenario.has(Field::data_video) && !scenario.flag(Field::data_audio)) return false;
  const Clip clip = resolve_clip_fields(scenario, notes);
  refuse_without_rule(out.model, clip.medium, catalog.assumed());
  out.medium = clip.medium;
  const TokenCount count = count_clip_tokens(clip, out.model, clip.seconds);
  set_token_count(scenario, count, "data.tokens_per_clip", out, notes);
  out.stored = stored_clip(clip, count);
  note_stored(scenario, out, notes);
  warn_about_cut(clip, out.model, count, notes);
  return true;
}

PixelSize square(double side) {
  const auto pixels = static_cast<std::int64_t>(side);
  return {pixels, pixels};
}

// Whether the number of tokens depends on the size of an image.
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

// Size of an image without --image-size: the encoder's own if every image becomes the same tokens,
// a photograph if it is cut into tiles, about a megapixel if the encoder takes any size.
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
            fixed ? std::string("the encoder's own input size")
            : tiles
                ? fmt::format("a photograph, cut into tiles. --image-size {} is one tile",
                              format_exact(encoder.image))
                : "the encoder takes any size, so a photograph scaled down to about a megapixel",
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
            "originals from the web, 0.5 to 2 MB. --image-size or --image-bytes says otherwise",
            "data/model.md 7: 10M pairs are 5 to 20 TB");
  return kOriginalPixels;
}

}  // namespace

}  // namespace trcost::estimation

namespace trcost {

std::string_view medium_word(Medium medium) {
  return medium == Medium::image ? "image" : "clip";
}

std::string_view decoded_words(Medium medium) {
  if (medium == Medium::image) return "images";
  return medium == Medium::video ? "frames" : "windows of audio";
}

}  // namespace trcost

namespace trcost::estimation {

void refuse_clip_contradictions(const Scenario& scenario) {
  const bool video = scenario.has(Field::data_video);
  const bool audio = scenario.flag(Field::data_audio);
  if (scenario.has(Field::data_seconds) && !video && !audio) {
    refuse_flag(Field::data_seconds, "video and audio", "add --video WxH or --audio");
  }
  if (scenario.has(Field::data_fps) && !video) {
    refuse_flag(Field::data_fps, "video", "add --video WxH");
  }
  if (!video && !audio) return;
  for (const Field other : {Field::data_video, Field::data_image_size,
                            Field::data_images_per_sample, Field::data_vision_tokens_per_image}) {
    if (!scenario.has(other) || (video && other == Field::data_video && !audio)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{} and {} exclude each other", field_info(other).flag,
                            audio ? "--audio" : "--video"),
                "samples carry either images or clips: keep one of them");
  }
  if (video && !scenario.has(Field::data_seconds)) {
    throw Error(ErrorKind::usage, "a video clip needs its length", "for example --seconds 30",
                "--seconds");
  }
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
