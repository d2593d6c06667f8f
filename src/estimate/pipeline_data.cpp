// SPDX-License-Identifier: Apache-2.0
#include "estimate/pipeline_data.h"

#include <fmt/format.h>

namespace trcost {
namespace {

// JPEG: COCO train2017 is 118,287 images of about 640x480 in 18 GB (cocodataset.org/#download).
constexpr double kBytesPerPixel = 0.5;
// Decoding, resizing and normalising with Pillow on libjpeg-turbo, one Xeon vCPU: 43 to 66 million
// pixels per second from 500x375 to 2048x1536 (model reference, section 7).
constexpr double kPixelsPerSecondPerCore = 50e6;
// Cores of a training node per accelerator: 2 x 56 for 8 (DGX H100), 2 x 64 for 8 (DGX A100).
constexpr double kCoresPerGpu = 14;
constexpr double kFeatureBytes = 2;  // stored output of an encoder: bf16

std::string verdict_of(const PipelineResult& pipeline, bool cached, double gpus) {
  if (pipeline.images_per_second <= 0) {
    return fmt::format("{}: reads {}", cached ? "the encoder's stored output" : "text only",
                       format_number(pipeline.bytes_per_second, NumberKind::rate));
  }
  const std::string needs = fmt::format(
      "{} images/s need {} of {} cores per accelerator and {}",
      format_number(pipeline.images_per_second, NumberKind::count),
      format_number(pipeline.decode_cores_per_gpu, NumberKind::number, 2), kCoresPerGpu,
      format_number(pipeline.bytes_per_second, NumberKind::rate));
  if (pipeline.gpu_bound) return needs + ": the accelerators are the bottleneck";
  return needs + fmt::format(": decoding is the bottleneck; {} further CPU cores would be needed, "
                             "or images stored smaller",
                             format_number((pipeline.decode_cores_per_gpu - kCoresPerGpu) * gpus,
                                           NumberKind::count));
}

}  // namespace

void add_data_pipeline(const Scenario& scenario, const ResolvedWork& work, bool in_words,
                       Estimate& out) {
  PipelineResult& pipeline = out.pipeline.emplace();
  const double tokens_per_second = out.performance.tokens_per_second_per_gpu * out.gpus;
  const double per_token = out.tokens.total > 0 ? 1 / out.tokens.total : 0;
  const double image_bytes =
      scenario.number_or(Field::data_image_bytes, work.image_pixels * kBytesPerPixel);
  const double text_bytes = scenario.number_or_default(Field::data_text_bytes_per_token);
  const bool cached = work.images > 0 && work.workload.cached_features;
  const double image_rate = tokens_per_second * work.images * per_token;
  const double width = work.workload.encoder ? work.workload.encoder->hidden : 0;
  const double feature_bytes =
      cached ? work.workload.encoder_tokens_per_image * width * kFeatureBytes : 0;
  pipeline.images_per_second = cached ? 0 : image_rate;
  pipeline.bytes_per_second = image_rate * (cached ? feature_bytes : image_bytes) +
                              tokens_per_second * out.tokens.text * per_token * text_bytes;
  pipeline.decode_cores_per_gpu =
      pipeline.images_per_second * work.image_pixels / kPixelsPerSecondPerCore / out.gpus;
  pipeline.dataset_bytes =
      (work.images * (image_bytes + feature_bytes) + out.tokens.text * text_bytes) / work.epochs;
  pipeline.gpu_bound = pipeline.decode_cores_per_gpu <= kCoresPerGpu;
  if (in_words) pipeline.verdict = verdict_of(pipeline, cached, out.gpus);
}

}  // namespace trcost
