// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/round_time.h"

#include <algorithm>
#include <cmath>

#include "planner/serving_layout.h"

namespace trcost::estimation {
namespace {

// Accelerators that send new weights at a time (data/phases.md, A.5).
constexpr double kSyncSenders = 64;
constexpr double kGigabyte = 1e9;
constexpr double kLargestEngine = 64;

// The fastest way to split the engines over `gpus` accelerators.
struct Generation {
  ServingLayout layout;
  double engines = 1;
  double sequences = 0;  ///< in flight at first, of an engine
  EngineMemory memory;
  RolloutTime time;
};

// One moment of the run, empty if the engine does not hold a single sequence.
std::optional<Generation> at_moment(const RolloutWork& work, const ResponseLengths& lengths,
                                    const ServingModel& model, const ServingLayout& layout,
                                    double gpus) {
  const ServingLoad load{.input_tokens = work.prompt_tokens, .output_tokens = lengths.mean()};
  const double most =
      std::min(std::floor(model.most_sequences(load)), work.engine->most_sequences * layout.dp);
  if (most < 1) return std::nullopt;
  Generation out;
  out.layout = layout;
  out.engines = std::floor(gpus / layout.gpus);
  const double responses = work.responses() / out.engines;
  // The prompts of a group are read once, and their images encoded once.
  const double prompt =
      work.prompt_tokens * model.prefill_seconds_per_token(std::max(1.0, work.prompt_tokens)) +
      model.image_seconds(work.prompt_image_flops);
  const double prefill =
      std::max(1.0, work.prompts / out.engines) * (1 - work.cached_input) * prompt;
  const double gain =
      work.drafted > 0 ? tokens_per_speculative_step(work.acceptance, work.drafted) : 1;
  out.sequences = std::min(responses, most);
  out.memory = {model.weight_bytes_per_gpu() + work.engine->reserve_bytes,
                model.sequence_bytes_per_gpu(load) * std::max(1.0, out.sequences / layout.dp)};
  const auto step = [&](double sequences, double context) {
    return model.decode(sequences, context, work.drafted).total() / gain;
  };
  out.time = work.partial
                 ? partial_rollout_time(responses, work.prompt_tokens, prefill, most, lengths, step)
                 : rollout_time(responses, work.prompt_tokens, prefill, most, lengths,
                                work.responses(), step);
  return out;
}

// Mean over the moments of the run, with the longest response and the fullest cache of all.
std::optional<Generation> with_engine(const RolloutWork& work, const ServingModel& model,
                                      const ServingLayout& layout, double gpus) {
  std::optional<Generation> out;
  const double share = 1 / static_cast<double>(work.lengths.size());
  for (const ResponseLengths& lengths : work.lengths) {
    const std::optional<Generation> moment = at_moment(work, lengths, model, layout, gpus);
    if (!moment) return std::nullopt;
    if (!out) {
      out = moment;
      out->time = {};
    }
    out->sequences = std::min(out->sequences, moment->sequences);
    out->memory.cache = std::max(out->memory.cache, moment->memory.cache);
    out->time.longest = std::max(out->time.longest, moment->time.longest);
    for (const auto part : {&RolloutTime::seconds, &RolloutTime::prefill_seconds,
                            &RolloutTime::idle_share, &RolloutTime::tail_share}) {
      out->time.*part += share * moment->time.*part;
    }
  }
  return out;
}

std::optional<Generation> generate(const RoundWork& round, double gpus) {
  const RolloutWork& work = *round.rollout;
  ServingChip chip = work.chip;
  if (round.placement == Placement::colocated) {
    chip.memory_bytes *= work.colocated_share / (1 - work.engine->reserve_share);
  }
  ServingSearch search;
  search.tp = work.tp;
  const double cache_bytes =
      work.engine->eight_bit_cache && work.format != WeightFormat::bf16 ? 1 : 2;
  const double domain = std::max(8.0, chip.link_accelerators);
  search.most_gpus = static_cast<int>(std::min(gpus, std::max(kLargestEngine, domain)));
  std::optional<Generation> best;
  for (const int size : replica_sizes(search)) {
    if (best && size > domain) break;  // beyond the fast links only where nothing else holds it
    for (const ServingLayout& layout : serving_layouts(work.model, search, size)) {
      const ServingModel model(work.model, chip, *work.engine, work.format, cache_bytes, layout);
      const std::optional<Generation> found = with_engine(work, model, layout, gpus);
      if (found && (!best || found->time.seconds < best->time.seconds)) best = found;
    }
  }
  return best;
}

// Learner bytes that wait in the host's memory. Gradients are computed anew.
double sleeping_bytes(const MemoryUse& learning) {
  return learning.weights + learning.optimizer + learning.resident;
}

// Time outside the phases: new weights to the engines, switching the memory, and the rest, in which
// workers wait for their controller and for each other. The rest is fitted to rounds on 8 GPUs and
// more, and vanishes on one, as 1 - 1/gpus does: 12 s of it are more than a whole round takes there
// (10 s in a notebook of Unsloth, N5R02 of data/runs/predicted_first.csv).
SerialTime serial_time(const RoundWork& round, double gpus, double learners,
                       const MemoryUse& learning) {
  SerialTime out;
  if (!round.rollout) return out;
  const RoundFramework& f = round.framework;
  out.other = f.other_seconds * (1 - 1 / gpus);
  out.per_gigabyte = f.sync_seconds_per_gb;
  out.gigabytes = 2 * round.policy_params / kGigabyte;
  out.senders = std::min(learners, kSyncSenders);
  if (round.placement != Placement::colocated) return out;
  out.per_billion = f.switch_seconds_per_billion;
  out.billions = round.policy_params / kGigabyte;
  out.moved = sleeping_bytes(learning);
  out.host_bandwidth = round.host_bandwidth;
  return out;
}

LearningPass learning_pass(const RoundWork& round, double sequences, double updates,
                           const Execution& execution) {
  LearningPass out;
  out.steps = updates / round.epochs();
  out.step_flops = execution.model_flops;
  out.recomputing = with_recomputation(execution.plan.time);
  out.step_seconds = execution.step_seconds;
  if (round.rollout) {
    out.framework = round.mixture ? round.framework.mixture_step : round.framework.dense_step;
  }
  out.tokens = sequences / round.epochs() * round.sequence_tokens;
  return out;
}

// A phase that scores or learns, on the layout of the policy. Another model than the policy takes
// training steps of its own, or all sequences forward in one.
PhaseTime learner_phase(const RoundWork& round, const Phase& phase, const LearningPass& pass,
                        double gpus, const Execution& execution) {
  PhaseTime out;
  out.name = phase.name;
  out.work = phase.work;
  out.gpus = gpus;
  out.layout = execution.plan.layout;
  out.tokens = pass.tokens * phase.repeats;
  const StepModel* const model = round.model(phase);
  double seconds = pass.steps * pass.step_seconds;  // of one pass, by the steps alone
  if (model == nullptr) {
    out.model_flops = pass.model_flops() * phase.repeats;
    out.hardware_flops = pass.hardware_flops() * phase.repeats;
  } else {
    const bool trains = phase.work == Work::train;
    const StepTime own = trains ? model->step(out.layout)
                                : model->forward(out.layout, pass.steps * out.layout.global_batch);
    const double steps = trains ? pass.steps : 1;
    out.model_flops = own.model_flops * steps * phase.repeats;
    out.hardware_flops = own.hardware_flops * steps * phase.repeats;
    // A given MFU applies to all FLOPs of the round.
    seconds = execution.mfu_given ? seconds * (own.hardware_flops * steps) / pass.hardware_flops()
                                  : own.seconds * steps * execution.data_wait;
  }
  out.seconds = seconds * phase.repeats * pass.framework;
  return out;
}

// Adds the phase that writes the responses; false where no engine holds the policy.
bool add_generation(const RoundWork& round, const Phase& phase, const LearningPass& pass,
                    double gpus, Execution& execution) {
  const std::optional<Generation> found = generate(round, gpus);
  if (!found) return false;
  PhaseTime out;
  out.name = phase.name;
  out.work = phase.work;
  out.gpus = gpus;
  out.model_flops = out.hardware_flops =
      pass.model_flops() * round.forward_share * round.generated_share;
  out.tokens = round.rollout->responses() * round.rollout->mean_response();
  out.seconds = found->time.seconds * round.generation_factor();
  out.engine = found->layout;
  execution.phases.push_back(out);
  execution.rollout = found->time;
  execution.rollout_sequences = found->sequences;
  execution.engine = found->memory;
  return true;
}

// Seconds of a round: phases in sequence, or generation overlapped with the rest by a policy one
// step old.
double round_seconds(const RoundWork& round, const std::vector<PhaseTime>& phases, double serial) {
  double generating = round.rollout ? round.rollout->verifier_seconds : 0;
  double others = 0;
  for (const PhaseTime& phase : phases) {
    (phase.work == Work::generate ? generating : others) += phase.seconds;
  }
  const bool beside = round.placement == Placement::async;
  return (beside ? std::max(generating, others) : generating + others) + serial;
}

}  // namespace

std::vector<double> generation_splits(const RoundWork& round, double gpus, double node) {
  if (!round.rollout || round.placement == Placement::colocated) return {0};
  if (round.generation_gpus) return {*round.generation_gpus};
  constexpr int kParts = 8;  // finer splits gain less than the model's error (data/phases.md, A.6)
  std::vector<double> out;
  for (int part = 1; part < kParts; ++part) {
    double each = gpus * part / kParts;
    if (gpus >= 2 * node) each = std::round(each / node) * node;
    each = std::floor(each);
    const bool sensible = each >= 1 && each < gpus;
    if (sensible && std::ranges::find(out, each) == out.end()) out.push_back(each);
  }
  return out;
}

std::optional<EngineMemory> engine_memory(const RoundWork& round, double gpus) {
  const std::optional<Generation> found = generate(round, gpus);
  return found ? std::optional(found->memory) : std::nullopt;
}

MemoryUse fullest_moment(const RoundWork& round, const MemoryUse& learning,
                         const EngineMemory& engine) {
  const double held = engine.weights + engine.cache;
  MemoryUse out = learning;
  if (held > learning.total) {
    out = {};
    out.generating = true;
    out.total = held;
    out.capacity = learning.capacity;
    out.spread = learning.spread;
    out.host = learning.host;
  }
  out.engine = engine;
  out.fits = learning.fits && held <= learning.capacity;
  if (round.placement == Placement::colocated) out.host += sleeping_bytes(learning);
  return out;
}

bool add_phases(const RoundWork& round, double generation_gpus, Execution& execution) {
  const Layout& layout = execution.plan.layout;
  const double sequences = round.sequences > 0 ? round.sequences : layout.global_batch;
  const double updates = std::max(1.0, sequences / layout.global_batch);
  const LearningPass pass = learning_pass(round, sequences, updates, execution);
  execution.pass = pass;
  const double learners = execution.gpus - generation_gpus;
  execution.phases.clear();
  execution.generating = generation_gpus;
  for (const Phase& phase : round.phases) {
    if (phase.work == Work::generate) {
      const double gpus = generation_gpus > 0 ? generation_gpus : execution.gpus;
      if (!add_generation(round, phase, pass, gpus, execution)) return false;
      continue;
    }
    execution.phases.push_back(learner_phase(round, phase, pass, learners, execution));
  }
  execution.updates = updates;
  execution.serial = serial_time(round, execution.gpus, learners, execution.plan.memory);
  execution.round_seconds = round_seconds(round, execution.phases, execution.serial.seconds());
  execution.step_seconds = execution.round_seconds / updates;
  execution.model_flops = execution.hardware_flops = 0;
  for (const PhaseTime& phase : execution.phases) {
    execution.model_flops += phase.model_flops / updates;
    execution.hardware_flops += phase.hardware_flops / updates;
  }
  return true;
}

}  // namespace trcost::estimation
