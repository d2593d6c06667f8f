// SPDX-License-Identifier: Apache-2.0
// A load on one replica of a served model, and what comes of it.
#pragma once

#include <optional>

namespace trcost {

/// Load of one replica.
struct ServingLoad {
  double input_tokens = 1024;
  double output_tokens = 1024;
  std::optional<double> concurrency = {};  ///< requests in flight; empty: as many as memory holds
  double cached_input = 0;                 ///< share of the input whose cache is there already
  double acceptance = 0;                   ///< of drafted tokens; with `drafted`
  double drafted = 0;                      ///< tokens guessed per step, 0: no speculation
  bool apart = false;  ///< prompts are read on accelerators of their own, beside the replica
  std::optional<double> prefill_gpus = {};  ///< those; empty: as many as keep up
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
  double prefill_gpus = 0;    ///< beside the replica, where prompts are read apart
  double prefill_busy = 0;    ///< share of their time
  double prompt_seconds = 0;  ///< to read one prompt, nothing else running
  double queue_seconds = 0;   ///< a prompt waits because steps read others, beyond engine queues
  [[nodiscard]] double user_rate() const { return 1 / tpot_seconds; }  ///< tokens/s
};

}  // namespace trcost
