// SPDX-License-Identifier: Apache-2.0
// How fast one replica of a model generates at a load, and how much it holds.
#pragma once

#include "trcost/engine.h"
#include "trcost/served_model.h"

namespace trcost {

/// How one replica of the model is split: attention over `tp` with `dp` copies, experts over all.
struct ServingLayout {
  int gpus = 1;
  int tp = 1;
  int ep = 1;
  int dp = 1;
  friend bool operator==(const ServingLayout&, const ServingLayout&) = default;
};

/// What one replica is asked to do.
struct ServingLoad {
  double input_tokens = 1024;
  double output_tokens = 1024;
  double concurrency = 0;   ///< requests in flight; 0: as many as memory holds
  double cached_input = 0;  ///< share of the input whose cache is there already
  double acceptance = 0;    ///< of drafted tokens; with `drafted`
  double drafted = 0;       ///< tokens guessed per step, 0: no speculation
  bool apart = false;       ///< prompts are read on accelerators of their own, beside the replica
  double prefill_gpus = 0;  ///< those; 0: as many as keep up
};

/// Seconds of one decode step by cause; they add up.
struct DecodeStep {
  double dense = 0;  ///< weights of attention, dense feed-forwards, head
  double experts = 0;
  double cache = 0;
  double tensor = 0;    ///< all-reduces
  double exchange = 0;  ///< all-to-alls
  double draft = 0;     ///< guessing tokens
  double host = 0;
  double waiting = 0;  ///< of dense and experts: for memory, while prompts could compute
  [[nodiscard]] double total() const {
    return dense + experts + cache + tensor + exchange + draft + host;
  }
};

struct ServingPoint {
  bool fits = false;           ///< weights and one sequence
  double sequences = 0;        ///< decoded per step in the replica
  double most_sequences = 0;   ///< that memory holds
  DecodeStep step;             ///< without prompts in between
  double prefill_seconds = 0;  ///< prompts, in the time of one decode step
  double ttft_seconds = 0;     ///< mean time to the first token
  double tpot_seconds = 0;     ///< mean time per output token after it
  double output_per_gpu = 0;   ///< output tokens/s
  double total_per_gpu = 0;    ///< input and output tokens/s
  double weight_bytes_per_gpu = 0;
  double cache_bytes_per_token = 0;
  double prefill_gpus = 0;      ///< beside the replica, where prompts are read apart
  double prefill_busy = 0;      ///< share of their time
  double prompt_seconds = 0;    ///< to read one prompt, nothing else running
  [[nodiscard]] double user_rate() const { return 1 / tpot_seconds; }  ///< tokens/s
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
  /// Seconds to compute one token of a prompt on the whole replica.
  [[nodiscard]] double prefill_seconds_per_token(double input_tokens) const;
  /// One decode step of `sequences` in the replica with a mean context.
  [[nodiscard]] DecodeStep decode(double sequences, double context, double drafted = 0) const;
  [[nodiscard]] double weight_bytes_per_gpu() const { return weights_per_gpu_; }
  /// Bytes of weights that a step reads from a tensor-parallel group, beside the experts'.
  [[nodiscard]] double read_bytes() const { return read_bytes_; }
  [[nodiscard]] double expert_bytes() const { return expert_bytes_; }

 private:
  [[nodiscard]] double steps_gain(const ServingLoad& load) const;
  void serve_together(const ServingLoad& load, ServingPoint& point) const;
  void serve_apart(const ServingLoad& load, ServingPoint& point) const;
  [[nodiscard]] double reduce_rate() const;
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
