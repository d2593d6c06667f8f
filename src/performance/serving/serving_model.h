// SPDX-License-Identifier: Apache-2.0
// How fast one replica of a model generates at a load, and how much it holds.
#pragma once

#include <string_view>

#include "catalog/software/engine.h"
#include "quantity/layers.h"
#include "trcost/layout.h"
#include "trcost/serving_point.h"
#include "workload/served_model.h"

namespace trcost::performance {

/// Load of the busiest expert's GPU over the mean (DeepSeek-V3, arXiv:2412.19437, section 3.4:
/// redundant experts bring it near 1).
inline constexpr double kExpertImbalance = 1.1;
/// Share of the 16-bit peak that the core of attention reaches, decoding and in a prompt
/// (assumptions; the fitted factors of engines and chips stand on them).
inline constexpr double kDecodeAttention = 0.6;
inline constexpr double kPrefillAttention = 0.5;
/// A token crosses the network once per node that holds one of its experts, four at most
/// (DeepSeek-V3, section 3.2.2), of a network that reaches 0.8 (assumption), half of it hidden by a
/// second micro-batch (assumption).
inline constexpr double kNodesPerToken = 4;
inline constexpr double kServingNetworkShare = 0.8;
inline constexpr double kNetworkExposed = 0.5;
/// No engine reaches more of the peak in a prompt, whatever its factor says (assumption).
inline constexpr double kMostPrefill = 0.9;
inline constexpr double kExchangeBytes = 3;  ///< a token's number: 1 byte out, 2 back
/// Accelerators that only read prompts are not busier: no queue of random arrivals is short above.
inline constexpr double kBusiestPrefill = 0.9;

/// Peak of matmuls whose weights take so many bytes each. Chips without the format compute as wide
/// as they must: 8-bit for their own 4-bit format, 16-bit for what is only stored small.
double matmul_peak(const ServingChip& chip, double bytes);

/// Tokens of the mean request half way through its answer: those that a step attends to.
inline double mean_context(const ServingLoad& load) {
  return load.input_tokens + load.output_tokens / 2;
}
/// Tokens of a prompt that are read anew.
inline double uncached_input(const ServingLoad& load) {
  return load.input_tokens * (1 - load.cached_input);
}
/// Tokens that a step gives each request.
inline double tokens_per_decode_step(const ServingLoad& load) {
  return load.drafted > 0 ? tokens_per_speculative_step(load.acceptance, load.drafted) : 1;
}

/// Seconds that memory and arithmetic would take, each alone.
struct Roofline {
  double read = 0, computed = 0;
};

/// All-to-alls of tokens to their experts and back.
struct ExpertExchange {
  bool inside = true;  ///< over the links of one domain, each copy by itself; else over the network
  double copies = 0;   ///< of a token that travel: to its experts, or to the nodes that hold them
  double exposed = 1;  ///< share of the time that nothing hides
  double rate = 0;     ///< bytes/s of an accelerator
  double share = 1;    ///< of that, reached
};

/// What one decode step reads, computes and sends (data/phases.md, B.2): its time and the account
/// of it are made of the same parts.
struct DecodeParts {
  double requests = 0;      ///< of a copy, at least one
  double positions = 0;     ///< tokens of a copy: a request's next and those drafted after it
  double tokens = 0;        ///< the same of the replica
  double touched = 0;       ///< share of the experts that are read
  double cache_bytes = 0;   ///< that a request reads
  double cache_shards = 0;  ///< accelerators that it is read from
  double core_flops = 0;    ///< scores and values of a token
  Roofline dense, experts, cache;
  ExpertExchange exchange;
};

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
  [[nodiscard]] DecodeParts parts(double sequences, double context, double drafted = 0) const;
  /// Bytes that a prompt read elsewhere hands over, and the rate of one accelerator that takes
  /// them.
  [[nodiscard]] double handed_over_bytes(const ServingLoad& load) const;
  [[nodiscard]] double hand_over_rate() const;
  [[nodiscard]] double weight_bytes_per_gpu() const { return weights_per_gpu_; }
  /// Bytes of weights that a step reads from a tensor-parallel group, beside the experts'.
  [[nodiscard]] double read_bytes() const { return read_bytes_; }
  [[nodiscard]] double expert_bytes() const { return expert_bytes_; }
  [[nodiscard]] const PartBytes& bytes() const { return bytes_; }
  /// Seconds of a token's dense matmuls on one GPU at the peak, and without the head, as in a
  /// prompt.
  [[nodiscard]] double dense_seconds() const { return dense_seconds_; }
  [[nodiscard]] double prefill_dense_seconds() const { return prefill_dense_; }
  [[nodiscard]] double expert_peak() const { return expert_peak_; }
  /// Bytes per second of an all-reduce within a tensor-parallel group.
  [[nodiscard]] double reduce_rate() const;
  /// Seconds of the all-reduces of one token of a prompt.
  [[nodiscard]] double prefill_reduce_seconds() const;

 private:
  void serve_together(const ServingLoad& load, ServingPoint& point) const;
  void serve_apart(const ServingLoad& load, ServingPoint& point) const;
  void add_experts(DecodeParts& parts) const;
  [[nodiscard]] bool inside(double members) const;
  [[nodiscard]] double ring_seconds(double tokens) const;
  ServedModel model_;
  ServingChip chip_;
  Engine engine_;
  ServingLayout layout_;
  double cache_bytes_;
  PartBytes bytes_;        // per weight
  double read_bytes_ = 0;  // dense weights of a step, all GPUs of a tensor-parallel group
  double expert_bytes_ = 0;
  double weights_per_gpu_ = 0;
  double dense_seconds_ = 0;  // of a token's dense matmuls on one GPU at the peak
  double prefill_dense_ = 0;  // the same without the head
  double expert_peak_ = 0;
};

/// A prompt and an answer longer than the model's context, where that is known.
void check_context(const ServedModel& model, double prompt, double answer, std::string_view flag);
/// Tokens that are guessed without the share that is accepted, or that share without a guess.
void check_speculation(double drafted, double acceptance);
/// A tensor-parallel degree that heads do not divide into.
void check_tensor_parallel(const ServedModel& model, int tp, std::string_view flag);

}  // namespace trcost::performance
