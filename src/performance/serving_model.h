// SPDX-License-Identifier: Apache-2.0
// How fast one replica of a model generates at a load, and how much it holds.
#pragma once

#include "catalog/engine.h"
#include "trcost/layout.h"
#include "trcost/serving_point.h"
#include "workload/served_model.h"

namespace trcost {

/// Peak of matmuls whose weights take so many bytes each. Chips without the format compute as wide
/// as they must: 8-bit for their own 4-bit format, 16-bit for what is only stored small.
double matmul_peak(const ServingChip& chip, double bytes);

/// Everything but the load, prepared once: a point is arithmetic without allocation.
class ServingModel {
 public:
  ServingModel(const ServedModel& model, const ServingChip& chip, const Engine& engine,
               WeightFormat format, double cache_bytes, const ServingLayout& layout);
  /// The mean request at a steady load (data/phases.md, B.2 to B.4).
  [[nodiscard]] ServingPoint at(const ServingLoad& load) const;
  /// Sequences that the memory of a replica holds; below 1 it does not serve.
  [[nodiscard]] double most_sequences(const ServingLoad& load) const;
  /// Of the cache of one sequence half way through its answer, on each accelerator of a copy.
  [[nodiscard]] double sequence_bytes_per_gpu(const ServingLoad& load) const;
  /// Seconds to compute one token of a prompt on the whole replica.
  [[nodiscard]] double prefill_seconds_per_token(double input_tokens) const;
  /// One decode step of `sequences` in the replica with a mean context.
  [[nodiscard]] DecodeStep decode(double sequences, double context, double drafted = 0) const;
  [[nodiscard]] double weight_bytes_per_gpu() const { return weights_per_gpu_; }
  /// Bytes of weights that a step reads from a tensor-parallel group, beside the experts'.
  [[nodiscard]] double read_bytes() const { return read_bytes_; }
  [[nodiscard]] double expert_bytes() const { return expert_bytes_; }
  /// Seconds of a token's dense matmuls on one GPU at the peak, and without the head, as in a prompt.
  [[nodiscard]] double dense_seconds() const { return dense_seconds_; }
  [[nodiscard]] double prefill_dense_seconds() const { return prefill_dense_; }
  [[nodiscard]] double expert_peak() const { return expert_peak_; }
  /// Bytes per second of an all-reduce within a tensor-parallel group.
  [[nodiscard]] double reduce_rate() const;
  /// Seconds of the all-reduces of one token of a prompt.
  [[nodiscard]] double prefill_reduce_seconds() const;

 private:
  [[nodiscard]] double steps_gain(const ServingLoad& load) const;
  void serve_together(const ServingLoad& load, ServingPoint& point) const;
  void serve_apart(const ServingLoad& load, ServingPoint& point) const;
  void add_experts(double tokens, DecodeStep& step) const;
  ServedModel model_;
  ServingChip chip_;
  Engine engine_;
  ServingLayout layout_;
  double cache_bytes_;
  double read_bytes_ = 0;  // dense weights of a step, all GPUs of a tensor-parallel group
  double expert_bytes_ = 0;
  double weights_per_gpu_ = 0;
  double dense_seconds_ = 0;  // of a token's dense matmuls on one GPU at the peak
  double prefill_dense_ = 0;  // the same without the head
  double expert_peak_ = 0;
};

}  // namespace trcost
