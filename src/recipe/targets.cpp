// SPDX-License-Identifier: Apache-2.0
#include "recipe/targets.h"

#include <algorithm>
#include <bit>

#include "quantity/suggest.h"
#include "scenario/choices.h"
#include "scenario/fields.h"
#include "scenario/words.h"

namespace trcost::recipe {
namespace {

// `model.layers.0.self_attn.q_proj` and `"q_proj"` are q_proj.
std::string_view last_component(std::string_view name) {
  constexpr std::string_view kAround = " \"'[]()*\\$^";
  const std::size_t first = name.find_first_not_of(kAround);
  if (first == name.npos) return {};
  name = name.substr(first, name.find_last_not_of(kAround) - first + 1);
  return name.substr(name.rfind('.') + 1);
}

AdapterTargets targets_of(std::string_view name) {
  const std::string word =
      choice_of_word(field_info(Field::train_lora_targets), last_component(name));
  return find_value(kAdapterTargets, word).value_or(0);
}

// `(up|down)_proj` of a pattern as `up_proj|down_proj`.
std::string spread_choices(std::string_view pattern) {
  constexpr std::size_t kLongest = 2000;
  constexpr std::string_view kEnd = ")_proj";
  std::string out(pattern);
  if (out.size() > kLongest) return out;
  for (std::size_t end; (end = out.find(kEnd)) != out.npos;) {
    const std::size_t start = out.rfind('(', end);
    if (start == out.npos) break;
    const std::string choices = out.substr(start + 1, end - start - 1);
    std::string spread;
    for (const std::string_view choice : split_text(choices, "|")) {
      append_item(spread, std::string(choice) + "_proj", "|");
    }
    out.replace(start, end + kEnd.size() - start, spread);
  }
  return out;
}

// A pattern names matrices within a longer text.
AdapterTargets targets_in_pattern(std::string_view typed) {
  const std::string pattern = spread_choices(typed);
  AdapterTargets found = 0;
  for (const auto& [word, targets] : kAdapterTargets) {
    const std::string module = std::string(word) + "_proj";
    if (std::has_single_bit(targets) && pattern.find(module) != pattern.npos) found |= targets;
  }
  return found;
}

// The shortest words for a set: all of a decoder's matrices are all linear layers.
std::string target_words(AdapterTargets targets) {
  constexpr AdapterTargets kEvery = target::attention | target::feed_forward;
  if ((targets & kEvery) == kEvery) return "all-linear";
  for (const auto& [word, each] : kAdapterTargets) {
    if (each == targets) return std::string(word);
  }
  std::string words;
  for (const auto& [word, each] : kAdapterTargets) {
    if (std::has_single_bit(each) && (targets & each) != 0) {
      append_item(words, word, ",");
    }
  }
  return words;
}

}  // namespace

void find_targets(Workings& work) {
  AdapterTargets targets = 0;
  bool unknown = false;
  const std::string modules = work.text("lora_modules");
  for (const std::string_view name : split_text(modules, ",")) {
    if (name.empty()) continue;
    AdapterTargets of_name = targets_of(name);
    if (of_name == 0) of_name = targets_in_pattern(name);
    unknown = unknown || of_name == 0;
    targets |= of_name;
  }
  constexpr std::string_view kSwitch = "lora_on.";
  for (const auto& [name, value] : work.values()) {
    if (name.starts_with(kSwitch) && value == "1")
      targets |= targets_of(name.substr(kSwitch.size()));
  }
  if (unknown) work.report("lora_modules", "adapters of some of these modules are not modelled");
  if (targets != 0) work.set("train.lora_targets", target_words(targets));
}

}  // namespace trcost::recipe
