// SPDX-License-Identifier: Apache-2.0
// Samples that carry clips of video or audio.
#include <algorithm>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/answer.h"
#include "estimate/question/data/resolve_work.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/tokens.h"

using namespace trcost;

namespace {

Scenario samples() {
  Scenario s;
  s.set_number(Field::model_params, 8e9);
  s.set_number(Field::data_samples, 1e6);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  return s;
}

Scenario video(const char* frame, double seconds) {
  Scenario s = samples();
  s.set(field_info(Field::data_video), frame, "--video");
  s.set_number(Field::data_seconds, seconds);
  return s;
}

Scenario audio(double seconds) {
  Scenario s = samples();
  s.set_number(Field::data_audio, 1);
  s.set_number(Field::data_seconds, seconds);
  return s;
}

Workload clip_workload(const Scenario& s) {
  Notes silent(false);
  return resolve_work(s, test_catalog(), silent).workload;
}

std::string refusal(const Scenario& s) {
  try {
    clip_workload(s);
  } catch (const Error& error) {
    return error.message + " " + error.hint;
  }
  return {};
}

}  // namespace

TEST_CASE("a clip has the tokens that `trcost tokens` counts", "[estimate][clips]") {
  for (const double seconds : {0.5, 10.0, 60.0, 600.0}) {
    for (const char* frame : {"320x240", "640x360", "1920x1080"}) {
      INFO(frame << " " << seconds);
      const Workload work = clip_workload(video(frame, seconds));
      const TokenCount count = count_video_tokens("qwen3-vl", parse_pixel_size(frame), seconds, 2);
      CHECK(work.vision_tokens_per_image == static_cast<double>(count.vision));
      CHECK(work.encoder_tokens_per_image == static_cast<double>(*count.vision_encoder));
      CHECK(work.encoder_attention_tokens == static_cast<double>(*count.encoder_sequence));
    }
    // 25 tokens a second, at most 30 s (Qwen2-Audio, arXiv:2407.10759).
    const Workload heard = clip_workload(audio(seconds));
    CHECK_THAT(heard.vision_tokens_per_image, WithinRel(25 * std::min(seconds, 30.0), 0.05));
    CHECK(heard.encoder_tokens_per_image == 1500);
  }
}

TEST_CASE("twice the seconds are twice the vision tokens", "[estimate][clips]") {
  const Estimate one = answer(video("640x360", 10)), two = answer(video("640x360", 20));
  CHECK_THAT(two.tokens.vision, WithinRel(2 * one.tokens.vision, 1e-9));
  CHECK_THAT(two.tokens.vision_encoder, WithinRel(2 * one.tokens.vision_encoder, 1e-9));
  CHECK(two.tokens.text == one.tokens.text);
  CHECK(two.gpu_hours > one.gpu_hours);
  // Frames in the time of all steps: two a second.
  const double seconds =
      two.wall_clock_seconds * two.performance.goodput * two.performance.production_overhead;
  CHECK_THAT(two.pipeline->images_per_second * seconds, WithinRel(40e6, 1e-9));
  CHECK(two.pipeline->verdict.find("frames/s") != std::string::npos);
}

// Panda-70M: 70.7M clips of 8.5 s at 360p are 36 TB (arXiv:2402.19479).
TEST_CASE("clips are stored as published sets are", "[estimate][clips][pipeline]") {
  Scenario panda = video("640x360", 167e3 * 3600 / 70.7e6);
  panda.set_number(Field::data_samples, 70.7e6);
  panda.set_number(Field::data_text_tokens_per_sample, 1);
  CHECK_THAT(answer(panda).pipeline->dataset_bytes, WithinRel(36e12, 0.01));
  // LibriSpeech's 961 hours of training speech are 6.39 + 23.0 + 30.6 GB
  // (huggingface.co/datasets/k2-fsa/LibriSpeech).
  Scenario speech = audio(12.3);
  speech.set_number(Field::data_samples, 961.0 * 3600 / 12.3);
  speech.set_number(Field::data_text_tokens_per_sample, 1);
  CHECK_THAT(answer(speech).pipeline->dataset_bytes, WithinRel(60.0e9, 0.05));
}

TEST_CASE("what does not go together with a clip is refused", "[estimate][clips]") {
  Scenario text = samples();
  text.set_number(Field::data_seconds, 10);
  CHECK(refusal(text).find("--seconds is for video and audio") == 0);
  Scenario both = video("640x360", 10);
  both.set_number(Field::data_audio, 1);
  CHECK(refusal(both).find("exclude each other") != std::string::npos);
  Scenario image = audio(10);
  image.set(field_info(Field::data_image_size), "640x480", "--image-size");
  CHECK(refusal(image).find("exclude each other") != std::string::npos);
  Scenario endless = samples();
  endless.set(field_info(Field::data_video), "640x360", "--video");
  CHECK(refusal(endless).find("needs its length") != std::string::npos);
  Scenario llava = video("640x360", 10);
  llava.clear(Field::model_params);
  llava.set_text(Field::model_name, "llava-1.5-7b");
  CHECK(refusal(llava).find("llava-1.5-7b has no rule for video") == 0);
  CHECK(refusal(llava).find("qwen3-vl") != std::string::npos);
  Scenario deaf = audio(10);
  deaf.set_text(Field::model_vision_encoder, "qwen3-vl-vit");
  CHECK(refusal(deaf).find("has no rule for audio") != std::string::npos);
  CHECK(refusal(deaf).find("whisper, qwen2-audio") != std::string::npos);
}

TEST_CASE("clips that the rule cuts off are said", "[estimate][clips]") {
  const auto warns = [](const Scenario& s) {
    Notes notes(true);
    resolve_work(s, test_catalog(), notes);
    for (const std::string& text : notes.warnings) {
      if (text.find("of a clip at most") != std::string::npos) return true;
    }
    return false;
  };
  CHECK_FALSE(warns(audio(30)));
  CHECK(warns(audio(31)));
  CHECK_FALSE(warns(video("640x360", 60)));
}
