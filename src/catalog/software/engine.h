// SPDX-License-Identifier: Apache-2.0
// Inference software, and what a chip reaches under it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::catalog {

/// How weights are stored while they are served.
enum class WeightFormat : std::uint8_t { bf16, fp8, nvfp4, mxfp4, int4 };
inline constexpr int kWeightFormats = 5;

/// One row per format (data/phases.md, B.1). Embeddings and the head stay 16-bit.
struct WeightFormatRow {
  double attention_bytes;  ///< per parameter of attention
  double mixture_bytes;    ///< per parameter of a mixture's attention, routers and shared experts
  double other_bytes;      ///< per parameter of dense feed-forwards and of experts
};
const WeightFormatRow& weight_format(WeightFormat format);
std::string_view weight_format_name(WeightFormat format);
/// By name; also `fp16` (as bf16), `mxfp8` (as fp8), `fp4` (nvfp4). Empty for anything else.
std::optional<WeightFormat> parse_weight_format(std::string_view name);

/// What a chip reaches while serving, by its architecture: data/serving/architectures.json.
struct ServingChip {
  double memory = 0;   ///< share of the bandwidth that reading dense weights reaches
  double cache = 0;    ///< ... the KV cache
  double matmul = 0;   ///< share of the peak in a decode step
  double experts = 0;  ///< share of the bandwidth in reading experts
  double expert_matmul = 0;
  double prefill = 0;  ///< share of the peak in a prompt's matmuls
  double expert_prefill = 0;
  double reduce_seconds = 0;    ///< latency of one all-reduce among 8
  double reduce_link = 0;       ///< share of the innermost link
  double exchange_seconds = 0;  ///< latency of one all-to-all
  double exchange_link = 0;
  double fp4_gain = 0;       ///< 4-bit matmuls over 8-bit ones
  double layer_seconds = 0;  ///< what each layer of a step costs beside bytes and FLOPs
  bool measured = true;      ///< rows of this architecture informed the fit

  // Of the specification.
  double bandwidth = 0;
  double memory_bytes = 0;
  double bf16 = 0;                         ///< dense peak in 16 bit
  std::optional<double> fp8, fp4;          ///< the same of the formats that it has
  double link = 0, link_accelerators = 0;  ///< innermost tier, per direction
  std::optional<double> network;           ///< next tier outwards, where there is one
};

/// Inference software: data/engines.
struct Engine {
  std::string name;
  std::string title;
  std::string source;
  std::string memory_source;       ///< of what it keeps free
  double layer = 1;                ///< factor on ServingChip::layer_seconds
  double expert_layer = 1;         ///< further factor in a mixture of experts
  double step_seconds = 0;         ///< host time of a step
  double sequence_seconds = 0;     ///< and of each sequence in it: sampling, scheduling, text
  double prefill = 1;              ///< factor on the prefill rates
  double experts = 1;              ///< factor on ServingChip::experts
  double hidden_prefill = 0;       ///< share of DecodeStep::waiting in which prompts compute
  double ramp = 0;                 ///< of a queue that starts empty and ends empty, in batches
  double first_token_seconds = 0;  ///< from request to schedule and back
  double queue = 0;                ///< share of the other prompts that one waits for
  double reserve_bytes = 0;        ///< beside weights and cache
  double reserve_share = 0;        ///< of the memory, likewise
  double cache_share = 1;          ///< of what is left, that the cache fills
  double most_sequences = 4096;    ///< in a step of one replica of attention
  double chunk_tokens = 2048;      ///< of a prompt that one step takes
  bool eight_bit_cache = false;    ///< its default with 8-bit or smaller weights
  double sigma = 0;                ///< further spread of ln, where the engine is not known
};

/// Software that ties the phases of a training method together, as factors on what they would take
/// alone: data/serving/rounds.json.
struct RoundFramework {
  double dense_step = 1;        ///< on learning and scoring: short ragged sequences
  double mixture_step = 1;      ///< the same of a mixture of experts
  double dense_generation = 1;  ///< scheduling, rewards, stragglers between engines
  double mixture_generation = 1;
  double other_seconds = 0;        ///< of a round
  double sync_seconds_per_gb = 0;  ///< new weights to the engines, per GB that each sender has
  double switch_seconds_per_billion = 0;  ///< from learning to generating and back, per parameter
  double sigma = 0;                       ///< of ln of a round's time, whole models left out
  double unnamed_sigma = 0;               ///< the same where nobody said which framework
  double median_error = 0;                ///< of the published rounds that it was fitted to
  double rows = 0;
};

/// The spread of ln(predicted / measured) of rates when the model was left out of the fit.
struct ServingSpread {
  double dense = 0;
  double mixture = 0;
  double by_rule = 0;  ///< of architectures and engines without rows
};

}  // namespace trcost::catalog
