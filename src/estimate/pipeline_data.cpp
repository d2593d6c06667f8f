// SPDX-License-Identifier: Apache-2.0
#include "estimate/pipeline_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "performance/performance.h"

namespace trcost {
namespace {

// Of an accelerator: 40 GB/s of a DGX H100 from the storage network of a DGX SuperPOD (NVIDIA,
// RA-11333, key components), by its 8. Storage that is shared by many delivers less.
constexpr double kReadBytesPerSecond = 5e9;
constexpr double kFeatureBytes = 2;  // stored output of an encoder: bf16

/// Bytes that one image, and one token of text, take where they are read from.
struct StoredBytes {
  double image = 0;    ///< as stored
  double feature = 0;  ///< encoder output that stands in for it, 0 where there is none
  double token = 0;
};

bool cached(const ResolvedWork& work) {
  return work.images > 0 && work.workload.cached_features;
}

StoredBytes stored_bytes(const Scenario& scenario, const ResolvedWork& work) {
  const double width = work.workload.encoder ? work.workload.encoder->hidden : 0;
  return {scenario.number_or(Field::data_image_bytes, work.stored.bytes),
          cached(work) ? work.workload.encoder_tokens_per_image * width * kFeatureBytes : 0,
          scenario.number_or_default(Field::data_text_bytes_per_token)};
}

/// What so many tokens per second ask of the data.
struct Demand {
  double images = 0;  ///< decoded per second: images, frames or windows of audio
  double bytes = 0;   ///< read per second
  double cores = 0;   ///< busy with decoding
};

Demand demand_of(const Scenario& scenario, const ResolvedWork& work, double tokens_per_second) {
  const double passes = work.tokens.total > 0 ? tokens_per_second / work.tokens.total : 0;
  const StoredBytes bytes = stored_bytes(scenario, work);
  Demand demand;
  const double decoded = cached(work) ? 0 : passes * work.images;
  demand.images = decoded * work.stored.pictures;
  demand.bytes = passes * (work.images * (cached(work) ? bytes.feature : bytes.image) +
                           work.tokens.text * bytes.token);
  demand.cores = decoded * work.stored.core_seconds;
  return demand;
}

std::string verdict_of(const PipelineResult& pipeline, const ResolvedWork& work, double workers,
                       double wait, double gpus) {
  const std::string slower =
      wait > 1 ? fmt::format(", training takes {} times as long as the accelerators need",
                             format_number(wait, NumberKind::number, 2))
               : std::string();
  const std::string reads = format_number(pipeline.bytes_per_second, NumberKind::rate);
  if (pipeline.images_per_second <= 0) {
    return fmt::format("{}: reads {}{}", cached(work) ? "the encoder's stored output" : "text only",
                       reads, slower);
  }
  const std::string needs = fmt::format(
      "{} {}/s need {} of {} loader workers per accelerator and {}",
      format_number(pipeline.images_per_second, NumberKind::count), decoded_words(work.medium),
      format_number(pipeline.decode_cores_per_gpu, NumberKind::number, 2), format_exact(workers),
      reads);
  if (pipeline.bound_by == kBoundByAccelerators) {
    return needs + ": the accelerators are the bottleneck";
  }
  if (pipeline.bound_by == kBoundByStorage) {
    return needs + fmt::format(": storage is the bottleneck{}", slower);
  }
  return needs +
         fmt::format(
             ": decoding is the bottleneck{}; {} further workers would be needed "
             "(--loader-workers), each with a CPU core, or {} stored smaller",
             slower,
             format_number((pipeline.decode_cores_per_gpu - workers) * gpus, NumberKind::count),
             decoded_words(work.medium));
}

double shortage(const Demand& of_one_accelerator, double workers) {
  return std::max(
      {1.0, of_one_accelerator.cores / workers, of_one_accelerator.bytes / kReadBytesPerSecond});
}

// The slowest of the three.
std::string_view bound_by(const Demand& of_one_accelerator, double workers) {
  if (shortage(of_one_accelerator, workers) == 1) return kBoundByAccelerators;
  const double read = of_one_accelerator.bytes / kReadBytesPerSecond;
  return of_one_accelerator.cores / workers >= read ? kBoundByLoader : kBoundByStorage;
}

}  // namespace

double loader_workers(const Scenario& scenario, const Stack& stack) {
  return scenario.number_or(Field::data_loader_workers, stack.loader_workers);
}

double data_wait(const Scenario& scenario, const ResolvedWork& work, const Stack& stack,
                 double tokens_per_second) {
  return shortage(demand_of(scenario, work, tokens_per_second), loader_workers(scenario, stack));
}

void add_data_pipeline(const Scenario& scenario, const ResolvedWork& work, const Stack& stack,
                       double wait, bool in_words, Estimate& out) {
  PipelineResult& pipeline = out.pipeline.emplace();
  const double each = out.performance.tokens_per_second_per_gpu * wait;
  const Demand one = demand_of(scenario, work, each);
  const StoredBytes bytes = stored_bytes(scenario, work);
  pipeline.images_per_second = one.images * out.gpus;
  pipeline.bytes_per_second = one.bytes * out.gpus;
  pipeline.decode_cores_per_gpu = one.cores;
  pipeline.dataset_bytes =
      (work.images * (bytes.image + bytes.feature) + work.tokens.text * bytes.token) / work.epochs;
  const double workers = loader_workers(scenario, stack);
  pipeline.bound_by = bound_by(one, workers);
  pipeline.gpu_bound = pipeline.bound_by == kBoundByAccelerators;
  if (in_words) pipeline.verdict = verdict_of(pipeline, work, workers, wait, out.gpus);
}

}  // namespace trcost
