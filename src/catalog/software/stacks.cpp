// SPDX-License-Identifier: Apache-2.0
#include "catalog/software/stacks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::catalog {

namespace {

constexpr double kMonths = 12;

// The middle of the month.
std::optional<double> month(std::string_view year, std::string_view of_year, int century) {
  const auto y = number_in<int>(year), m = number_in<int>(of_year);
  if (!y || !m || *m < 1 || *m > kMonths) return std::nullopt;
  return century + *y + (*m - 0.5) / kMonths;
}

/// Kernels that a stack may run for attention that is set to be fused.
constexpr Choice<Attention> kFusedAttentions[] = {{"flash-1", Attention::flash1},
                                                  {"flash-2", Attention::flash2},
                                                  {"fastest", Attention::fastest}};

constexpr Constant<Stack> kStackConstants[] = {
    {"release_gain", &Stack::release_gain, 0, 1},
    {"usual_gap", &Stack::usual_gap, 0, 1},
    {"first_run_gap", &Stack::first_run_gap, 0, 3},
    {"usual_overlap", &Stack::usual_overlap, 0, 1},
    {"kernel_time", &Stack::kernel_time, 0.1, 10},
    {"exchange_time", &Stack::exchange_time, 0.05, 20},
    {"matmul", &Stack::matmul, 0.1, 1.5},
    {"flash", &Stack::flash, 0.1, 1.5},
    {"legacy_elementwise", &Stack::legacy_elementwise, 0.5, 10},
    {"elementwise", &Stack::elementwise, 0.1, 20},
    {"plain_elementwise", &Stack::plain_elementwise, 0.1, 20},
    {"fused_elementwise", &Stack::fused_elementwise, 0.05, 10},
    {"plain_lora", &Stack::plain_lora, 0.1, 20},
    {"kernels", &Stack::kernels, 0, 500},
    {"block_seconds", &Stack::block_seconds, 0, 1},
    {"expert_block_seconds", &Stack::expert_block_seconds, 0, 1},
    {"expert_loop_seconds", &Stack::expert_loop_seconds, 0, 1},
    {"showcase_issued", &Stack::showcase_issued, 0, 1},
    {"collective_dispatch_seconds", &Stack::collective_dispatch_seconds, 0, 1e-1},
    {"micro_batch_seconds", &Stack::micro_batch_seconds, 0, 10},
    {"vision_gather_seconds", &Stack::vision_gather_seconds, 0, 1},
    {"loader_workers", &Stack::loader_workers, 1, 1e4},
    {"step_seconds", &Stack::step_seconds, 0, 100},
    {"tensor_overlap", &Stack::tensor_overlap, 0, 1},
    {"expert_overlap", &Stack::expert_overlap, 0, 1},
    {"expert_network_overlap", &Stack::expert_network_overlap, 0, 1},
    {"context_imbalance", &Stack::context_imbalance, 0, 2},
    {"pipeline_overlap", &Stack::pipeline_overlap, 0, 1},
    {"stage_imbalance", &Stack::stage_imbalance, 0, 1},
    {"data_overlap", &Stack::data_overlap, 0, 1},
    {"contention", &Stack::contention, 0, 1},
    {"gather_contention", &Stack::gather_contention, 0, 1},
    {"grouped_half", &Stack::grouped_half, 0, 1e5},
    {"expert_kernels", &Stack::expert_kernels, 0, 1e4},
    {"selective_matmul", &Stack::selective_matmul, 0, 1},
    {"expert_traffic", &Stack::expert_traffic, 0, 100},
    {"expert_traffic_block", &Stack::expert_traffic_block, 0, 100},
    {"gradient_bytes", &Stack::gradient_bytes, 0.5, 8},
    {"optimizer_bytes", &Stack::optimizer_bytes, 1, 1000},
    {"straggler", &Stack::straggler, 0, 1},
    {"lora_traffic", &Stack::lora_traffic, 0, 100},
    {"dequantise_traffic", &Stack::dequantise_traffic, 0, 1000},
    {"fused_dequantise", &Stack::fused_dequantise, 0, 1},
};

void read_abilities(ObjectReader& reader, Stack& stack) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    const std::string key(kDimensions[i].ability);
    if (!key.empty()) stack.dimensions[i] = reader.boolean_or(key, stack.dimensions[i]);
  }
  stack.context_kind = reader.choice_or("context_kind", stack.context_kind, kContextKinds);
  stack.partial_recompute = reader.boolean_or("partial_recompute", stack.partial_recompute);
  stack.eager_encoders = reader.boolean_or("eager_encoders", stack.eager_encoders);
  stack.expert_dedup = reader.boolean_or("expert_dedup", stack.expert_dedup);
  const std::vector<JsonValue> listed = reader.array_or_empty("shardings");
  if (listed.empty()) return;
  stack.shardings.fill(false);
  for (const JsonValue& value : listed) {
    stack.shardings[static_cast<std::size_t>(value.choice(kShardings))] = true;
  }
}

// The numbers of a recipe for memory.
constexpr double kMostStateBytes = 64;
constexpr Constant<StateBytes> kStates[] = {
    {"weights", &StateBytes::weights, 0, kMostStateBytes},
    {"gradients", &StateBytes::gradients, 0, kMostStateBytes},
    {"optimizer", &StateBytes::optimizer, 0, kMostStateBytes}};
struct StatesKey {
  std::string_view name;
  StateBytes MemoryRecipe::*member;
};
constexpr StatesKey kRecipeStates[] = {
    {"state_bytes_per_parameter", &MemoryRecipe::states},
    {"adapter_bytes_per_parameter", &MemoryRecipe::adapter_states}};
constexpr Constant<MemoryRecipe> kMemoryConstants[] = {
    {"bytes_per_logit", &MemoryRecipe::logits_bytes, 0, 64},
    {"plain_bytes_per_logit", &MemoryRecipe::plain_logits, 0, 64},
    {"activation_share", &MemoryRecipe::activation_share, 0, 4},
    {"plain_share", &MemoryRecipe::plain_share, 0, 4},
    {"fused_share", &MemoryRecipe::fused_share, 0, 4},
    {"score_share", &MemoryRecipe::score_share, 0, 4},
    {"selective_share", &MemoryRecipe::selective_share, 0, 2},
    {"adapter_input_bytes", &MemoryRecipe::adapter_input_bytes, 0, 16},
    {"replica_copies", &MemoryRecipe::replica_copies, 0, 4},
    {"unpacked_bytes", &MemoryRecipe::unpacked_bytes, 0, 4},
    {"update_copies", &MemoryRecipe::update_copies, 0, 2},
    {"low_precision_input_bytes", &MemoryRecipe::low_precision_inputs, 0, 2},
    {"low_precision_frozen_bytes", &MemoryRecipe::frozen_low_precision_bytes, 0, 4},
    {"gate_bytes", &MemoryRecipe::gate_bytes, 0, 16},
    {"unsharded_layers", &MemoryRecipe::unsharded_layers, 0, 1e6},
    {"live_parameters", &MemoryRecipe::live_parameters, 0, 1e12},
    {"context_bytes", &MemoryRecipe::context_bytes, 0, 1e11},
    {"network_bytes", &MemoryRecipe::network_bytes, 0, 1e11},
    {"fragmentation", &MemoryRecipe::fragmentation, 0, 1},
    {"spread", &MemoryRecipe::spread, 0.01, 2},
    {"plan_share", &MemoryRecipe::plan_share, 0, 1},
};

void read_memory(ObjectReader& parent, MemoryRecipe& memory) {
  auto reader = parent.optional_object("memory");
  if (!reader) return;
  reader->required_text("source");
  for (const StatesKey& key : kRecipeStates) {
    auto states = reader->optional_object(key.name);
    if (!states) continue;
    read_constants(*states, kStates, memory.*key.member);
    states->finish();
  }
  read_given_constants(*reader, kMemoryConstants, memory);
  memory.unsharded_embeddings =
      reader->boolean_or("unsharded_embeddings", memory.unsharded_embeddings);
  memory.selective_mixtures = reader->boolean_or("selective_mixtures", memory.selective_mixtures);
  memory.frees_gradients = reader->boolean_or("frees_gradients", memory.frees_gradients);
  reader->finish();
}

double read_month(const JsonValue& value) {
  const std::optional<double> year = release_month(value.text());
  if (!year) value.fail("a month of release is written YYYY-MM");
  return *year;
}

void read_releases(ObjectReader& parent, StackReleases& releases) {
  auto reader = parent.optional_object("releases");
  if (!reader) return;
  reader->required_text("source");
  releases.reference = read_month(reader->required_value("reference"));
  releases.oldest = read_month(reader->required_value("oldest"));
  releases.newest = read_month(reader->required_value("newest"));
  if (auto names = reader->optional_object("names")) {
    for (const std::string& name : names->keys()) {
      releases.names.emplace_back(name, read_month(names->required_value(name)));
    }
    names->finish();
  }
  reader->finish();
}

void read_tuning(ObjectReader& parent, Stack& stack) {
  auto reader = parent.optional_object("tuning");
  if (!reader) return;
  stack.tuning_source = reader->required_text("source");
  stack.described = reader->required_choice("constants", kTunings);
  stack.usual = reader->required_choice("default", kTunings);
  reader->finish();
}

void read_attention_kernels(ObjectReader& parent, AttentionKernels& kernels) {
  auto reader = parent.optional_object("attention_kernels");
  if (!reader) return;
  reader->required_text("source");
  kernels.usual = reader->required_choice("usual", kFusedAttentions);
  if (auto chips = reader->optional_object("by_architecture")) {
    for (const std::string& name : chips->keys()) {
      kernels.by_architecture.emplace_back(name, chips->required_choice(name, kFusedAttentions));
    }
    chips->finish();
  }
  reader->finish();
}

void read_measured(ObjectReader& parent, MeasuredSteps& measured) {
  auto reader = parent.optional_object("measured");
  if (!reader) return;
  measured.rows = static_cast<int>(reader->required_whole("rows", 1, 1e6));
  measured.base = reader->required_text("base");
  measured.accelerators = reader->texts_or_empty("accelerators");
  measured.sigma = reader->required_number("sigma", 0, 3);
  measured.sigma_elsewhere = reader->required_number("sigma_elsewhere", measured.sigma, 3);
  reader->finish();
}

}  // namespace

std::string_view tuning_name(Tuning tuning) {
  return word_of(kTunings, tuning);
}

std::optional<double> release_month(std::string_view release) {
  if (release.size() == 7 && release[4] == '-') {
    return month(release.substr(0, 4), release.substr(5), 0);
  }
  if (release.size() >= 5 && release[2] == '.' && (release.size() == 5 || release[5] == '.')) {
    return month(release.substr(0, 2), release.substr(3, 2), 2000);
  }
  return std::nullopt;
}

std::string month_words(double year) {
  const double whole = std::floor(year);
  return fmt::format("{:.0f}-{:02.0f}", whole, std::floor((year - whole) * kMonths) + 1);
}

std::optional<double> stated_year(const StackReleases& releases, std::string_view release) {
  if (releases.reference <= 0) return std::nullopt;
  std::optional<double> year = release_month(release);
  for (const auto& [name, released] : releases.names) {
    if (name == release) year = released;
  }
  if (!year || *year < releases.oldest) return std::nullopt;
  return year;
}

std::optional<double> release_year(const StackReleases& releases, std::string_view release) {
  const std::optional<double> year = stated_year(releases, release);
  return year ? std::optional(std::min(*year, releases.newest)) : std::nullopt;
}

Attention AttentionKernels::on(std::string_view architecture) const {
  const auto own =
      std::ranges::find(by_architecture, architecture, &std::pair<std::string, Attention>::first);
  return own != by_architecture.end() ? own->second : usual;
}

std::span<const Constant<Stack>> stack_constants() {
  return kStackConstants;
}

std::shared_ptr<const Stack> stack_at_release(const Stack& stack, std::string_view release) {
  const std::optional<double> year = release_year(stack.releases, release);
  if (!year) {
    const std::string shown(release.substr(0, 40));
    throw Error(ErrorKind::usage,
                fmt::format("stack {} has no measured release \"{}\"", stack.name, shown),
                stack.releases.reference > 0
                    ? fmt::format("write {0}@YYYY-MM, from {1:.0f} on. {0} alone is the release of "
                                  "`trcost show stacks {0}`",
                                  stack.name, std::floor(stack.releases.oldest))
                    : fmt::format("its releases are not told apart: write {} alone", stack.name));
  }
  auto aged = std::make_shared<Stack>(stack);
  aged->release_years = *year - stack.releases.reference;
  aged->after_newest = *stated_year(stack.releases, release) > stack.releases.newest;
  return aged;
}

Stack assumed_stack(const DataFolder& data) {
  const auto read_memory = [](ObjectReader& reader, const Sources& sources, Stack& out) {
    ObjectReader memory = reader.required_object("memory");
    for (const StatesKey& key : kRecipeStates) {
      ObjectReader states = memory.required_object(key.name);
      read_sourced_constants(states, sources, kStates, out.memory.*key.member);
      states.finish();
    }
    read_sourced_constants(memory, sources, kMemoryConstants, out.memory);
    memory.finish();
  };
  return read_assumed<Stack>(data, "assumed/stack.json", kStackConstants, read_memory);
}

std::shared_ptr<const Stack> load_stack(const JsonValue& document, const DataFolder& data) {
  auto stack = std::make_shared<Stack>(assumed_stack(data));
  ObjectReader reader = document.object();
  reader.accept("schema_version");
  stack->name = reader.required_text("name");
  stack->title = reader.required_text("title");
  stack->source = reader.required_text("source");
  // Constants written by hand beside the results of a fit win.
  if (auto fitted = reader.optional_object("fitted")) {
    fitted->required_text("source");
    fitted->accept("date");
    read_given_constants(*fitted, kStackConstants, *stack);
    fitted->finish();
  }
  read_given_constants(reader, kStackConstants, *stack);
  read_abilities(reader, *stack);
  read_releases(reader, stack->releases);
  read_attention_kernels(reader, stack->attention_kernels);
  read_tuning(reader, *stack);
  read_measured(reader, stack->measured);
  read_memory(reader, stack->memory);
  reader.finish();
  return stack;
}

}  // namespace trcost::catalog
