// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/data/resolve_clip.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/assumed.h"
#include "quantity/layers.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

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
// (meta-pytorch/torchcodec pull request 330, num_threads=1); the geometric mean. Larger frames cost
// at least what their pixels do.
constexpr double kFrameSeconds = 0.0168;
// Log-mel features on a CPU, one clip after another: 1.5 s for eight padded to 30 s
// (huggingface/transformers issue 29901).
constexpr double kWindowSeconds = 1.5 / 8;

double pixels_of(PixelSize size) {
  return static_cast<double>(size.width) * static_cast<double>(size.height);
}

/// A clip as asked for.
struct Clip {
  Medium medium = Medium::audio;
  PixelSize frame;
  double seconds = 0;
  double fps = 0;
};

TokenCount count_of(const Clip& clip, const Model& model, double seconds) {
  if (clip.medium == Medium::audio) return count_audio_tokens(model.token_family, seconds);
  return count_video_tokens(model.token_family, clip.frame, seconds, clip.fps,
                            {.encoder = token_encoder(*model.vision)});
}

bool takes(const TokenFamily& family, Medium medium) {
  return medium == Medium::audio ? family.audio : family.video;
}

void refuse_without_rule(const Model& model, Medium medium, const AssumedChoices& assumed) {
  if (!model.token_family.empty() && takes(token_family(model.token_family), medium)) return;
  const bool audio = medium == Medium::audio;
  std::string able;
  for (const TokenFamily& family : token_families()) {
    if (!takes(family, medium)) continue;
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

Clip clip_of(const Scenario& scenario, Notes& notes) {
  Clip clip;
  if (const auto frame = scenario.size(Field::data_video)) {
    clip = {Medium::video, *frame, 0, scenario.number_or(Field::data_fps, kUsualFps)};
    if (!scenario.has(Field::data_fps)) notes.fallback(Field::data_fps, kUsualFps);
  }
  clip.seconds = scenario.number_or(Field::data_seconds, kUsualAudioSeconds);
  if (!scenario.has(Field::data_seconds)) notes.fallback(Field::data_seconds, kUsualAudioSeconds);
  return clip;
}

// A rule that cuts clips off makes long ones as cheap as short ones, and nobody would see it.
void warn_about_cut(const Clip& clip, const Model& model, const TokenCount& count, Notes& notes) {
  constexpr double kLongest = 1e6;
  constexpr double kShorter = 0.99;
  if (!notes.wanted()) return;
  const bool cut = count_of(clip, model, kLongest).vision == count.vision &&
                   count_of(clip, model, clip.seconds * kShorter).vision == count.vision;
  if (!cut) return;
  notes.warn(
      fmt::format("--seconds {}: the rule of {} takes {} tokens of a clip at most, which "
                  "shorter ones have too; several samples of shorter clips would count all",
                  format_exact(clip.seconds), model.token_family, count.vision));
}

StoredMedia stored_of(const Clip& clip, const TokenCount& count) {
  if (clip.medium == Medium::audio) {
    const auto windows = static_cast<double>(count.tiles);
    return {clip.seconds * kAudioBytesPerSecond, windows * kWindowSeconds, windows};
  }
  const double pixels = pixels_of(clip.frame);
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
                "samples carry either images or clips: give one of them");
  }
  if (video && !scenario.has(Field::data_seconds)) {
    throw Error(ErrorKind::usage, "a video clip needs its length", "for example --seconds 30",
                "--seconds");
  }
}

bool resolve_clip(const Scenario& scenario, const Catalog& catalog, ResolvedWork& out,
                  Notes& notes) {
  if (!scenario.has(Field::data_video) && !scenario.flag(Field::data_audio)) return false;
  const Clip clip = clip_of(scenario, notes);
  refuse_without_rule(out.model, clip.medium, catalog.assumed());
  out.medium = clip.medium;
  const TokenCount count = count_of(clip, out.model, clip.seconds);
  set_token_count(scenario, count, "data.tokens_per_clip", out, notes);
  out.stored = stored_of(clip, count);
  note_stored(scenario, out, notes);
  warn_about_cut(clip, out.model, count, notes);
  return true;
}

}  // namespace trcost::estimation
