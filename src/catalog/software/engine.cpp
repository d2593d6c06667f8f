// SPDX-License-Identifier: Apache-2.0
#include "catalog/software/engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "catalog/data/sourced_values.h"
#include "catalog/hardware/hardware.h"
#include "catalog/software/stacks.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "trcost/error.h"

namespace trcost::catalog {

namespace {

constexpr Constant<Engine> kEngine[] = {
    {"layer", &Engine::layer, 0.01, 100},
    {"expert_layer", &Engine::expert_layer, 0.01, 100},
    {"step_seconds", &Engine::step_seconds, 0, 1},
    {"sequence_seconds", &Engine::sequence_seconds, 0, 1},
    {"prefill", &Engine::prefill, 0.01, 2},
    {"experts", &Engine::experts, 0.01, 1.5},
    {"hidden_prefill", &Engine::hidden_prefill, 0, 1},
    {"ramp", &Engine::ramp, 0, 10},
    {"first_token_seconds", &Engine::first_token_seconds, 0, 100},
    {"queue", &Engine::queue, 0, 1},
    {"reserve_bytes", &Engine::reserve_bytes, 0, 1e11},
    {"reserve_share", &Engine::reserve_share, 0, 0.9},
    {"cache_share", &Engine::cache_share, 0.01, 1},
    {"most_sequences", &Engine::most_sequences, 1, 1e6},
    {"chunk_tokens", &Engine::chunk_tokens, 1, 1e6},
    {"sigma", &Engine::sigma, 0, 3},
};

// A file of one's own may leave them out: its releases and tunings are then not told apart.
constexpr Constant<Engine> kEngineRelease[] = {
    {"release_year", &Engine::release_year, 0, 2100},
    {"oldest_year", &Engine::oldest_year, 0, 2100},
    {"newest_year", &Engine::newest_year, 0, 2100},
    {"yearly_gain", &Engine::yearly_gain, 0, 3},
    {"usual_gap", &Engine::usual_gap, 0, 3},
    {"usual_sigma", &Engine::usual_sigma, 0, 3},
    {"first_run_gap", &Engine::first_run_gap, 0, 3},
};

constexpr Constant<ServingChip> kChip[] = {
    {"memory", &ServingChip::memory, 0.01, 1},
    {"cache", &ServingChip::cache, 0.01, 1},
    {"matmul", &ServingChip::matmul, 0.01, 1},
    {"experts", &ServingChip::experts, 0.01, 1},
    {"expert_matmul", &ServingChip::expert_matmul, 0.01, 1},
    {"prefill", &ServingChip::prefill, 0.01, 1},
    {"expert_prefill", &ServingChip::expert_prefill, 0.01, 1},
    {"reduce_seconds", &ServingChip::reduce_seconds, 0, 1},
    {"reduce_link", &ServingChip::reduce_link, 0.01, 1},
    {"exchange_seconds", &ServingChip::exchange_seconds, 0, 1},
    {"exchange_link", &ServingChip::exchange_link, 0.01, 1},
    {"fp4_share", &ServingChip::fp4_share, 0.1, 1},
    {"layer_seconds", &ServingChip::layer_seconds, 0, 1},
};

constexpr Constant<RoundFramework> kFramework[] = {
    {"dense_step", &RoundFramework::dense_step, 0.1, 100},
    {"mixture_step", &RoundFramework::mixture_step, 0.1, 100},
    {"dense_generation", &RoundFramework::dense_generation, 0.1, 100},
    {"mixture_generation", &RoundFramework::mixture_generation, 0.1, 100},
    {"other_seconds", &RoundFramework::other_seconds, 0, 1e4},
    {"sync_seconds_per_gb", &RoundFramework::sync_seconds_per_gb, 0, 1e3},
    {"switch_seconds_per_billion", &RoundFramework::switch_seconds_per_billion, 0, 1e3},
    {"sigma", &RoundFramework::sigma, 0, 3},
    {"median_error", &RoundFramework::median_error, 0, 10},
    {"rows", &RoundFramework::rows, 0, 1e6},
};

}  // namespace

std::shared_ptr<const Engine> load_engine(const JsonValue& document) {
  auto engine = std::make_shared<Engine>();
  ObjectReader reader = document.object();
  reader.accept("schema_version");
  engine->name = reader.required_text("name");
  engine->title = reader.required_text("title");
  engine->source = reader.required_text("source");
  engine->eight_bit_cache = reader.boolean_or("eight_bit_cache", false);
  engine->memory_source = reader.required_text("memory_source");
  reader.accept("release_source");
  reader.accept("tuning_source");
  read_constants(reader, kEngine, *engine);
  read_given_constants(reader, kEngineRelease, *engine);
  reader.finish();
  return engine;
}

std::shared_ptr<const Engine> engine_at_release(const Engine& engine, std::string_view release) {
  constexpr double kEarlier = 2, kLater = 1;  // years beyond the rows
  const std::optional<double> year = release_month(release);
  if (engine.release_year <= 0 || !year || *year < engine.oldest_year - kEarlier) {
    throw Error(ErrorKind::usage,
                fmt::format("engine {} has no release \"{}\"", engine.name, release.substr(0, 40)),
                engine.release_year > 0
                    ? fmt::format("write {}@YYYY-MM, from {} on", engine.name,
                                  month_words(engine.oldest_year - kEarlier))
                    : fmt::format("its releases are not told apart: write {} alone", engine.name));
  }
  auto out = std::make_shared<Engine>(engine);
  out->name = fmt::format("{}@{}", engine.name, release);
  const double years = std::min(*year, engine.newest_year + kLater) - engine.release_year;
  out->speed *= portable_exp(engine.yearly_gain * years);
  // The gain of a year is about as uncertain as it is large (data/engines, source).
  out->release_sigma = engine.yearly_gain * std::abs(years);
  return out;
}

namespace {

// A tuning, and the parts of the gaps of users and of first runs that it loses.
struct EngineTuning {
  std::string_view word;  // empty: not known
  double usual_gaps, first_run_gaps;
};

// Share of the users' gap at which an unknown tuning is expected, and how many times the gap its
// range goes below: user reports of 35% of the tuned rate are inside (serve cases of 2024-09 and
// 2025-06).
constexpr double kUnknownGap = 0.4, kUnknownBelow = 3;

constexpr EngineTuning kEngineTunings[] = {
    {"", kUnknownGap, 0}, {"showcase", 0, 0}, {"usual", 1, 0}, {"first-run", 1, 1}};

}  // namespace

Engine engine_as_run(const Engine& engine, std::string_view tuning) {
  const auto* const found = std::ranges::find(kEngineTunings, tuning, &EngineTuning::word);
  if (found == std::end(kEngineTunings)) {
    throw Error(ErrorKind::usage, fmt::format("unknown tuning \"{}\"", tuning.substr(0, 40)),
                "one of showcase, usual, first-run", "--tuning");
  }
  Engine out = engine;
  out.speed *= portable_exp(-found->usual_gaps * engine.usual_gap -
                            found->first_run_gaps * engine.first_run_gap);
  return out;
}

EngineSpread tuning_spread(const Engine& engine, std::string_view tuning) {
  const double release = engine.release_sigma;
  if (tuning == "showcase") return {release, release};
  if (tuning.empty()) {
    return {in_quadrature(kUnknownGap * engine.usual_gap, release),
            in_quadrature(kUnknownBelow * engine.usual_gap, release)};
  }
  const double usual = in_quadrature(engine.usual_sigma, release);
  return {usual, usual};
}

ServingChip load_serving_chip(const Accelerator& chip, const System& system,
                              const DataFolder& data) {
  ObjectReader reader = read_data_file(data, "serving/architectures.json").object();
  ServingChip out;
  // An architecture is named by its family: `blackwell-ultra` is Blackwell.
  std::string family = reader.required_text("reference");
  out.measured = false;
  for (const std::string& key : reader.keys()) {
    if (!chip.architecture.starts_with(key)) continue;
    family = key;
    out.measured = true;
  }
  ObjectReader constants = reader.required_object(family);
  read_constants(constants, kChip, out);
  const auto rate = [&](Precision p) { return peak_flops(chip, p); };
  out.bandwidth = chip.memory_bandwidth;
  out.memory_bytes = chip.memory_bytes;
  const std::optional<double> half = std::max(rate(Precision::bf16), rate(Precision::fp16));
  if (!half) {
    throw Error(ErrorKind::no_answer, fmt::format("{} has neither bf16 nor fp16", chip.title),
                "what is served attends in 16 bit", chip.file);
  }
  out.bf16 = *half;
  out.fp8 = rate(Precision::fp8);
  out.fp4 = rate(Precision::nvfp4);
  out.link = system.tiers.front().bandwidth;
  out.link_accelerators = system.gpus_per_domain;
  if (system.tiers.size() > 1) out.network = system.tiers[1].bandwidth;
  return out;
}

RoundFramework load_round_framework(std::string_view name, const Accelerator& chip,
                                    const DataFolder& data) {
  ObjectReader reader = read_data_file(data, "serving/rounds.json").object();
  RoundFramework out;
  ObjectReader constants = reader.required_object(std::string(name));
  read_constants(constants, kFramework, out);
  out.unnamed_sigma = reader.required_object("unnamed").required_number("sigma", 0, 3);
  ObjectReader learning = reader.required_object("learning");
  for (const std::string& key : learning.keys()) {
    if (key == "source" || !chip.architecture.starts_with(key)) continue;
    const double factor = learning.required_number(key, 0.1, 10);
    out.dense_step *= factor;
    out.mixture_step *= factor;
  }
  return out;
}

ServingSpread load_serving_spread(const DataFolder& data) {
  ObjectReader reader = read_data_file(data, "serving/spread.json").object();
  ServingSpread out;
  out.dense = reader.required_number("dense", 0, 3);
  out.mixture = reader.required_number("mixture", 0, 3);
  out.by_rule = reader.required_number("by_rule", 0, 3);
  for (const char* key : {"schema_version", "source", "by_rule_source"}) reader.accept(key);
  reader.finish();
  return out;
}

}  // namespace trcost::catalog
