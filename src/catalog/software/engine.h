// SPDX-License-Identifier: Apache-2.0
// Inference software, and the rates of a chip under it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/data/data_file.h"
#include "json/strict_json.h"
#include "quantity/choice.h"
#include "quantity/layers.h"
#include "trcost/hardware.h"

namespace trcost::catalog {

/// Rates of a chip while serving, by its architecture: data/serving/architectures.json.
struct ServingChip {
  double memory = 0;   ///< share of the bandwidth that reading dense weights reaches
  double cache = 0;    ///< share of the bandwidth that reading the KV cache reaches
  double matmul = 0;   ///< share of the peak in a decode step
  double experts = 0;  ///< share of the bandwidth in reading experts
  double expert_matmul = 0;
  double prefill = 0;  ///< share of the peak in a prompt's matmuls
  double expert_prefill = 0;
  double reduce_seconds = 0;    ///< latency of one all-reduce among 8
  double reduce_link = 0;       ///< share of the innermost link
  double exchange_seconds = 0;  ///< latency of one all-to-all
  double exchange_link = 0;
  double fp4_share = 0;  ///< share of the 4-bit peak that 4-bit matmuls reach, over that of 8 bit
  double layer_seconds = 0;  ///< time of each layer of a step besides bytes and FLOPs
  bool measured = true;      ///< true if rows of this architecture informed the fit

  // From the specification.
  double bandwidth = 0;
  double memory_bytes = 0;
  double bf16 = 0;                         ///< dense peak in 16 bit
  std::optional<double> fp8, fp4;          ///< dense peaks of the formats that it has
  double link = 0, link_accelerators = 0;  ///< innermost tier, per direction
  std::optional<double> network;           ///< bytes/s of the next tier outwards, if there is one
};

/// Inference software: data/engines.
struct Engine {
  std::string name;
  std::string title;
  std::string source;
  std::string memory_source;  ///< source of the memory that it keeps free
  double layer = 1;           ///< factor on ServingChip::layer_seconds
  double expert_layer = 1;    ///< further factor in a mixture of experts
  double step_seconds = 0;    ///< host time of a step
  double sequence_seconds =
      0;                      ///< host time of each sequence in a step: sampling, scheduling, text
  double prefill = 1;         ///< factor on the prefill rates
  double experts = 1;         ///< factor on ServingChip::experts
  double hidden_prefill = 0;  ///< share of DecodeStep::waiting in which prompts compute
  double ramp = 0;            ///< ramp of a queue that starts and ends empty, in batches
  double first_token_seconds = 0;  ///< from request to schedule and back
  double queue = 0;                ///< share of the other prompts that a prompt waits for
  double reserve_bytes = 0;        ///< bytes kept free besides weights and cache
  double reserve_share = 0;        ///< share of the memory kept free
  double cache_share = 1;          ///< share of the rest that the cache fills
  double most_sequences =
      4096;  ///< largest number of sequences in a step of one replica of attention
  double chunk_tokens = 2048;    ///< tokens of a prompt that one step takes
  bool eight_bit_cache = false;  ///< true if it is the default with 8-bit or smaller weights
  double sigma = 0;              ///< further spread of ln for an unknown engine
  /// Years whose software the constants describe, and the oldest and newest with rows.
  double release_year = 0, oldest_year = 0, newest_year = 0;
  double yearly_gain = 0;    ///< of ln of the speed, from one release year to the next
  double usual_gap = 0;      ///< ln of what users lose against tuned sweeps
  double usual_sigma = 0;    ///< spread of that
  double first_run_gap = 0;  ///< further ln of what a first attempt loses
  double speed = 1;          ///< factor on all rates: of a release and a tuning
  double release_sigma = 0;  ///< spread of ln of the speed of a release besides the constants' own
};

/// Spread of ln of a rate by the software's tuning, upwards and downwards.
struct EngineSpread {
  double high = 0, low = 0;
};
/// The engine at a release, `YYYY-MM`. Throws Error (usage) for a release without a month, and for
/// one before the oldest by more than two years.
std::shared_ptr<const Engine> engine_at_release(const Engine& engine, std::string_view release);
/// The engine with the tuning's speed: `showcase`, `usual`, `first-run`, or empty for an unknown
/// one between the first two. Throws Error (usage) for another word.
Engine engine_as_run(const Engine& engine, std::string_view tuning);
EngineSpread tuning_spread(const Engine& engine, std::string_view tuning);

/// Overheads of software that ties the phases of a training method together, as factors on their
/// time alone: data/serving/rounds.json.
struct RoundFramework {
  double dense_step = 1;        ///< on learning and scoring: short ragged sequences
  double mixture_step = 1;      ///< factor for a mixture of experts
  double dense_generation = 1;  ///< scheduling, rewards, stragglers between engines
  double mixture_generation = 1;
  double other_seconds = 0;  ///< of a round
  double sync_seconds_per_gb =
      0;  ///< time to send new weights to the engines, per GB that each sender has
  double switch_seconds_per_billion = 0;  ///< from learning to generating and back, per parameter
  double sigma = 0;  ///< sigma of ln of a round's time, with whole models left out of the fit
  double unnamed_sigma = 0;  ///< sigma for an unknown framework
  double median_error = 0;   ///< median error of the published rounds that it was fitted to
  double rows = 0;
};

/// Spread of ln(predicted / measured) of rates with the model left out of the fit.
struct ServingSpread {
  double dense = 0;
  double mixture = 0;
  double by_rule = 0;  ///< for architectures and engines without rows
};

/// Formats of the KV cache, true for one byte per number. Those that a field offers come first.
inline constexpr Choice<bool> kCacheFormats[] = {
    {"bf16", false}, {"fp8", true}, {"fp16", false}, {"int8", true}};
inline constexpr std::size_t kOfferedCacheFormats = 2;

/// Readers of data/engines and data/serving. They throw Error (data) for a malformed file.
std::shared_ptr<const Engine> load_engine(const JsonValue& document);
/// Constants of the chip's architecture, or of the reference architecture if no row informed its
/// own. Throws Error (no_answer) for a chip without 16-bit formats.
ServingChip load_serving_chip(const Accelerator& accelerator, const System& system,
                              const DataFolder& data);
RoundFramework load_round_framework(std::string_view name, const Accelerator& accelerator,
                                    const DataFolder& data);
ServingSpread load_serving_spread(const DataFolder& data);

}  // namespace trcost::catalog
