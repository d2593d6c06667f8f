// SPDX-License-Identifier: Apache-2.0
// Generation speed and capacity of one replica of a model at a load.
#pragma once

#include <string_view>

#include "catalog/models/weight_formats.h"
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
/// (assumptions on which the fitted factors of engines and chips rest).
inline constexpr double kDecodeAttention = 0.6;
inline constexpr double kPrefillAttention = 0.5;
/// A token crosses the network once per node that holds one of its experts, four at most
/// (DeepSeek-V3, section 3.2.2), of a network that reaches 0.8 (assumption), half of it hidden by a
/// second micro-batch (assumption).
inline constexpr double kNodesPerToken = 4;
inline constexpr double kServingNetworkShare = 0.8;
inline constexpr double kNetworkExposed = 0.5;
/// Largest share of the peak that any engine reaches in a prompt (assumption).
inline constexpr double kMostPrefill = 0.9;
inline constexpr double kExchangeBytes = 3;  ///< per element of a token: 1 byte out, 2 back
/// Tokens of prompts that one step reads in each replica of attention: the defaults of vLLM's
/// server on GPUs of 70 GB and more (max_num_batched_tokens, vllm/engine/arg_utils.py), SGLang's
/// chunked_prefill_size and TensorRT-LLM's max_num_tokens. A user measured it in
/// ai-dynamo/aiconfigurator issue 1148.
inline constexpr double kStepTokens = 8192;
/// Largest load of accelerators that only read prompts, above which queues of random arrivals grow
/// long.
inline constexpr double kBusiestPrefill = 0.9;

/// Peak FLOP/s of matmuls with weights of `bytes` each. Chips without a format compute in the next
/// wider one that they have, and in 16 bit if the format is only for storage (data/phases.md, B.1).
double matmul_peak(const ServingChip& chip, catalog::WeightFormat format, double bytes);

/// Tokens that a step attends to, for the mean request half way through its answer.
inline double mean_context(const ServingLoad& load) {
  return load.input_tokens + load.output_tokens / 2;
}
/// Tokens of a prompt that are not cached.
inline double uncached_input(const ServingLoad& load) {
  return load.input_tokens * (1 - load.cached_input);
}
/// Tokens that a step generates for each request.
inline double tokens_per_decode_step(const ServingLoad& load) {
  return load.drafted > 0 ? tokens_per_speculative_step(load.acceptance, load.drafted) : 1;
}

/// Seconds that memory and arithmetic would take, each alone.
struct Roofline {
  double read = 0, computed = 0;
};

/// All-to-alls of tokens to their experts and back.
struct ExpertExchange {
  bool inside = true;  ///< over the links of one domain, copy by copy, else over the network
  double copies = 0;   ///< of a token, one per expert or per node with its experts
  double exposed = 1;  ///< share of the time that nothing hides
  double rate = 0;     ///< bytes/s of an accelerator
  double share = 1;    ///< of that, reached
};

/// Memory traffic, arithmetic and exchange of one decode step (data/phases.md, B.2).
struct DecodeParts {
  double requests = 0;     ///< of a copy, at least one
  double positions = 0;    ///< tokens of a copy: each request's next one and those drafted after it
  double tokens = 0;       ///< tokens of the replica
  double touched = 0;      ///< share of the experts that are read
  double cache_bytes = 0;  ///< that a request reads
  double cache_shards = 0;  ///< accelerators that it is read from
  double core_flops = 0;    ///< scores and values of a token
  Roofline dense, experts, cache;
  ExpertExchange exchange;
};

/// A replica prepared for any load. A point is arithmetic without allocation.
class ServingModel {
 public:
  ServingModel(const ServedModel& model, const ServingChip& chip, const Engine& engine,
               WeightFormat format, double cache_bytes, const ServingLayout& layout);
  /// Speed of the mean request at a steady load (data/phases.md, B.2 to B.4).
  [[nodiscard]] ServingPoint at(const ServingLoad& load) const;
  /// Sequences that fit in the memory of a replica, below 1 if it cannot serve.
  [[nodiscard]] double most_sequences(const ServingLoad& load) const;
  /// Cache of one sequence half way through its answer, on each accelerator of a copy.
  [[nodiscard]] double sequence_bytes_per_gpu(const ServingLoad& load) const;
  /// Seconds to compute one token of a prompt on the whole replica.
  [[nodiscard]] double prefill_seconds_per_token(double input_tokens) const;
  /// Share of the arriving prompts that the steps of `sequences` read between their tokens. The
  /// rest waits before its first token.
  [[nodiscard]] double prompts_within_step(const ServingLoad& load, double sequences) const;
  /// Seconds of an image encoder's FLOPs, in 16 bits, spread over the replica as a prompt's are.
  [[nodiscard]] double image_seconds(double flops) const;
  /// One decode step of `sequences` in the replica with a mean context.
  [[nodiscard]] DecodeStep decode(double sequences, double context, double drafted = 0) const;
  [[nodiscard]] DecodeParts parts(double sequences, double context, double drafted = 0) const;
  /// Cache bytes of a prompt that another replica read, and the rate at which an accelerator
  /// receives them.
  [[nodiscard]] double handed_over_bytes(const ServingLoad& load) const;
  [[nodiscard]] double hand_over_rate() const;
  [[nodiscard]] double weight_bytes_per_gpu() const { return weights_per_gpu_; }
  /// Bytes of dense weights that a step reads from a tensor-parallel group.
  [[nodiscard]] double read_bytes() const { return read_bytes_; }
  [[nodiscard]] double expert_bytes() const { return expert_bytes_; }
  [[nodiscard]] const PartBytes& bytes() const { return bytes_; }
  /// Seconds of a token's dense matmuls on one GPU at the peak, with the head and without it.
  [[nodiscard]] double dense_seconds() const { return dense_seconds_; }
  [[nodiscard]] double prefill_dense_seconds() const { return prefill_dense_; }
  [[nodiscard]] double expert_peak() const { return expert_peak_; }
  /// Bytes per second of an all-reduce within a tensor-parallel group.
  [[nodiscard]] double reduce_rate() const;
  /// Seconds of the all-reduces of one token of a prompt.
  [[nodiscard]] double prefill_reduce_seconds() const;

 private:
  [[nodiscard]] double reached_prefill(double share) const;
  void serve_colocated(const ServingLoad& load, ServingPoint& point) const;
  void serve_disaggregated(const ServingLoad& load, ServingPoint& point) const;
  void add_experts(DecodeParts& parts) const;
  [[nodiscard]] bool within_domain(double members) const;
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
  double prefill_dense_ = 0;  // without the head
  double expert_peak_ = 0;
};

/// Throws Error (usage, at `flag`) if prompt and answer exceed the model's context.
void check_context(const ServedModel& model, double prompt, double answer, std::string_view flag);
/// Throws Error (usage) unless drafted tokens and their acceptance are specified together.
void check_speculation(double drafted, double acceptance);
/// Throws Error (usage, at `flag`) if the heads do not divide over the tensor-parallel ranks.
void check_tensor_parallel(const ServedModel& model, int tp, std::string_view flag);

}  // namespace trcost::performance
