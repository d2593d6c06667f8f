// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/platform/resolve_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catalog/hardware/hardware.h"
#include "catalog/models/model.h"
#include "catalog/software/stacks.h"
#include "performance/training/step_model.h"
#include "scenario/choices.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

std::string format_list(const Accelerator& chip) {
  std::string out;
  for (int i = 0; i < kPrecisionCount; ++i) {
    const auto precision = static_cast<Precision>(i);
    if (!peak_flops(chip, precision)) continue;
    out += (out.empty() ? "" : ", ") + std::string(precision_name(precision));
  }
  return out;
}

bool has_format(const Accelerator& chip, Precision precision) {
  return peak_flops(chip, precision).has_value();
}

Precision fastest_with_recipe(const Accelerator& chip) {
  Precision best = Precision::bf16;
  double peak = 0;
  for (int i = 0; i < kPrecisionCount; ++i) {
    const auto precision = static_cast<Precision>(i);
    const std::optional<double> rate = peak_flops(chip, precision);
    if (chip.recipe[static_cast<std::size_t>(i)] && rate && *rate > peak) {
      peak = *rate;
      best = precision;
    }
  }
  return best;
}

Precision resolve_precision(const Scenario& scenario, const Accelerator& chip, Notes& notes) {
  const std::string_view word = scenario.text(Field::train_precision);
  const std::optional<Precision> said = value_of(kPrecisions, word);
  if (!said) {
    const Precision best = fastest_with_recipe(chip);
    notes.add(Field::train_precision, precision_name(best),
              fmt::format("fastest format of {} with an established recipe", chip.title),
              chip.name);
    return best;
  }
  const Precision asked = *said;
  if (has_format(chip, asked)) {
    if (!scenario.has(Field::train_precision)) notes.fallback(Field::train_precision, word);
    if (!chip.recipe[static_cast<std::size_t>(asked)]) {
      notes.warn(
          fmt::format("{} has {} but no established training recipe for it", chip.title, word));
    }
    return asked;
  }
  if (!scenario.has(Field::train_precision) && has_format(chip, Precision::fp16)) {
    notes.add(Field::train_precision, "fp16", fmt::format("{} has no bf16", chip.title), chip.name);
    return Precision::fp16;
  }
  throw Error(
      ErrorKind::no_answer, fmt::format("{} has no {}", chip.title, word),
      fmt::format("it has {}. --precision best takes each platform's fastest", format_list(chip)),
      chip.name);
}

// Names of the systems that carry a chip, as a sentence for who named another.
std::string system_list(const Catalog& catalog, const Accelerator& chip) {
  std::string names;
  for (const std::string& name : catalog.names(CatalogKind::systems)) {
    if (std::ranges::find(catalog.system(name).accelerators, chip.name) ==
        catalog.system(name).accelerators.end()) {
      continue;
    }
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? std::string() : fmt::format("{} comes in {}. ", chip.title, names);
}

// The system of that name, or the usual one of the chip for an empty name.
const System& named_system(const Catalog& catalog, const Accelerator& chip, std::string_view name) {
  const bool usual = name.empty();
  try {
    return catalog.system(usual ? std::string_view(chip.system) : name);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::usage) throw;
    if (usual) throw Error(ErrorKind::data, error.message, error.hint, chip.file + "#/system");
    throw Error(error.kind, error.message, system_list(catalog, chip) + error.hint, error.location);
  }
}

// Words for how much longer steps take than in the tables of chip and software vendors.
std::string tuning_reason(Platform platform, Tuning tuning) {
  if (tuning == Tuning::showcase) return "tuned as vendors tune it";
  set_tuning(platform, tuning);
  const double usual = platform.slowdown;
  set_tuning(platform, Tuning::showcase);
  return fmt::format(
      "as most users run it: steps take {:.0f}% longer than in tables from vendors{}{}",
      100 * (usual / platform.slowdown - 1),
      platform.stack->usual_overlap < 1 ? ", and less exchange is hidden" : "",
      tuning == platform.stack->described ? ". The rates of this software include it" : "");
}

// The exchanges that --overlap lists run behind compute. All others do not.
Overlap resolve_overlap(const Scenario& scenario) {
  const std::vector<std::string> words = scenario.names(Field::efficiency_overlap);
  Overlap out;
  for (const std::string& word : words) {
    const Overlap hidden = value_of(kOverlaps, word);
    if (words.size() > 1 && (hidden == kAllHidden || hidden == Overlap{})) {
      throw Error(ErrorKind::usage, fmt::format("\"{}\" stands for every exchange", word),
                  "set it alone, or the kinds that run behind compute",
                  std::string(field_info(Field::efficiency_overlap).flag));
    }
    for (double Overlap::*const each : kExchanges) out.*each = std::max(out.*each, hidden.*each);
  }
  return out;
}

void resolve_tuning(const Scenario& scenario, Platform& platform, Notes& notes) {
  const std::optional<Tuning> asked = find_value(kTunings, scenario.text(Field::efficiency_tuning));
  const Tuning tuning = asked.value_or(platform.stack->usual);
  if (!asked && notes.wanted() && !scenario.has(Field::efficiency_mfu)) {
    notes.add(Field::efficiency_tuning, tuning_name(tuning), tuning_reason(platform, tuning),
              platform.stack->tuning_source.empty() ? platform.stack->source
                                                    : platform.stack->tuning_source);
  }
  set_tuning(platform, tuning);
  if (scenario.has(Field::efficiency_overlap)) {
    platform.overlap = resolve_overlap(scenario);
  }
}

// Some software has one set of kernels, which its constants are of.
void resolve_kernel_set(const Scenario& scenario, Platform& platform, Notes& notes) {
  platform.kernels = find_value(kKernelSets, scenario.text(Field::efficiency_kernels));
  const Stack& stack = *platform.stack;
  if (!platform.kernels || stack.plain_elementwise != stack.fused_elementwise) return;
  notes.warn(
      fmt::format("{} runs one set of kernels, so --kernels {} changes attention and loss "
                  "alone",
                  stack.title, word_of(kKernelSets, *platform.kernels)));
}

// Steps measured on one chip say less about another.
void warn_of_other_chip(const Platform& platform, Notes& notes) {
  const MeasuredSteps& measured = platform.stack->measured;
  if (measured.rows == 0 || !notes.wanted()) return;
  const std::string& name = platform.accelerator->name;
  if (std::ranges::find(measured.accelerators, name) != measured.accelerators.end()) return;
  notes.warn(fmt::format(
      "the steps behind stack {} ran on {}. What they say of the software is carried over to {}, "
      "with a wider range",
      platform.stack->name, fmt::join(measured.accelerators, ", "), name));
}

// A release later than any measured one is not extrapolated.
void warn_of_later_release(std::string_view asked, const Stack& stack, Notes& notes) {
  if (!stack.after_newest) return;
  notes.warn(
      fmt::format("{} is later than the newest release that measurements cover, {}, and is "
                  "taken to be as fast as that",
                  asked, month_words(stack.releases.newest)));
}

// Replaces the bandwidth between nodes or racks of the system by the given one.
void state_network(const Scenario& scenario, Platform& platform) {
  const auto stated = scenario.number(Field::hardware_network_bandwidth);
  if (!stated) return;
  System own = *platform.system;
  own.tiers.back().bandwidth = *stated;
  platform.stated = std::make_shared<const System>(std::move(own));
  platform.system = platform.stated.get();
}

// Share of the lanes that copies from pinned memory reach: 12.36 of the 15.75 GB/s of PCIe 3 x16
// (github.com/NVIDIA/nvbandwidth, README at 04bf2869).
constexpr double kCopyShare = 12.36 / 15.75;

std::optional<double> resolve_host_bandwidth(const Scenario& scenario, const System& system,
                                             Notes& notes) {
  if (!value_of(kOffloads, scenario.text(Field::train_offload)).any()) return std::nullopt;
  const std::optional<double> out = host_bandwidth(scenario, system, notes);
  if (out) return out;
  throw Error(ErrorKind::no_answer,
              fmt::format("how fast {} reaches its host's memory is not known", system.title),
              "set --host-bandwidth, e.g. 50e9 bytes/s for PCIe 5 x16", system.name);
}

}  // namespace

std::optional<double> host_bandwidth(const Scenario& scenario, const System& system, Notes& notes) {
  if (const auto given = scenario.number(Field::hardware_host_bandwidth)) return given;
  if (!system.host_bandwidth) return std::nullopt;
  const double reached = kCopyShare * *system.host_bandwidth;
  notes.add(Field::hardware_host_bandwidth, reached,
            fmt::format("copies reach {:.0f}% of the {:.4g} GB/s of its lanes", 100 * kCopyShare,
                        *system.host_bandwidth / 1e9),
            system.title);
  return reached;
}

Platform resolve_platform(const Scenario& scenario, const Catalog& catalog,
                          std::string_view accelerator, Notes& notes) {
  Platform out;
  out.accelerator = &catalog.accelerator(accelerator);
  const bool own_system = scenario.has(Field::hardware_system);
  out.system =
      &named_system(catalog, *out.accelerator,
                    own_system ? scenario.text(Field::hardware_system) : std::string_view());
  if (!own_system) {
    notes.add(Field::hardware_system, out.system->name,
              fmt::format("the usual system of {}", out.accelerator->title), out.system->title);
  }
  state_network(scenario, out);
  out.efficiency = &catalog.efficiency(*out.accelerator);
  out.stack = &catalog.stack(scenario.text(Field::efficiency_stack));
  if (!scenario.has(Field::efficiency_stack)) {
    notes.fallback(Field::efficiency_stack, scenario.text(Field::efficiency_stack));
  }
  resolve_kernel_set(scenario, out, notes);
  warn_of_other_chip(out, notes);
  warn_of_later_release(scenario.text(Field::efficiency_stack), *out.stack, notes);
  resolve_tuning(scenario, out, notes);
  out.host_bandwidth = resolve_host_bandwidth(scenario, *out.system, notes);
  out.precision = resolve_precision(scenario, *out.accelerator, notes);
  return out;
}

}  // namespace trcost::estimation
