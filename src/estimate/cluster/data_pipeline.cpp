// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/data_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "performance/training/step_model.h"

namespace trcost::estimation {
namespace {

// Read rate per accelerator: 40 GB/s of a DGX H100 from the storage network of a DGX SuperPOD
// (NVIDIA, RA-11333, key components) over its 8. Storage that many share delivers less.
constexpr double kReadBytesPerSecond = 5e9;
constexpr double kFeatureBytes = 2;  // stored output of an encoder: bf16

/// Bytes that one image, and one token of text, take where they are read from.
struct StoredBytes {
  double image = 0;    ///< as stored
  double feature = 0;  ///< encoder output that stands in for it, 0 where there is none
  double token = 0;
};

bool cached(const Task& task) {
  return task.amounts.images > 0 && task.work().workload.cached_features;
}

StoredBytes stored_bytes(const Task& task) {
  const Workload& work = task.work().workload;
  const DataSupply& supply = task.prepared->supply;
  const double width = work.encoder ? work.encoder->hidden : 0;
  return {supply.image_bytes,
          cached(task) ? work.encoder_tokens_per_image * width * kFeatureBytes : 0,
          supply.text_bytes_per_token};
}

/// Images, bytes and cores per second at a rate of tokens.
struct Demand {
  double images = 0;  ///< decoded per second: images, frames or windows of audio
  double bytes = 0;   ///< read per second
  double cores = 0;   ///< busy with decoding
};

Demand data_demand(const Task& task, double tokens_per_second) {
  const Amounts& all = task.amounts;
  const StoredMedia& stored = task.work().stored;
  const double passes = all.tokens.total > 0 ? tokens_per_second / all.tokens.total : 0;
  const StoredBytes bytes = stored_bytes(task);
  Demand demand;
  const double decoded = cached(task) ? 0 : passes * all.images;
  demand.images = decoded * stored.pictures;
  demand.bytes = passes * (all.images * (cached(task) ? bytes.feature : bytes.image) +
                           all.tokens.text * bytes.token);
  demand.cores = decoded * stored.core_seconds;
  return demand;
}

std::string pipeline_verdict(const PipelineResult& pipeline, const Task& task, double wait) {
  const Medium medium = task.work().medium;
  const double workers = task.prepared->supply.workers;
  const std::string slower =
      wait > 1 ? fmt::format(", training takes {} times as long as the accelerators need",
                             format_number(wait, NumberKind::number, 2))
               : std::string();
  const std::string reads = format_number(pipeline.bytes_per_second, NumberKind::rate);
  if (pipeline.images_per_second <= 0) {
    return fmt::format("{}: reads {}{}", cached(task) ? "the encoder's stored output" : "text only",
                       reads, slower);
  }
  const std::string needs = fmt::format(
      "{} {}/s need {} of {} loader workers per accelerator and {}",
      format_number(pipeline.images_per_second, NumberKind::count), decoded_words(medium),
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
             ": decoding is the bottleneck{}. --loader-workers {} would be enough, each with a CPU "
             "core, or {} stored smaller",
             slower, format_exact(std::ceil(pipeline.decode_cores_per_gpu)), decoded_words(medium));
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

double data_wait(const Task& task, double tokens_per_second) {
  return shortage(data_demand(task, tokens_per_second), task.prepared->supply.workers);
}

void add_data_pipeline(const Task& task, double wait, bool in_words, Estimate& out) {
  PipelineResult& pipeline = out.pipeline.emplace();
  const double each = out.performance.tokens_per_second_per_gpu * wait;
  const Demand one = data_demand(task, each);
  const StoredBytes bytes = stored_bytes(task);
  const Amounts& all = task.amounts;
  pipeline.images_per_second = one.images * out.gpus;
  pipeline.images_reached_per_second = pipeline.images_per_second / wait;
  pipeline.bytes_per_second = one.bytes * out.gpus;
  pipeline.decode_cores_per_gpu = one.cores;
  pipeline.dataset_bytes =
      (all.images * (bytes.image + bytes.feature) + all.tokens.text * bytes.token) / all.epochs;
  pipeline.bound_by = bound_by(one, task.prepared->supply.workers);
  pipeline.gpu_bound = pipeline.bound_by == kBoundByAccelerators;
  if (in_words) pipeline.verdict = pipeline_verdict(pipeline, task, wait);
}

}  // namespace trcost::estimation
