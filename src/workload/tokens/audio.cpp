// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "trcost/error.h"
#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// Whisper's front end: 16 kHz, a mel frame every 160 samples, windows of 30 s padded with silence,
// a convolution of stride 2: 3000 mel frames, 1500 encoder tokens.
// transformers whisper/feature_extraction_whisper.py (hop_length 160, chunk_length 30);
// Radford et al. 2022, arXiv:2212.04356, section 2.2.
constexpr std::int64_t kWindowSeconds = 30;
constexpr std::int64_t kWindowMels = 3000;
constexpr std::int64_t kWindowTokens = 1500;

// Longer audio is a row of 30-second windows, the last one padded.
TokenCount whisper(double seconds) {
  TokenCount count;
  count.tiles = std::max<std::int64_t>(1, truncated(std::ceil(seconds / kWindowSeconds)));
  count.vision = count.tiles * kWindowTokens;
  count.vision_encoder = count.vision;
  count.encoder_sequence = kWindowTokens;
  return count;
}

// mel = ceil(samples / 160), convolution (mel - 1)//2 + 1, average pool (x - 2)//2 + 1: 25 tokens
// per second; the encoder computes the padded window all the same. The processor cuts audio off
// at 30 s. transformers qwen2_audio/processing_qwen2_audio.py.
TokenCount qwen2_audio(double seconds) {
  const double clipped = std::min(seconds, static_cast<double>(kWindowSeconds));
  const std::int64_t mels = std::min(mel_frames(clipped), kWindowMels);
  const std::int64_t convolved = (mels + 1) / 2;
  TokenCount count;
  count.vision = convolved / 2;
  if (count.vision == 0) {
    throw Error(ErrorKind::data, "this clip is too short for one token of qwen2-audio",
                "use at least 0.03 seconds", "--seconds");
  }
  count.vision_encoder = kWindowTokens;
  count.encoder_sequence = kWindowTokens;
  count.tiles = 1;
  return count;
}

}  // namespace

std::span<const Family> audio_families() {
  static const std::array families = {
      Family{.info = {.name = "whisper",
                      .title = "Whisper encoder",
                      .audio = true,
                      .rule = "windows of 30 s, padded: 3000 mel frames, convolution of stride 2, "
                              "1500 tokens each",
                      .source = "Radford et al. 2022, arXiv:2212.04356, section 2.2; "
                                "huggingface/transformers whisper/feature_extraction_whisper.py"},
             .audio = whisper},
      Family{
          .info = {.name = "qwen2-audio",
                   .title = "Qwen2-Audio",
                   .audio = true,
                   .rule = "100 mel frames per second, convolution and pooling of stride 2: 25 "
                           "tokens per second, cut off at 30 s; the encoder always computes 1500",
                   .source = "huggingface/transformers qwen2_audio/processing_qwen2_audio.py"},
          .audio = qwen2_audio}};
  return families;
}

}  // namespace trcost::workload::tokens
